//! Files that hold keys, tokens and passwords, told by their names: reading one asks.

use std::borrow::Cow;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

/// Name patterns, one a line; a pattern with a `/` matches the end of the path.
const KNOWN: &str = include_str!("secrets.txt");

/// Names that a pattern in a command (`cat .e*`) is tried against.
const EXAMPLES: [&str; 14] = [
    ".env",
    ".env.local",
    ".env.production",
    "id_rsa",
    "id_ed25519",
    "server.pem",
    "server.key",
    ".npmrc",
    ".netrc",
    ".pypirc",
    ".git-credentials",
    "credentials.json",
    ".aws/credentials",
    ".ssh/id_rsa",
];

/// Which files are secret.
#[derive(Debug, Clone)]
pub struct Secrets {
    names: GlobSet,
    further: Vec<String>,
}

impl Secrets {
    /// The known ones, and those that further patterns match. An error names the pattern that is none.
    pub fn with(further: &[String]) -> Result<Self, globset::Error> {
        let mut set = GlobSetBuilder::new();
        let known = KNOWN.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        for pattern in known.chain(further.iter().map(String::as_str)) {
            let anywhere = format!("**/{}", pattern.trim_start_matches('/'));
            set.add(GlobBuilder::new(&anywhere).literal_separator(true).case_insensitive(true).build()?);
        }
        Ok(Self { names: set.build()?, further: further.to_vec() })
    }

    /// The patterns beside the known ones.
    pub fn further(&self) -> &[String] {
        &self.further
    }

    /// Whether the path, absolute or not, names a secret. Examples and templates are none.
    pub fn holds(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        let is_template =
            [".example", ".sample", ".template", ".dist", ".pub"].iter().any(|end| name.ends_with(end));
        !is_template && self.names.is_match(path.trim_start_matches("./"))
    }

    /// Whether a pattern of file names, as bash knows them, reaches for secrets: what it spells out fits one.
    pub(crate) fn reached_by(&self, pattern: &str) -> bool {
        let last = pattern.rsplit('/').next().unwrap_or(pattern);
        let spells = last.chars().filter(|c| !matches!(c, '*' | '?' | '[' | ']')).count();
        if self.holds(pattern) {
            return true;
        }
        // `*` and `*.*` reach for everything and for nothing in particular; bash leaves hidden names out of them.
        if spells == 0 || last == "*.*" {
            return false;
        }
        let Ok(glob) = GlobBuilder::new(last).literal_separator(true).build() else { return true };
        let matcher = glob.compile_matcher();
        let hidden = last.starts_with(['.', '[']);
        EXAMPLES
            .iter()
            .filter_map(|example| example.rsplit('/').next())
            .any(|name| (hidden || !name.starts_with('.')) && matcher.is_match(name))
    }

    /// Whether a text holds the name of a secret between other things, as a script in a word does.
    pub(crate) fn named_within(&self, text: &str) -> bool {
        let part_of_name = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '/' | '~');
        text.split(|c: char| !part_of_name(c)).any(|piece| !piece.is_empty() && self.holds(piece))
    }
}

/// Characters of a name in an address from which on it is taken for a token.
const TOKEN_LENGTH: usize = 20;

/// The text with passwords and tokens in addresses (`https://name:token@host`) starred out, as `git remote -v` shows
/// them.
pub fn without_passwords(text: &str) -> Cow<'_, str> {
    let (mut shown, mut rest) = (String::new(), text);
    while let Some((before, behind)) = rest.split_once("://") {
        let end = behind.find(|c: char| c == '/' || c == '@' || c.is_whitespace() || c.is_control());
        let user = behind.get(..end.unwrap_or(behind.len())).unwrap_or_default();
        let is_user = behind.get(user.len()..).is_some_and(|next| next.starts_with('@'));
        shown.push_str(before);
        shown.push_str("://");
        rest = behind;
        if is_user && (user.contains(':') || user.len() >= TOKEN_LENGTH) {
            shown.push_str("***");
            rest = behind.get(user.len()..).unwrap_or_default();
        }
    }
    if shown.is_empty() {
        return Cow::Borrowed(text);
    }
    shown.push_str(rest);
    Cow::Owned(shown)
}

impl Default for Secrets {
    fn default() -> Self {
        // The known patterns are tested to be patterns.
        Self::with(&[]).unwrap_or(Self { names: GlobSet::empty(), further: Vec::new() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_known_by_their_names() {
        let secrets = Secrets::with(&["*.vault".to_owned()]).unwrap();
        for path in [
            ".env",
            "./.env",
            "a/.env.local",
            "/w/.ENV",
            "~/.ssh/id_ed25519",
            "x/server.pem",
            "/h/.aws/credentials",
            ".npmrc",
            "/h/.netrc",
            "my.vault",
            "/h/.kube/config",
            "a/secrets.yaml",
        ] {
            assert!(secrets.holds(path), "{path}");
        }
        for path in
            ["env", ".env.example", "src/environment.rs", "id_rsa.pub", "a.pem.txt", "config", "README.md"]
        {
            assert!(!secrets.holds(path), "{path}");
        }
    }

    #[test]
    fn a_pattern_reaches_for_secrets_when_it_spells_one_out() {
        let secrets = Secrets::default();
        for pattern in [".e*", ".en?", ".[e]nv", "id_*", "*.pem", "a/.env*", ".*"] {
            assert!(secrets.reached_by(pattern), "{pattern}");
        }
        for pattern in ["*", "*.rs", "src/*", "*.*", "a?"] {
            assert!(!secrets.reached_by(pattern), "{pattern}");
        }
    }

    #[test]
    fn passwords_in_addresses_are_starred_out() {
        for (text, shown) in [
            ("origin https://ada:hunter2@example.com/x (fetch)", "origin https://***@example.com/x (fetch)"),
            ("https://ghp_0123456789abcdefghij@example.com", "https://***@example.com"),
            (
                "ssh://git@example.com/x https://example.com/a:b@c",
                "ssh://git@example.com/x https://example.com/a:b@c",
            ),
            ("a://b:c@d a://b:c@d", "a://***@d a://***@d"),
            ("no address: a@b://", "no address: a@b://"),
        ] {
            assert_eq!(without_passwords(text), shown);
        }
    }

    #[test]
    fn a_script_that_names_a_secret_is_seen() {
        assert!(Secrets::default().named_within("print(open('.env').read())"));
        assert!(!Secrets::default().named_within("print(open('a.txt').read())"));
    }
}
