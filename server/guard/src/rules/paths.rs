//! A pattern of paths in a rule: which files and folders it is about.

use std::path::Path;

use globset::{GlobBuilder, GlobMatcher};

use super::Fit;

/// `src/*.rs`, `secrets/**`, `/etc/hosts`: relative to the workspace unless it begins with `/`.
#[derive(Debug, Clone)]
pub(super) struct Paths {
    glob: GlobMatcher,
    absolute: bool,
    names_file: bool,
}

impl Paths {
    pub(super) fn read(text: &str) -> Result<Self, globset::Error> {
        let text = text.strip_prefix("./").unwrap_or(text);
        let glob = GlobBuilder::new(text).literal_separator(true).backslash_escape(true).build()?;
        let last = text.rsplit('/').next().unwrap_or_default();
        Ok(Self {
            glob: glob.compile_matcher(),
            absolute: text.starts_with('/'),
            names_file: last.chars().any(|c| c.is_alphanumeric()),
        })
    }

    pub(super) fn is_match(&self, path: &Path) -> bool {
        self.glob.is_match(path)
    }

    /// How well it fits a file or folder, by its absolute path.
    pub(super) fn fit(&self, path: &Path, workspace: &Path) -> Fit {
        match self.is_match(self.seen(path, workspace)) {
            true if self.names_file => Fit::Exact,
            true => Fit::Wide,
            false if self.covers(path, workspace) => Fit::Wide,
            false => Fit::No,
        }
    }

    /// Whether it is about all that is in a folder, whatever it is called.
    pub(super) fn covers(&self, folder: &Path, workspace: &Path) -> bool {
        let text = self.glob.glob().glob();
        (text == "**" || text.ends_with("/**")) && self.is_match(&self.seen(folder, workspace).join("a"))
    }

    /// Whether a pattern of bash could come to name a file that it is about. Wildcards on both sides count as
    /// fitting, so it may say yes too often.
    pub(super) fn overlap(&self, pattern: &Path, workspace: &Path) -> bool {
        let rule = self.glob.glob().glob();
        let alternatives_across = rule.split_once('{').is_some_and(|(_, rest)| rest.contains('/'));
        let pattern = self.seen(pattern, workspace).to_string_lossy();
        alternatives_across || folders_overlap(&pieces(rule), &pieces(&pattern))
    }

    fn seen<'p>(&self, path: &'p Path, workspace: &Path) -> &'p Path {
        if self.absolute { path } else { path.strip_prefix(workspace).unwrap_or(path) }
    }
}

fn pieces(path: &str) -> Vec<&str> {
    path.split('/').filter(|piece| !piece.is_empty()).collect()
}

/// Row by row: whether the first pieces of the rule and the first pieces of the pattern can be the same path.
fn folders_overlap(rule: &[&str], pattern: &[&str]) -> bool {
    let mut row = vec![false; pattern.len() + 1];
    if let Some(start) = row.first_mut() {
        *start = true;
    }
    for (at, piece) in rule.iter().enumerate() {
        // At its end it takes at least one piece: a folder itself is no file in it.
        let takes_none = *piece == "**" && at + 1 < rule.len();
        let mut next = vec![takes_none && row.first().copied().unwrap_or(false)];
        for (column, theirs) in pattern.iter().enumerate() {
            let diagonal = row.get(column).copied().unwrap_or(false);
            let above = row.get(column + 1).copied().unwrap_or(false);
            let left = next.last().copied().unwrap_or(false);
            next.push(match *piece {
                "**" => diagonal || left || (takes_none && above),
                own => diagonal && pieces_overlap(own, theirs),
            });
        }
        row = next;
    }
    row.last().copied().unwrap_or(false)
}

fn pieces_overlap(own: &str, theirs: &str) -> bool {
    let is_literal = |piece: &str| !piece.contains(['*', '?', '[', '{', '\\']);
    let fits = |glob: &str, name: &str| {
        GlobBuilder::new(glob).build().is_ok_and(|glob| glob.compile_matcher().is_match(name))
    };
    match (is_literal(own), is_literal(theirs)) {
        (true, true) => own == theirs,
        (true, false) => fits(theirs, own),
        (false, true) => fits(own, theirs),
        (false, false) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn overlaps(rule: &str, pattern: &str) -> bool {
        Paths::read(rule).unwrap().overlap(&Path::new("/w").join(pattern), Path::new("/w"))
    }

    #[test]
    fn a_pattern_of_bash_that_can_come_to_name_a_file_of_the_rule_overlaps() {
        for (rule, pattern) in [
            ("secrets/**", "secrets/*"),
            ("secrets/**", "s*/a"),
            ("secrets/**", "*/*"),
            ("secrets/**", "secrets/a/b*"),
            ("**/key.txt", "*.txt"),
            ("**/key.txt", "a/b/k*"),
            ("/w/secrets/a", "secrets/?"),
            ("a/{b,c}/d", "a/*/d"),
            ("{a/b,c}", "*"),
            ("*.pem", "[a-z]*.pem"),
        ] {
            assert!(overlaps(rule, pattern), "{rule} {pattern}");
        }
        for (rule, pattern) in [
            ("secrets/**", "*"),
            ("secrets/**", "*.rs"),
            ("secrets/**", "src/*"),
            ("secrets/**", "src/*/x"),
            ("**/key.txt", "*.rs"),
            ("key.txt", "a/*.txt"),
            ("/etc/hosts", "h*"),
        ] {
            assert!(!overlaps(rule, pattern), "{rule} {pattern}");
        }
    }
}
