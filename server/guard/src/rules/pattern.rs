//! What stands in a rule's parentheses, and how well it fits a call.

use std::path::Path;

use super::paths::Paths;
use super::{Rule, RuleError, Subject};
use crate::shell::{Part, What, Word, assigned_name, base_name, harmless_name, understand};

/// How well a rule fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fit {
    No,
    /// The rule cannot be read, so nobody knows what it is about.
    Unread,
    /// What the run adds decides it.
    Maybe,
    /// Behind an assignment that tells other programs what to do: enough to forbid, too little to grant.
    Behind,
    /// By a wildcard that takes in much.
    Wide,
    /// It spells the subject out, or is for the whole tool.
    Exact,
}

#[derive(Debug, Clone)]
pub(super) enum Pattern {
    All,
    Command(Vec<PatternWord>),
    Path(Paths),
    Host(String),
    Key(String),
    /// Written in a way that is no rule; it may be about anything of its tool.
    Unread,
}

#[derive(Debug, Clone)]
pub(super) enum PatternWord {
    /// A `*` alone: any words, or none.
    Any,
    Word(Word),
}

/// Tools that a rule for one of them covers alike.
const FILE_TOOLS: [&[&str]; 2] = [&["Read", "Glob", "Grep"], &["Edit", "Write"]];

/// Tools whose rules name hosts: what an agent fetches, and what its commands reach.
const HOST_TOOLS: [&str; 2] = ["WebFetch", "Network"];

/// Stands for every tool in a rule of which not even that can be read.
pub(super) const ANY_TOOL: &str = "*";

/// Whether rules for the tool are about files that are read.
pub(super) fn reads_files(tool: &str) -> bool {
    group(tool).is_some_and(|group| group.contains(&"Read"))
}

fn group(tool: &str) -> Option<&'static [&'static str]> {
    FILE_TOOLS.into_iter().find(|group| group.contains(&tool))
}

impl Pattern {
    pub(super) fn read(tool: &str, text: &str) -> Result<Self, RuleError> {
        let rule = || format!("{tool}({text})");
        if tool == "Bash" {
            let mut parts = understand(text).parts.into_iter().filter(|part| !part.words.is_empty());
            return match parts.next() {
                Some(part) if part.what == What::Command && part.text() == text.trim() => {
                    Ok(Self::Command(part.words.into_iter().map(pattern_word).collect()))
                }
                _ => Err(RuleError::NotOneCommand(rule())),
            };
        }
        if group(tool).is_some() {
            return Paths::read(text)
                .map(Self::Path)
                .map_err(|error| RuleError::BadGlob { rule: rule(), problem: error.kind().to_string() });
        }
        if HOST_TOOLS.contains(&tool) {
            let name = text.strip_prefix("*.").unwrap_or(text);
            let is_host =
                !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._:".contains(&b));
            return if is_host {
                Ok(Self::Host(text.to_ascii_lowercase()))
            } else {
                Err(RuleError::BadHost(rule()))
            };
        }
        Ok(Self::Key(text.to_owned()))
    }
}

fn pattern_word(word: Word) -> PatternWord {
    if word.source == "*" { PatternWord::Any } else { PatternWord::Word(word) }
}

/// A key with everything that would be a wildcard in a pattern of the tool escaped.
pub(super) fn escaped(tool: &str, key: &str) -> String {
    if group(tool).is_none() {
        return key.to_owned();
    }
    let mut text = String::with_capacity(key.len());
    for c in key.chars() {
        if matches!(c, '*' | '?' | '[' | ']' | '{' | '}' | '\\' | '!') {
            text.push('\\');
        }
        text.push(c);
    }
    text
}

impl Rule {
    pub(super) fn fit(&self, subject: Subject<'_>) -> Fit {
        let is_tool = match subject {
            _ if self.tool == ANY_TOOL => !matches!(subject, Subject::Key { .. }),
            Subject::Command(_) | Subject::Unclear => self.tool == "Bash",
            Subject::Host(_) => HOST_TOOLS.contains(&self.tool.as_str()),
            Subject::Path { tool, .. } | Subject::Spread { tool, .. } | Subject::Key { tool, .. } => {
                self.tool == tool || group(tool).is_some_and(|group| group.contains(&self.tool.as_str()))
            }
        };
        if !is_tool {
            return Fit::No;
        }
        match (&self.pattern, subject) {
            (Pattern::All, _) => Fit::Exact,
            (Pattern::Unread, _) => Fit::Unread,
            (Pattern::Command(_), Subject::Unclear) => Fit::Maybe,
            (Pattern::Command(pattern), Subject::Command(part)) => fit_command(pattern, part),
            (Pattern::Path(paths), Subject::Path { path, workspace, .. }) => paths.fit(path, workspace),
            (Pattern::Path(paths), Subject::Spread { pattern, workspace, .. })
                if paths.overlap(pattern, workspace) =>
            {
                Fit::Maybe
            }
            (Pattern::Path(paths), Subject::Key { key: Some(key), .. }) if paths.is_match(Path::new(key)) => {
                Fit::Wide
            }
            (Pattern::Host(pattern), Subject::Host(host)) if host_fits(pattern, host) => Fit::Exact,
            (Pattern::Host(pattern), Subject::Key { key: Some(key), .. }) if host_fits(pattern, key) => {
                Fit::Exact
            }
            (Pattern::Key(pattern), Subject::Key { key: Some(key), .. }) if pattern == key => Fit::Exact,
            _ => Fit::No,
        }
    }
}

/// `host` may have a port behind it; a pattern with a port is for that one.
fn host_fits(pattern: &str, host: &str) -> bool {
    if pattern == host {
        return true;
    }
    let host = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) && !name.ends_with(':') => name,
        _ => host,
    };
    match pattern.strip_prefix("*.") {
        Some(domain) => host.strip_suffix(domain).is_some_and(|rest| rest.ends_with('.')),
        None => pattern == host,
    }
}

fn fit_command(pattern: &[PatternWord], part: &Part) -> Fit {
    if part.what != What::Command {
        return Fit::No;
    }
    // Assignments that tell no program what to do are no part of what a rule is about.
    let own = part.words.iter().position(|word| !assigned_name(word).is_some_and(harmless_name)).unwrap_or(0);
    let bare = part.words.iter().position(|word| assigned_name(word).is_none()).unwrap_or(0);
    let mut best = Fit::No;
    for from in [0, own, bare] {
        let words = part.words.get(from..).unwrap_or_default();
        let fit = fit_words(pattern, words);
        // Past an assignment that matters, a grant does not reach, but a denial does.
        best = best.max(if from > own { fit.min(Fit::Behind) } else { fit });
    }
    best
}

fn fit_words(pattern: &[PatternWord], words: &[Word]) -> Fit {
    if surely_fits(pattern, words) {
        let wide = pattern.iter().any(|word| matches!(word, PatternWord::Any));
        return if wide { Fit::Wide } else { Fit::Exact };
    }
    if may_fit(pattern, words) { Fit::Maybe } else { Fit::No }
}

/// Wildcard matching over words, with the last `*` taken back when what follows does not fit.
fn surely_fits(pattern: &[PatternWord], words: &[Word]) -> bool {
    let (mut at, mut word) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while word < words.len() {
        match (pattern.get(at), words.get(word)) {
            (Some(PatternWord::Any), _) => {
                star = Some((at, word));
                at += 1;
            }
            (Some(PatternWord::Word(pattern)), Some(text)) if word_fits(pattern, text, word == 0) => {
                at += 1;
                word += 1;
            }
            _ => match star {
                Some((star_at, star_word)) => {
                    at = star_at + 1;
                    word = star_word + 1;
                    star = Some((star_at, star_word + 1));
                }
                None => return false,
            },
        }
    }
    pattern.get(at..).unwrap_or_default().iter().all(|word| matches!(word, PatternWord::Any))
}

/// Whether words that only the run tells could make it fit.
fn may_fit(pattern: &[PatternWord], words: &[Word]) -> bool {
    if words.iter().all(|word| word.value.is_some()) {
        return false;
    }
    let mut rest = words.iter().enumerate();
    for pattern in pattern {
        let PatternWord::Word(pattern) = pattern else { return true };
        match rest.next() {
            None => return false,
            Some((_, word)) if word.value.is_none() && word.splits => return true,
            Some((_, word)) if word.value.is_none() => {}
            Some((at, word)) if word_fits(pattern, word, at == 0) => {}
            Some(_) => return false,
        }
    }
    rest.all(|(_, word)| word.splits)
}

fn word_fits(pattern: &Word, word: &Word, is_name: bool) -> bool {
    if pattern.source == word.source {
        return true;
    }
    let Some(text) = word.known() else { return false };
    let text = if is_name { base_name(text) } else { text };
    match (pattern.known(), &pattern.glob) {
        (Some(value), _) => value == text,
        (None, Some(glob)) => wildcard_fits(glob, text),
        (None, None) => false,
    }
}

/// `*` within a word: anything that does not go to another folder.
fn wildcard_fits(pattern: &str, text: &str) -> bool {
    if text.split('/').any(|piece| piece == "..") {
        return false;
    }
    let (pattern, text): (Vec<char>, Vec<char>) = (pattern.chars().collect(), text.chars().collect());
    let (mut at, mut from) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while let Some(c) = text.get(from) {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at, from));
                at += 1;
            }
            Some(p) if p == c || (*p == '?' && *c != '/') => {
                at += 1;
                from += 1;
            }
            _ => match star {
                Some((star_at, star_from)) if text.get(star_from) != Some(&'/') => {
                    star = Some((star_at, star_from + 1));
                    at = star_at + 1;
                    from = star_from + 1;
                }
                _ => return false,
            },
        }
    }
    pattern.get(at..).unwrap_or_default().iter().all(|p| *p == '*')
}
