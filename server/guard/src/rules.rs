//! Rules as text, `Tool` or `Tool(pattern)`, and the set of them that holds for a member.

use std::fmt;
use std::str::FromStr;

use swarm_wire::permission::{Behavior, RuleUpdate};

/// Matches a tool's calls: all of them, or those with exactly this key (a path or a command).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    pub tool: String,
    pub pattern: Option<String>,
}

/// Why a rule's text was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RuleError {
    #[error("the rule `{0}` names no tool; one is written `Tool` or `Tool(pattern)`")]
    NoTool(String),
    #[error("the rule `{0}` opens a parenthesis that it does not close at its end")]
    Unclosed(String),
}

impl FromStr for Rule {
    type Err = RuleError;

    fn from_str(text: &str) -> Result<Self, RuleError> {
        let (tool, pattern) = match text.split_once('(') {
            None => (text, None),
            Some((tool, rest)) => {
                let pattern = rest.strip_suffix(')').ok_or_else(|| RuleError::Unclosed(text.to_owned()))?;
                (tool, Some(pattern.to_owned()))
            }
        };
        if tool.is_empty() || !tool.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            return Err(RuleError::NoTool(text.to_owned()));
        }
        Ok(Self { tool: tool.to_owned(), pattern })
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.pattern {
            Some(pattern) => write!(f, "{}({pattern})", self.tool),
            None => f.write_str(&self.tool),
        }
    }
}

/// The rules that hold for one member.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rules(Vec<(Behavior, Rule)>);

impl Rules {
    /// Adds the rules of an update; nothing is added when one of them is no rule.
    pub fn add(&mut self, update: &RuleUpdate) -> Result<(), RuleError> {
        let rules: Vec<Rule> = update.rules.iter().map(|text| text.parse()).collect::<Result<_, _>>()?;
        self.0.extend(rules.into_iter().map(|rule| (update.behavior, rule)));
        Ok(())
    }

    /// The strictest behaviour that covers the call, with its rule: a denial wins over a question over a grant.
    ///
    /// A call touches one or more `keys`. One key that is denied or asked for decides the call; a grant must
    /// cover every key.
    pub fn verdict(&self, tool: &str, keys: &[String]) -> Option<(Behavior, &Rule)> {
        let covers = |rule: &Rule, key: &String| rule.pattern.as_ref().is_none_or(|pattern| pattern == key);
        for behavior in [Behavior::Deny, Behavior::Ask] {
            let hit = self
                .of(tool, behavior)
                .find(|rule| rule.pattern.is_none() || keys.iter().any(|k| covers(rule, k)));
            if let Some(rule) = hit {
                return Some((behavior, rule));
            }
        }
        let granted = |key| self.of(tool, Behavior::Allow).find(|rule| covers(rule, key));
        let first = match keys.first() {
            Some(key) => granted(key),
            None => self.of(tool, Behavior::Allow).find(|rule| rule.pattern.is_none()),
        }?;
        keys.iter().all(|key| granted(key).is_some()).then_some((Behavior::Allow, first))
    }

    fn of(&self, tool: &str, behavior: Behavior) -> impl Iterator<Item = &Rule> {
        self.0.iter().filter(move |(b, rule)| *b == behavior && rule.tool == tool).map(|(_, rule)| rule)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use swarm_wire::permission::Scope;

    fn rules(list: &[(Behavior, &str)]) -> Rules {
        let mut rules = Rules::default();
        for (behavior, rule) in list {
            let update =
                RuleUpdate { rules: vec![(*rule).to_owned()], behavior: *behavior, scope: Scope::Session };
            rules.add(&update).unwrap();
        }
        rules
    }

    fn behavior(rules: &Rules, tool: &str, keys: &[&str]) -> Option<Behavior> {
        let keys: Vec<String> = keys.iter().map(|k| (*k).to_owned()).collect();
        rules.verdict(tool, &keys).map(|(behavior, _)| behavior)
    }

    #[test]
    fn rules_round_trip_and_bad_ones_are_named() {
        for text in ["Bash", "Bash(sh -c 'a(b)')", "Edit(src/a b.rs)"] {
            assert_eq!(text.parse::<Rule>().unwrap().to_string(), text);
        }
        assert!(matches!("".parse::<Rule>(), Err(RuleError::NoTool(_))));
        assert!(matches!("(x)".parse::<Rule>(), Err(RuleError::NoTool(_))));
        assert!(matches!("Bash(x".parse::<Rule>(), Err(RuleError::Unclosed(_))));
    }

    #[test]
    fn a_denial_wins_over_a_grant_whatever_the_order() {
        let rules = rules(&[(Behavior::Allow, "Bash"), (Behavior::Deny, "Bash(rm x)")]);
        assert_eq!(behavior(&rules, "Bash", &["rm x"]), Some(Behavior::Deny));
        assert_eq!(behavior(&rules, "Bash", &["ls"]), Some(Behavior::Allow));
        assert_eq!(behavior(&rules, "Edit", &["x"]), None);
    }

    #[test]
    fn a_grant_must_cover_every_key_and_never_matches_a_prefix() {
        let rules = rules(&[(Behavior::Allow, "Edit(a)"), (Behavior::Allow, "Edit(b)")]);
        assert_eq!(behavior(&rules, "Edit", &["a", "b"]), Some(Behavior::Allow));
        assert_eq!(behavior(&rules, "Edit", &["a", "c"]), None);
        assert_eq!(behavior(&rules, "Edit", &["ab"]), None);
    }
}
