//! Rules as text, `Tool` or `Tool(pattern)`, and the set of them that holds for a member.
//!
//! Reads no files: whoever builds the set says where each rule comes from and whether its source is trusted.

mod paths;
mod pattern;

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use swarm_wire::permission::{Behavior, RuleUpdate, Scope};
use swarm_wire::process::HeldRule;

use crate::shell::Part;
pub(crate) use pattern::Fit;
use pattern::{ANY_TOOL, Pattern};

/// Matches a tool's calls: all of them, or those that its pattern fits. What a pattern is depends on the tool:
/// words of one simple command for Bash, a glob of paths for the file tools, a host for WebFetch, otherwise the
/// very key of the call.
#[derive(Debug, Clone)]
pub struct Rule {
    tool: String,
    text: Option<String>,
    pattern: Pattern,
}

/// Why a rule's text was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RuleError {
    #[error("the rule `{0}` names no tool; one is written `Tool` or `Tool(pattern)`")]
    NoTool(String),
    #[error("the rule `{0}` opens a parenthesis that it does not close at its end")]
    Unclosed(String),
    #[error("the rule `{0}` is not one simple command; write one rule for each command of a compound")]
    NotOneCommand(String),
    #[error("the rule `{rule}` has a pattern of paths that is none: {problem}")]
    BadGlob { rule: String, problem: String },
    #[error("the rule `{0}` names no host; one is written `example.com` or `*.example.com`")]
    BadHost(String),
}

impl FromStr for Rule {
    type Err = RuleError;

    fn from_str(text: &str) -> Result<Self, RuleError> {
        let (tool, pattern) = match text.split_once('(') {
            None => (text, None),
            Some((tool, rest)) => {
                let pattern = rest.strip_suffix(')').ok_or_else(|| RuleError::Unclosed(text.to_owned()))?;
                (tool, Some(pattern))
            }
        };
        if tool.is_empty() || !tool.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            return Err(RuleError::NoTool(text.to_owned()));
        }
        Ok(Self {
            tool: tool.to_owned(),
            text: pattern.map(str::to_owned),
            pattern: pattern.map_or(Ok(Pattern::All), |pattern| Pattern::read(tool, pattern))?,
        })
    }
}

impl PartialEq for Rule {
    fn eq(&self, other: &Self) -> bool {
        self.tool == other.tool && self.text == other.text
    }
}

impl Eq for Rule {}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.text {
            Some(text) if matches!(self.pattern, Pattern::Unread) => f.write_str(text),
            Some(text) => write!(f, "{}({text})", self.tool),
            None => f.write_str(&self.tool),
        }
    }
}

impl Rule {
    /// What stands for a text that is no rule: it may be about every call of the tool that it names, or of any.
    fn unread(text: &str) -> Self {
        let name = text.split('(').next().unwrap_or_default().trim();
        let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        let tool = if is_name { name } else { ANY_TOOL };
        Self { tool: tool.to_owned(), text: Some(text.to_owned()), pattern: Pattern::Unread }
    }

    /// The rule for exactly this path, host or key of a tool that takes no commands.
    pub(crate) fn exactly(tool: &str, key: &str) -> Option<Self> {
        format!("{tool}({})", pattern::escaped(tool, key)).parse().ok()
    }

    /// The rule for exactly this command; none when no rule says just that.
    pub(crate) fn for_command(text: &str) -> Option<Self> {
        format!("Bash({text})").parse().ok()
    }

    /// How well it fits a part of a command.
    pub(crate) fn fit_of(&self, part: &Part) -> Fit {
        self.fit(Subject::Command(part))
    }
}

/// Whether the source of a rule is to be believed. What is not believed can forbid and ask, but not grant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    Trusted,
    /// Such as a project's file whose content the user has not looked at.
    Untrusted,
}

/// A rule as it decided a call: its text and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    pub rule: String,
    pub scope: Scope,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    behavior: Behavior,
    scope: Scope,
    standing: Standing,
    rule: Rule,
}

/// The rules that hold for one member.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rules(Vec<Entry>);

/// One thing that rules are held against.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Subject<'a> {
    Command(&'a Part),
    Path {
        tool: &'a str,
        path: &'a Path,
        workspace: &'a Path,
    },
    /// Files that a pattern of bash names, made absolute; which they are, only the run tells.
    Spread {
        tool: &'a str,
        pattern: &'a Path,
        workspace: &'a Path,
    },
    Host(&'a str),
    Key {
        tool: &'a str,
        key: Option<&'a str>,
    },
    /// A part of a command that may hold anything.
    Unclear,
}

impl Rules {
    /// Adds the rules of an update; nothing is added when one of them is no rule.
    pub fn add(&mut self, update: &RuleUpdate) -> Result<(), RuleError> {
        self.add_from(update, Standing::Trusted)
    }

    /// Adds the rules of an update from a source of this standing.
    pub fn add_from(&mut self, update: &RuleUpdate, standing: Standing) -> Result<(), RuleError> {
        let rules: Vec<Rule> = update.rules.iter().map(|text| text.parse()).collect::<Result<_, _>>()?;
        let (behavior, scope) = (update.behavior, update.scope);
        self.0.extend(rules.into_iter().map(|rule| Entry { behavior, scope, standing, rule }));
        Ok(())
    }

    /// Adds what stands where a rule that forbids or asks should, and is none: whatever it may be about is put to a
    /// person. What cannot be read grants nothing.
    pub fn add_unread(&mut self, text: &str, behavior: Behavior, scope: Scope) {
        if behavior != Behavior::Allow {
            let rule = Rule::unread(text);
            self.0.push(Entry { behavior, scope, standing: Standing::Untrusted, rule });
        }
    }

    /// Those among them that forbid reading certain files.
    pub(crate) fn forbidding_files(&self) -> Self {
        let forbids = |entry: &&Entry| {
            let is_for_files = matches!(entry.rule.pattern, Pattern::Path(_));
            entry.behavior == Behavior::Deny && is_for_files && pattern::reads_files(&entry.rule.tool)
        };
        Self(self.0.iter().filter(forbids).cloned().collect())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether one of them is about this file, by its absolute path.
    pub(crate) fn forbid_file(&self, file: &Path, workspace: &Path) -> bool {
        self.paths().any(|paths| paths.fit(file, workspace) > Fit::No)
    }

    /// Whether one of them is about all that is in this folder.
    pub(crate) fn forbid_folder(&self, folder: &Path, workspace: &Path) -> bool {
        self.paths().any(|paths| paths.covers(folder, workspace))
    }

    fn paths(&self) -> impl Iterator<Item = &paths::Paths> {
        self.0.iter().filter_map(|entry| match &entry.rule.pattern {
            Pattern::Path(paths) => Some(paths),
            _ => None,
        })
    }

    /// The rules as they go to another process.
    pub fn held(&self) -> Vec<HeldRule> {
        let held = self.0.iter().map(|entry| HeldRule {
            rule: entry.rule.to_string(),
            behavior: entry.behavior,
            scope: entry.scope,
            trusted: entry.standing == Standing::Trusted,
        });
        held.collect()
    }

    /// The rules as they came from another process; one that cannot be read grants nothing.
    pub fn of_held(held: &[HeldRule]) -> Self {
        let mut rules = Self::default();
        for HeldRule { rule, behavior, scope, trusted } in held {
            let standing = if *trusted { Standing::Trusted } else { Standing::Untrusted };
            let update = RuleUpdate { rules: vec![rule.clone()], behavior: *behavior, scope: *scope };
            if rules.add_from(&update, standing).is_err() {
                rules.add_unread(rule, *behavior, *scope);
            }
        }
        rules
    }

    /// Puts the rules of `from` that are of these scopes in place of those here. False when that changes nothing.
    pub fn replace(&mut self, scopes: &[Scope], from: &Self) -> bool {
        let (old, kept): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.0).into_iter().partition(|entry| scopes.contains(&entry.scope));
        let new: Vec<_> = from.0.iter().filter(|entry| scopes.contains(&entry.scope)).cloned().collect();
        let changed = old != new;
        self.0 = kept.into_iter().chain(new).collect();
        changed
    }

    /// The first rule of this behaviour that fits at least so well, the best fit first.
    pub(crate) fn find(&self, behavior: Behavior, subject: Subject<'_>, least: Fit) -> Option<(Fit, Origin)> {
        let fitting = self.0.iter().filter(|entry| entry.behavior == behavior).filter_map(|entry| {
            let fit = entry.rule.fit(subject);
            (fit >= least).then_some((fit, entry))
        });
        let best = fitting.reduce(|best, next| if next.0 > best.0 { next } else { best });
        best.map(|(fit, entry)| (fit, entry.origin()))
    }

    /// The grant that covers the subject. `secret`: only one that spells the subject out.
    pub(crate) fn grant(&self, subject: Subject<'_>, secret: bool) -> Option<Origin> {
        let least = if secret { Fit::Exact } else { Fit::Wide };
        let granting =
            |entry: &&Entry| entry.behavior == Behavior::Allow && entry.standing == Standing::Trusted;
        self.0.iter().filter(granting).find(|entry| entry.rule.fit(subject) >= least).map(Entry::origin)
    }

    /// The grant that would cover the subject if its source were trusted.
    pub(crate) fn untrusted_grant(&self, subject: Subject<'_>) -> Option<Origin> {
        let granting =
            |entry: &&Entry| entry.behavior == Behavior::Allow && entry.standing == Standing::Untrusted;
        self.0.iter().filter(granting).find(|entry| entry.rule.fit(subject) >= Fit::Wide).map(Entry::origin)
    }
}

impl Entry {
    fn origin(&self) -> Origin {
        Origin { rule: self.rule.to_string(), scope: self.scope }
    }
}

#[cfg(test)]
mod tests;
