//! A command as a person is shown it: nothing in it can hide.

use std::fmt::Write;

/// Blanks in a row beyond which text could be pushed out of view.
const BLANKS_MAX: usize = 8;

/// The command with everything visible: characters that have no shape, turn the direction of text or look like a
/// blank are written as `⟨U+202E⟩`, tabs as `⇥`, and long runs of blanks as `⟨40 blanks⟩`. Line ends stay.
pub fn shown(command: &str) -> String {
    let mut text = String::with_capacity(command.len());
    let mut blanks = 0;
    for c in command.chars() {
        if c == ' ' {
            blanks += 1;
            continue;
        }
        flush(&mut text, blanks);
        blanks = 0;
        match c {
            '\n' => text.push('\n'),
            '\t' => text.push('⇥'),
            c if is_hidden(c) => {
                let _ = write!(text, "⟨U+{:04X}⟩", u32::from(c));
            }
            c => text.push(c),
        }
    }
    flush(&mut text, blanks);
    text
}

/// Text with every character visible as in [`shown`], but with its blanks as they are and tabs as blanks: for what is
/// read and not decided on.
pub fn visible(text: &str) -> String {
    let mut visible = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => visible.push('\n'),
            '\t' => visible.push_str("    "),
            c if is_hidden(c) => {
                let _ = write!(visible, "⟨U+{:04X}⟩", u32::from(c));
            }
            c => visible.push(c),
        }
    }
    visible
}

fn flush(text: &mut String, blanks: usize) {
    if blanks > BLANKS_MAX {
        let _ = write!(text, "⟨{blanks} blanks⟩");
    } else {
        text.extend(std::iter::repeat_n(' ', blanks));
    }
}

/// The first character that a person could not see, other than a tab and a line end.
pub(super) fn hidden_character(text: &str) -> Option<char> {
    text.chars().find(|c| !matches!(c, '\n' | '\t') && is_hidden(*c))
}

/// Control and format characters, blanks other than the space, and characters that draw nothing
/// (Unicode's categories Cc, Cf, Zs, Zl, Zp, and the property Default_Ignorable_Code_Point).
fn is_hidden(c: char) -> bool {
    if c == ' ' {
        return false;
    }
    c.is_control()
        || c.is_whitespace()
        || matches!(
            u32::from(c),
            0x00AD
                | 0x034F
                | 0x0600..=0x0605
                | 0x061C
                | 0x06DD
                | 0x070F
                | 0x0890..=0x0891
                | 0x08E2
                | 0x115F..=0x1160
                | 0x17B4..=0x17B5
                | 0x180B..=0x180F
                | 0x200B..=0x200F
                | 0x202A..=0x202E
                | 0x2060..=0x206F
                | 0x2800
                | 0x3164
                | 0xFE00..=0xFE0F
                | 0xFEFF
                | 0xFFA0
                | 0xFFF0..=0xFFFB
                | 0x110BD
                | 0x110CD
                | 0x13430..=0x1343F
                | 0x1BCA0..=0x1BCA3
                | 0x1D173..=0x1D17A
                | 0xE0000..=0xE0FFF
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_shown_command_can_hide() {
        for (command, expected) in [
            ("ls -l", "ls -l"),
            ("ls\nrm x", "ls\nrm x"),
            ("ls\r rm", "ls⟨U+000D⟩ rm"),
            ("a\u{202e}b", "a⟨U+202E⟩b"),
            ("a\u{200b}b\u{a0}c", "a⟨U+200B⟩b⟨U+00A0⟩c"),
            ("ls\t\t;rm x", "ls⇥⇥;rm x"),
            ("ls;          rm x", "ls;⟨10 blanks⟩rm x"),
            ("\u{1b}[2Kls", "⟨U+001B⟩[2Kls"),
            ("é 日本", "é 日本"),
        ] {
            assert_eq!(shown(command), expected);
        }
    }
}
