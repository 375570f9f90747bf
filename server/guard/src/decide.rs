//! Effect × mode × rules → allow, ask or deny, and why.

use std::path::{Component, Path, PathBuf};

use swarm_wire::permission::{Answer, Behavior, Mode, RuleUpdate, Scope};

use crate::effect::Effect;
use crate::grant::Permit;
use crate::rules::{Rule, Rules};

/// Names beneath the workspace that change what other programs run: never edited unasked.
const PROTECTED: [&str; 5] = [".git", ".swarm", ".vscode", ".envrc", ".gitmodules"];

/// What holds for the member that wants the call.
#[derive(Debug, Clone)]
pub struct Bounds {
    pub mode: Mode,
    pub rules: Rules,
    /// Absolute, with symbolic links resolved.
    pub workspace: PathBuf,
}

/// The outcome of [`decide`].
#[derive(Debug)]
pub enum Verdict {
    Allow(Permit),
    Ask(Question),
    Deny { why: String },
}

/// A call that a person must decide.
#[derive(Debug)]
pub struct Question {
    pub why: String,
    /// Rules that would let the like through next time, narrowest first.
    pub suggestions: Vec<RuleUpdate>,
}

impl Question {
    /// The permit of a person's yes; `None` for a no.
    pub fn answered(self, answer: &Answer) -> Option<Permit> {
        answer.allow.then(Permit::new)
    }
}

/// Decides one call of `tool`. `keys` are what its rules match: the paths or the command.
pub fn decide(tool: &str, keys: &[String], effect: &Effect, bounds: &Bounds) -> Verdict {
    let asked_for = match bounds.rules.verdict(tool, keys) {
        Some((Behavior::Deny, rule)) => return Verdict::Deny { why: format!("the rule `{rule}` denies it") },
        Some((Behavior::Ask, rule)) => Some(rule.to_string()),
        Some((Behavior::Allow, _)) if bounds.mode != Mode::Plan => return Verdict::Allow(Permit::new()),
        _ => None,
    };
    let why = match (asked_for, harm(effect, &bounds.workspace)) {
        (None, None) => return Verdict::Allow(Permit::new()),
        (Some(rule), _) => format!("the rule `{rule}` asks"),
        (None, Some(harm)) => harm,
    };
    match bounds.mode {
        Mode::BypassPermissions => Verdict::Allow(Permit::new()),
        Mode::AcceptEdits if plain_edit(effect, &bounds.workspace) => Verdict::Allow(Permit::new()),
        Mode::DontAsk => Verdict::Deny { why: format!("{why}, and this member's mode is to not ask") },
        Mode::Plan => {
            Verdict::Deny { why: format!("{why}, and only reading is allowed until the plan is approved") }
        }
        Mode::Default | Mode::AcceptEdits => {
            Verdict::Ask(Question { why, suggestions: suggest(tool, keys, effect) })
        }
    }
}

/// Why the effect needs a decision; `None` for plain reading and talk within the team.
fn harm(effect: &Effect, workspace: &Path) -> Option<String> {
    let why = match effect {
        Effect::Team => return None,
        Effect::Reads { paths } => {
            let outside = paths.iter().find(|path| !path.starts_with(workspace))?;
            format!("it reads `{}`, outside the workspace", outside.display())
        }
        Effect::Writes { .. } => "it changes files".to_owned(),
        Effect::Runs { .. } => "it runs a command".to_owned(),
        Effect::Leaves { hosts } => format!("it reaches {}", hosts.join(", ")),
        Effect::Widens { mode } => format!("it starts a teammate in the mode {mode:?}"),
    };
    Some(why)
}

/// An edit inside the workspace that cannot make another program run something.
fn plain_edit(effect: &Effect, workspace: &Path) -> bool {
    let Effect::Writes { paths } = effect else { return false };
    paths.iter().all(|path| {
        let Ok(inside) = path.strip_prefix(workspace) else { return false };
        !inside.components().any(|part| match part {
            Component::Normal(name) => PROTECTED.iter().any(|p| name.eq_ignore_ascii_case(p)),
            _ => true,
        })
    })
}

fn suggest(tool: &str, keys: &[String], effect: &Effect) -> Vec<RuleUpdate> {
    let exact = keys.iter().map(|key| Rule { tool: tool.to_owned(), pattern: Some(key.clone()) }.to_string());
    match effect {
        Effect::Widens { .. } => Vec::new(),
        _ => vec![RuleUpdate { rules: exact.collect(), behavior: Behavior::Allow, scope: Scope::Session }],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(effect: Effect, mode: Mode) -> &'static str {
        let bounds = Bounds { mode, rules: Rules::default(), workspace: "/w".into() };
        match decide("T", &["k".to_owned()], &effect, &bounds) {
            Verdict::Allow(_) => "allow",
            Verdict::Ask(_) => "ask",
            Verdict::Deny { .. } => "deny",
        }
    }

    #[test]
    fn every_effect_meets_every_mode() {
        let reads = |path: &str| Effect::Reads { paths: vec![path.into()] };
        let writes = |path: &str| Effect::Writes { paths: vec![path.into()] };
        let modes = [Mode::Default, Mode::AcceptEdits, Mode::Plan, Mode::DontAsk, Mode::BypassPermissions];
        for (effect, expected) in [
            (reads("/w/a"), ["allow", "allow", "allow", "allow", "allow"]),
            (reads("/etc/passwd"), ["ask", "ask", "deny", "deny", "allow"]),
            (writes("/w/a"), ["ask", "allow", "deny", "deny", "allow"]),
            (writes("/w2/a"), ["ask", "ask", "deny", "deny", "allow"]),
            (writes("/w/.git/hooks/pre-commit"), ["ask", "ask", "deny", "deny", "allow"]),
            (writes("/w/sub/.GIT/config"), ["ask", "ask", "deny", "deny", "allow"]),
            (Effect::Runs { command: "ls".into() }, ["ask", "ask", "deny", "deny", "allow"]),
            (Effect::Team, ["allow", "allow", "allow", "allow", "allow"]),
            (Effect::Widens { mode: Mode::AcceptEdits }, ["ask", "ask", "deny", "deny", "allow"]),
        ] {
            let found = modes.map(|mode| check(effect.clone(), mode));
            assert_eq!(found, expected, "{effect:?}");
        }
    }

    #[test]
    fn an_allow_rule_spares_the_question_but_not_in_plan_mode() {
        let mut rules = Rules::default();
        rules
            .add(&RuleUpdate {
                rules: vec!["Bash(ls)".into()],
                behavior: Behavior::Allow,
                scope: Scope::Session,
            })
            .unwrap();
        let effect = Effect::Runs { command: "ls".into() };
        let mut bounds = Bounds { mode: Mode::Default, rules, workspace: "/w".into() };
        assert!(matches!(decide("Bash", &["ls".into()], &effect, &bounds), Verdict::Allow(_)));
        assert!(matches!(decide("Bash", &["ls -l".into()], &effect, &bounds), Verdict::Ask(_)));
        bounds.mode = Mode::Plan;
        assert!(matches!(decide("Bash", &["ls".into()], &effect, &bounds), Verdict::Deny { .. }));
    }

    #[test]
    fn a_no_gives_no_permit() {
        let question = || Question { why: String::new(), suggestions: Vec::new() };
        assert!(question().answered(&Answer::reject(None)).is_none());
        assert!(question().answered(&Answer::allow()).is_some());
    }
}
