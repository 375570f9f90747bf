//! Rules as text, `Tool` or `Tool(pattern)`, and the set of them that holds for a member.
//!
//! Reads no files: whoever builds the set says where each rule comes from and whether its source is trusted.

mod pattern;

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use swarm_wire::permission::{Behavior, RuleUpdate, Scope};

use crate::shell::Part;
pub(crate) use pattern::Fit;
use pattern::Pattern;

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
            Some(text) => write!(f, "{}({text})", self.tool),
            None => f.write_str(&self.tool),
        }
    }
}

impl Rule {
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
