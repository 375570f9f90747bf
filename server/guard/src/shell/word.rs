//! One word of a command: its source and, where that is certain before it runs, its value.

/// A word of a simple command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// As it stands in the command.
    pub source: String,
    /// What bash makes of it, without its quotes; none when only the run tells (`$x`, `*.rs`, `{a,b}`).
    pub value: Option<String>,
    /// The pattern, for a pattern of file names with nothing else that is unknown.
    pub(crate) glob: Option<String>,
    /// It may become several words, or none.
    pub(crate) splits: bool,
    /// The beginning that is certain.
    pub(crate) prefix: String,
}

impl Word {
    /// A word that stands for itself, as if written without a need of quotes.
    pub(crate) fn literal(value: &str) -> Self {
        Self {
            source: value.to_owned(),
            value: Some(value.to_owned()),
            glob: None,
            splits: false,
            prefix: value.to_owned(),
        }
    }

    /// Words that come from outside the command, such as those `xargs` reads.
    pub(crate) fn from_input() -> Self {
        Self { source: "…".into(), value: None, glob: None, splits: true, prefix: String::new() }
    }

    pub(crate) fn is_from_input(&self) -> bool {
        self.value.is_none() && self.source == "…"
    }

    /// A path that a walk through folders finds, such as `find`'s `{}`: never an option.
    pub(crate) fn found_path() -> Self {
        Self { source: "{}".into(), value: None, glob: None, splits: false, prefix: "./".into() }
    }

    /// Reads the source of one word.
    pub(crate) fn read(source: &str) -> Self {
        if (source.starts_with("<(") || source.starts_with(">(")) && source.ends_with(')') {
            // Its commands are parts of their own; the word is a pipe's name.
            let pipe = "/dev/fd/63".to_owned();
            let (value, prefix) = (Some(pipe.clone()), pipe);
            return Self { source: source.to_owned(), value, glob: None, splits: false, prefix };
        }
        let scan = Scan::of(source);
        let one_string =
            source.len() >= 2 && source.starts_with('"') && source.ends_with('"') && !scan.leaves_string;
        Self {
            source: source.to_owned(),
            value: (!scan.unknown && !scan.glob).then(|| scan.value.clone()),
            glob: (scan.glob && !scan.unknown).then(|| scan.value.clone()),
            splits: scan.unknown && !one_string || scan.glob,
            prefix: scan.prefix.unwrap_or(scan.value),
        }
    }

    /// The value, when the word is written plainly, without quotes, escapes or expansions.
    pub(crate) fn plain(&self) -> Option<&str> {
        self.value.as_deref().filter(|value| *value == self.source)
    }

    pub(crate) fn known(&self) -> Option<&str> {
        self.value.as_deref()
    }

    /// Whether a program could take it for an option.
    pub(crate) fn may_be_option(&self) -> bool {
        match &self.value {
            Some(value) => value.starts_with('-') && value.len() > 1,
            None => {
                (self.splits && self.glob.is_none()) || self.prefix.is_empty() || self.prefix.starts_with('-')
            }
        }
    }

    /// Whether it may become an option that cannot be told before the run.
    pub(crate) fn may_be_unknown_option(&self) -> bool {
        self.value.is_none() && self.may_be_option()
    }
}

/// What a left-to-right look at a word's source finds.
#[derive(Default)]
struct Scan {
    value: String,
    /// The value up to the first thing that is not certain.
    prefix: Option<String>,
    unknown: bool,
    glob: bool,
    /// There is something outside of one pair of double quotes.
    leaves_string: bool,
}

impl Scan {
    fn of(source: &str) -> Self {
        let mut scan = Self::default();
        let mut chars = source.chars().peekable();
        let mut in_string = false;
        let mut strings = 0;
        while let Some(c) = chars.next() {
            if c == '"' {
                in_string = !in_string;
                strings += usize::from(in_string);
                scan.leaves_string |= strings > 1;
                continue;
            }
            scan.leaves_string |= !in_string;
            match c {
                '\'' if !in_string => scan.value.extend(chars.by_ref().take_while(|c| *c != '\'')),
                '\\' => match chars.next() {
                    Some('\n') => {}
                    Some(next) if in_string && !matches!(next, '$' | '`' | '"' | '\\') => {
                        scan.value.push('\\');
                        scan.value.push(next);
                    }
                    Some(next) => scan.value.push(next),
                    None => scan.unknown = true,
                },
                '$' if chars.peek().is_none_or(|next| matches!(next, ' ' | '"') && in_string) => {
                    scan.value.push('$');
                }
                '$' | '`' => scan.uncertain(),
                '*' | '?' | '[' if !in_string => {
                    scan.prefix.get_or_insert_with(|| scan.value.clone());
                    scan.glob = true;
                    scan.value.push(c);
                }
                '{' if !in_string && chars.peek() != Some(&'}') => scan.uncertain(),
                _ => scan.value.push(c),
            }
        }
        // A lone bracket is the `[` command or its end, and a test's operator is no pattern.
        if source == "[" {
            scan.glob = false;
        }
        scan
    }

    fn uncertain(&mut self) {
        self.unknown = true;
        let value = self.value.clone();
        self.prefix.get_or_insert(value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_known_only_when_nothing_is_left_to_the_run() {
        for (source, value) in [
            ("ls", Some("ls")),
            ("'a b'", Some("a b")),
            ("\"a b\"c", Some("a bc")),
            ("a\\ b", Some("a b")),
            ("\"a\\n\"", Some("a\\n")),
            ("\"x$\"", Some("x$")),
            ("{}", Some("{}")),
            ("$x", None),
            ("\"$x\"", None),
            ("`x`", None),
            ("*.rs", None),
            ("{a,b}", None),
            ("$'a'", None),
        ] {
            assert_eq!(Word::read(source).value.as_deref(), value, "{source}");
        }
    }

    #[test]
    fn what_could_become_an_option_is_told() {
        for (source, may) in [
            ("-x", true),
            ("-", false),
            ("'-x'", true),
            ("$x", true),
            ("\"$x\"", true),
            ("*", true),
            ("./*", false),
            ("\"a$x\"", false),
            ("a$x", true),
            ("{a,-b}", true),
            ("a", false),
        ] {
            assert_eq!(Word::read(source).may_be_option(), may, "{source}");
        }
    }
}
