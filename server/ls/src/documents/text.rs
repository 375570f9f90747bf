//! Positions in a text: lines and characters as LSP counts them, in each encoding, to byte offsets and back.

use crate::lsp::types::{Position, Range};

/// How a client counts the characters of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Encoding {
    Utf8,
    #[default]
    Utf16,
    Utf32,
}

impl Encoding {
    fn width(self, character: char) -> usize {
        match self {
            Self::Utf8 => character.len_utf8(),
            Self::Utf16 => character.len_utf16(),
            Self::Utf32 => 1,
        }
    }
}

/// The byte offset of a position. Past a line's end it is that end, past the text's end that; inside a
/// character, where the character begins.
pub(crate) fn offset(text: &str, position: Position, encoding: Encoding) -> usize {
    let Some(start) = line_start(text, position.line) else { return text.len() };
    let line = line_at(text, start);
    let mut left = position.character as usize;
    if line.is_ascii() {
        return start + left.min(line.len());
    }
    for (at, character) in line.char_indices() {
        let width = encoding.width(character);
        if left < width {
            return start + at;
        }
        left -= width;
    }
    start + line.len()
}

/// The position of a byte offset, which must be at a character's border.
pub(crate) fn position(text: &str, offset: usize, encoding: Encoding) -> Position {
    let before = text.get(..offset).unwrap_or(text);
    let (mut line, mut start) = (0, 0);
    for end in LineEnds::new(before) {
        // A `\r` that the offset cuts off from its `\n` ends no line.
        if end == before.len() && before.ends_with('\r') && text[end..].starts_with('\n') {
            break;
        }
        line += 1;
        start = end;
    }
    let character: usize = before[start..].chars().map(|character| encoding.width(character)).sum();
    Position { line, character: u32::try_from(character).unwrap_or(u32::MAX) }
}

/// Replaces a range of the text. A range whose ends are the wrong way round is read the right way.
pub(crate) fn replace(text: &mut String, range: Range, new: &str, encoding: Encoding) {
    let (start, end) = (offset(text, range.start, encoding), offset(text, range.end, encoding));
    text.replace_range(start.min(end)..start.max(end), new);
}

/// The byte offset at which a line, counted from zero, begins.
pub(crate) fn line_start(text: &str, line: u32) -> Option<usize> {
    match line {
        0 => Some(0),
        line => LineEnds::new(text).nth(line as usize - 1),
    }
}

/// The line that begins at `start`, without its end.
fn line_at(text: &str, start: usize) -> &str {
    let rest = &text[start..];
    let line = &rest[..rest.find('\n').unwrap_or(rest.len())];
    &line[..line.find('\r').unwrap_or(line.len())]
}

/// The offsets behind each line end: `\n`, `\r\n` or a `\r` alone.
struct LineEnds<'a> {
    text: &'a str,
    at: usize,
    /// The next `\n` at or behind `at`, or the text's end; looked for once.
    newline: Option<usize>,
}

impl<'a> LineEnds<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, at: 0, newline: None }
    }
}

impl Iterator for LineEnds<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        let newline = match self.newline {
            Some(newline) if newline >= self.at => newline,
            _ => self.text[self.at..].find('\n').map_or(self.text.len(), |found| self.at + found),
        };
        self.newline = Some(newline);
        self.at = match self.text[self.at..newline].find('\r') {
            Some(found) if self.at + found + 1 < newline => self.at + found + 1,
            // Right before the `\n`, and one with it; or the last of the text.
            Some(_) if newline < self.text.len() => newline + 1,
            Some(_) => newline,
            None if newline < self.text.len() => newline + 1,
            None => return None,
        };
        Some(self.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "aé\r\n😀b\n\rlast";

    fn at(line: u32, character: u32) -> Position {
        Position { line, character }
    }

    #[test]
    fn every_border_goes_to_a_position_and_back() {
        for encoding in [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32] {
            let borders = TEXT.char_indices().map(|(at, _)| at).chain([TEXT.len()]);
            // Between `\r` and `\n` there is no position of LSP.
            for border in borders.filter(|&border| !TEXT[border..].starts_with("\n😀") || border != 4) {
                let position = position(TEXT, border, encoding);
                assert_eq!(offset(TEXT, position, encoding), border, "{encoding:?} {position:?}");
            }
        }
    }

    #[test]
    fn characters_count_as_the_encoding_says() {
        let behind_smile = TEXT.find('b').unwrap();
        for (encoding, smile, accent) in
            [(Encoding::Utf8, 4, 3), (Encoding::Utf16, 2, 2), (Encoding::Utf32, 1, 2)]
        {
            assert_eq!(position(TEXT, behind_smile, encoding), at(1, smile));
            assert_eq!(offset(TEXT, at(0, accent), encoding), 3);
        }
    }

    #[test]
    fn what_is_past_an_end_is_that_end() {
        assert_eq!(offset(TEXT, at(0, 99), Encoding::Utf16), 3);
        assert_eq!(offset(TEXT, at(99, 0), Encoding::Utf16), TEXT.len());
        // Inside the surrogate pair.
        assert_eq!(offset(TEXT, at(1, 1), Encoding::Utf16), 5);
        assert_eq!(offset("", at(0, 5), Encoding::Utf8), 0);
    }

    #[test]
    fn a_lone_carriage_return_ends_a_line() {
        assert_eq!(position(TEXT, TEXT.len(), Encoding::Utf16), at(3, 4));
        assert_eq!(offset(TEXT, at(3, 0), Encoding::Utf16), TEXT.find("last").unwrap());
    }

    #[test]
    fn every_short_text_has_its_line_ends_found() {
        for number in 0..4_usize.pow(7) {
            let text: String =
                (0..7).map(|place| ["", "a", "\r", "\n"][number / 4_usize.pow(place) % 4]).collect();
            let plain = text.replace("\r\n", "\n").replace('\r', "\n");
            let ends: Vec<usize> = LineEnds::new(&text).collect();
            assert_eq!(ends.len(), plain.matches('\n').count(), "{text:?}");
            assert!(ends.iter().all(|&end| text[..end].ends_with(['\r', '\n'])), "{text:?} {ends:?}");
        }
    }

    #[test]
    fn a_range_is_replaced_whichever_end_comes_first() {
        for (start, end) in [(at(1, 0), at(1, 2)), (at(1, 2), at(1, 0))] {
            let mut text = TEXT.to_owned();
            replace(&mut text, Range { start, end }, "X", Encoding::Utf16);
            assert_eq!(text, "aé\r\nXb\n\rlast");
        }
    }

    #[test]
    fn no_range_however_wrong_breaks_a_text() {
        let positions: Vec<Position> = (0..6)
            .flat_map(|line| [0, 1, 2, 3, 4, 9, u32::MAX].map(|character| at(line, character)))
            .collect();
        for encoding in [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32] {
            for &start in &positions {
                for &end in &positions {
                    let mut text = TEXT.to_owned();
                    replace(&mut text, Range { start, end }, "名", encoding);
                    assert!(text.contains('名'));
                }
            }
        }
    }
}
