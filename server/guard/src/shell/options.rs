//! A command's options against the list of those that are known to be harmless. What is not listed is refused.

use super::Place;
use super::command::place;
use super::word::Word;

/// What a command takes without doing more than it should.
pub(super) struct Spec {
    pub(super) names: &'static str,
    pub(super) options: Options,
    pub(super) operands: Operands,
}

pub(super) enum Options {
    /// None of its options does harm, known or not.
    Any,
    /// Only these. Letters without and with a value; long names, `=` behind those that take a value.
    Listed { flags: &'static str, valued: &'static str, long: &'static str },
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Operands {
    /// Texts, not files.
    Text,
    Files,
    /// A second file would be written.
    OneFile,
    /// A pattern, unless an option gave one, and then files.
    PatternThenFiles,
    /// Texts; what stands behind the first is no option.
    TextAtOnce,
    None,
}

/// The arguments, told apart.
pub(super) struct Parsed<'w> {
    pub(super) operands: Vec<&'w Word>,
    /// Values of options: they may name files.
    pub(super) values: Vec<Place>,
    pattern_given: bool,
}

impl Spec {
    /// Tells the arguments apart; `None` when one is not known to be harmless.
    pub(super) fn parse<'w>(&self, arguments: &'w [Word]) -> Option<Parsed<'w>> {
        let mut parsed = Parsed { operands: Vec::new(), values: Vec::new(), pattern_given: false };
        let mut rest = arguments.iter();
        while let Some(word) = rest.next() {
            if word.known() == Some("--") {
                parsed.operands.extend(rest.by_ref());
                break;
            }
            if !word.may_be_option() {
                parsed.operands.push(word);
                if self.operands == Operands::TextAtOnce {
                    parsed.operands.extend(rest.by_ref());
                }
                continue;
            }
            match (&self.options, word.known()) {
                (Options::Any, None) => parsed.operands.push(word),
                (Options::Any, Some(option)) => parsed.attached(option),
                (Options::Listed { .. }, None) => return None,
                (Options::Listed { flags, valued, long }, Some(option)) => match option.strip_prefix("--") {
                    Some(name) => parsed.long(name, long, &mut rest)?,
                    None => parsed.short(option.get(1..)?, flags, valued, &mut rest)?,
                },
            }
        }
        let count = parsed.operands.len();
        let fits = match self.operands {
            Operands::None => count == 0,
            Operands::OneFile => count <= 1 && parsed.operands.iter().all(|word| !word.splits),
            _ => true,
        };
        fits.then_some(parsed)
    }

    /// The files that the command reads.
    pub(super) fn reads(&self, parsed: Parsed<'_>) -> Vec<Place> {
        let skipped = match self.operands {
            Operands::Text | Operands::TextAtOnce | Operands::None => return Vec::new(),
            Operands::PatternThenFiles if !parsed.pattern_given => 1,
            _ => 0,
        };
        let mut reads = parsed.values;
        reads.extend(parsed.operands.into_iter().skip(skipped).map(place));
        reads
    }
}

impl<'w> Parsed<'w> {
    /// An option whose meaning does not matter: its end may be a file's name.
    fn attached(&mut self, option: &str) {
        let value = match (option.split_once('='), option.strip_prefix("--")) {
            (Some((_, value)), _) => value,
            (None, Some(_)) => "",
            (None, None) => option.get(2..).unwrap_or_default(),
        };
        if value.contains(['/', '.', '~']) {
            self.values.push(Place::Known(value.to_owned()));
        }
        self.pattern_given |= option.starts_with("--regexp") || option.starts_with("--file");
        self.pattern_given |= !option.starts_with("--") && option.contains(['e', 'f']);
    }

    fn long(&mut self, name: &str, long: &str, rest: &mut std::slice::Iter<'w, Word>) -> Option<()> {
        let (name, value) = match name.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (name, None),
        };
        let mut listed = long.split_whitespace();
        let takes_value = listed.clone().any(|entry| entry.strip_suffix('=') == Some(name));
        let stands_alone = listed.any(|entry| entry == name);
        match value {
            Some(value) if takes_value => self.values.push(Place::Known(value.to_owned())),
            None if stands_alone => {}
            None if takes_value => self.next_value(rest)?,
            _ => return None,
        }
        self.pattern_given |= matches!(name, "regexp" | "file" | "files");
        Some(())
    }

    fn short(
        &mut self,
        letters: &str,
        flags: &str,
        valued: &str,
        rest: &mut std::slice::Iter<'w, Word>,
    ) -> Option<()> {
        for (at, letter) in letters.char_indices() {
            if valued.contains(letter) {
                self.pattern_given |= matches!(letter, 'e' | 'f');
                match letters.get(at + letter.len_utf8()..).filter(|value| !value.is_empty()) {
                    Some(value) => self.values.push(Place::Known(value.to_owned())),
                    None => self.next_value(rest)?,
                }
                return Some(());
            }
            if !flags.contains(letter) {
                return None;
            }
        }
        Some(())
    }

    /// A value in a word of its own, which must stay one word.
    fn next_value(&mut self, rest: &mut std::slice::Iter<'w, Word>) -> Option<()> {
        let word = rest.next()?;
        if word.splits {
            return None;
        }
        self.values.push(place(word));
        Some(())
    }
}
