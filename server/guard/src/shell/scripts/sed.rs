//! sed: which files it edits, and whether its script stays within them.

use std::iter::Peekable;
use std::str::Chars;

use swarm_wire::permission::Level;

use crate::shell::command::{Meaning, places};
use crate::shell::word::Word;

pub(super) fn meaning(arguments: &[Word]) -> Meaning {
    match parsed(arguments) {
        Some(sed) if sed.scripts.iter().all(|script| stays_within(script)) && !sed.scripts.is_empty() => {
            let files = places(sed.files);
            if sed.edits {
                Meaning::new(Level::ChangesFiles, "`sed -i` edits files").writing(files)
            } else {
                Meaning::read_only().reading(files)
            }
        }
        _ => Meaning::new(Level::RunsCode, "a script of `sed` can run commands and write files"),
    }
}

struct Sed<'w> {
    scripts: Vec<&'w str>,
    files: Vec<&'w Word>,
    edits: bool,
}

fn parsed(arguments: &[Word]) -> Option<Sed<'_>> {
    let mut sed = Sed { scripts: Vec::new(), files: Vec::new(), edits: false };
    let mut operands = Vec::new();
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        if !word.may_be_option() {
            operands.push(word);
            continue;
        }
        match word.known()? {
            "--" => operands.extend(rest.by_ref()),
            "-n" | "-E" | "-r" | "-s" | "-u" | "-z" | "-nE" | "-En" | "-nr" | "-rn" | "--quiet"
            | "--silent" | "--regexp-extended" | "--null-data" | "--debug" | "--posix" => {}
            "-e" | "--expression" | "-ne" | "-Ee" | "-nEe" => sed.scripts.push(rest.next()?.known()?),
            "-i" | "--in-place" | "-ni" | "-Ei" | "-ri" => sed.edits = true,
            "-ie" => return None,
            option => match option.strip_prefix("--expression=") {
                Some(script) => sed.scripts.push(script),
                // A suffix for backups; one with a path or a star writes elsewhere.
                None if option.starts_with("-i") || option.starts_with("--in-place=") => {
                    let suffix = option.trim_start_matches("--in-place=").trim_start_matches("-i");
                    if suffix.contains(['/', '*']) {
                        return None;
                    }
                    sed.edits = true;
                }
                None => return None,
            },
        }
    }
    if sed.scripts.is_empty() {
        let (script, files) = operands.split_first()?;
        sed.scripts.push(script.known()?);
        operands = files.to_vec();
    }
    sed.files = operands;
    Some(sed)
}

/// Whether a script does nothing but print, delete and replace: no `e`, `r`, `w` and what is not known.
fn stays_within(script: &str) -> bool {
    let mut chars = script.chars().peekable();
    loop {
        skip(&mut chars, |c| c.is_ascii_whitespace() || matches!(c, ';' | '{' | '}'));
        if chars.peek().is_none() {
            return true;
        }
        if !address(&mut chars) {
            return false;
        }
        skip(&mut chars, |c| matches!(c, ' ' | '!'));
        let known = match chars.next() {
            Some('{' | '}') => true,
            Some('p' | 'P' | 'd' | 'D' | 'n' | 'N' | 'g' | 'G' | 'h' | 'H' | 'x' | '=' | 'q' | 'Q') => {
                skip(&mut chars, |c| c.is_ascii_digit() || c == ' ');
                matches!(chars.peek(), None | Some(';' | '\n' | '}'))
            }
            Some('s') => {
                replaced(&mut chars) && {
                    skip(&mut chars, |c| matches!(c, 'g' | 'p' | 'i' | 'I' | '0'..='9' | ' '));
                    matches!(chars.peek(), None | Some(';' | '\n' | '}'))
                }
            }
            Some('y') => replaced(&mut chars) && matches!(chars.peek(), None | Some(';' | '\n' | '}')),
            _ => false,
        };
        if !known {
            return false;
        }
    }
}

/// None, one or two places in the text.
fn address(chars: &mut Peekable<Chars<'_>>) -> bool {
    loop {
        match chars.peek() {
            Some('/') => {
                chars.next();
                if !section(chars, '/') {
                    return false;
                }
                skip(chars, |c| c == 'I');
            }
            Some('$' | '+' | '~' | '0'..='9') => {
                skip(chars, |c| matches!(c, '$' | '+' | '~') || c.is_ascii_digit());
            }
            _ => {}
        }
        skip(chars, |c| c == ' ');
        if chars.peek() != Some(&',') {
            return true;
        }
        chars.next();
        skip(chars, |c| c == ' ');
    }
}

fn replaced(chars: &mut Peekable<Chars<'_>>) -> bool {
    match chars.next() {
        Some(delimiter) if !delimiter.is_alphanumeric() && !matches!(delimiter, '\\' | '\n' | ' ') => {
            section(chars, delimiter) && section(chars, delimiter)
        }
        _ => false,
    }
}

/// Everything up to the next delimiter that is not escaped; a bracket in front of it leaves doubt whose it is.
fn section(chars: &mut Peekable<Chars<'_>>, delimiter: char) -> bool {
    let mut bracket = false;
    while let Some(c) = chars.next() {
        match c {
            '\\' => drop(chars.next()),
            c if c == delimiter => return !bracket,
            '[' => bracket = true,
            ']' => bracket = false,
            _ => {}
        }
    }
    false
}

fn skip(chars: &mut Peekable<Chars<'_>>, which: impl Fn(char) -> bool) {
    while chars.next_if(|c| which(*c)).is_some() {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_scripts_that_print_delete_and_replace_stay_within_their_files() {
        for script in
            ["1,5p", "$d", "/a b/,/c/p", "s/a/b/g", "s|/x|y|;s,a,b,2p", "/x/!d", "y/a/b/", "10q", "/a/{p;d}"]
        {
            assert!(stays_within(script), "{script}");
        }
        for script in [
            "1e touch x",
            "s/a/touch x/e",
            "w f",
            "s/a/b/w f",
            "r /etc/passwd",
            "s/a/b/gw x",
            "e",
            "s/[/]e/x/e",
        ] {
            assert!(!stays_within(script), "{script}");
        }
    }
}
