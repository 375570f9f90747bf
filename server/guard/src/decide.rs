//! Effect × mode × trust × rules → allow, ask or deny, and why. Pure: no clock, disk, environment or async.
//!
//! A call is taken apart into items: its paths, its hosts, the parts of its command. Each is decided by the rules
//! and then the table ([`crate::table`]); the strictest decision is the call's.

mod call;
mod items;
mod place;
mod suggest;
mod worktree;

use std::path::PathBuf;

use swarm_wire::permission::{Answer, Behavior, Level, Mode, RuleUpdate, Trust};

use crate::effect::Effect;
use crate::grant::Permit;
use crate::rules::{Fit, Origin, Rules};
use crate::secrets::Secrets;
use crate::table;
pub use call::Call;
use items::Item;
pub use worktree::Worktree;

/// What holds for the member that wants the call.
#[derive(Debug, Clone)]
pub struct Bounds {
    pub mode: Mode,
    pub trust: Trust,
    pub rules: Rules,
    /// Absolute, with symbolic links resolved; commands start here.
    pub workspace: PathBuf,
    pub confinement: Confinement,
    pub secrets: Secrets,
    /// What no file tool reaches, whatever mode, trust and rules say: the state of the team itself. Absolute, with
    /// symbolic links resolved.
    pub off_limits: Vec<PathBuf>,
    /// Where the member is held to when it has a git worktree of its own.
    pub worktree: Option<Worktree>,
}

impl Bounds {
    /// With the default trust, commands behind all walls, and the secrets that are known.
    pub fn new(mode: Mode, rules: Rules, workspace: impl Into<PathBuf>) -> Self {
        Self {
            mode,
            trust: Trust::default(),
            rules,
            workspace: workspace.into(),
            confinement: Confinement::Full,
            secrets: Secrets::default(),
            off_limits: Vec::new(),
            worktree: None,
        }
    }
}

/// How far the walls around commands reach on this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Confinement {
    /// Files and the network are held.
    Full,
    /// The network is not: whatever runs could leave the machine.
    FilesOnly,
    None,
}

/// The outcome of [`decide`].
#[derive(Debug)]
pub enum Verdict {
    Allow(Permit),
    Ask(Question),
    Deny {
        why: String,
        /// The rule that denied it, if one did.
        by: Option<Origin>,
    },
}

/// A call that a person must decide.
#[derive(Debug)]
pub struct Question {
    pub why: String,
    /// The rule that asks, if one does.
    pub by: Option<Origin>,
    pub level: Level,
    /// Rules that would let the like through next time, narrowest first; none when no rule says just that.
    pub suggestions: Vec<RuleUpdate>,
}

impl Question {
    /// The permit of a person's yes; `None` for a no.
    pub fn answered(self, answer: &Answer) -> Option<Permit> {
        answer.allow.then(|| Permit::new("a person allowed it".to_owned(), true))
    }
}

/// A decision in words, for `swarm-ls permissions explain`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    pub behavior: Behavior,
    pub level: Level,
    pub why: String,
    /// The rule that made the decision, if one did.
    pub by: Option<Origin>,
    /// The paths, hosts or commands of the call, each with its own decision.
    pub parts: Vec<PartExplained>,
}

/// One item of an [`Explanation`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartExplained {
    pub text: String,
    pub level: Level,
    pub ruling: Ruling,
}

/// What was decided, why, and by which rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ruling {
    pub behavior: Behavior,
    /// A clause: "it changes files", "the rule `…` of the user denies it".
    pub why: String,
    pub by: Option<Origin>,
}

/// Decides one call of `tool`. `keys` are what its rules match when its effect names no paths, hosts or command.
pub fn decide(tool: &str, keys: &[String], effect: &Effect, bounds: &Bounds) -> Verdict {
    let (items, rulings) = ruled(tool, keys, effect, bounds);
    let Ruling { behavior, why, by } = strictest(&rulings);
    match behavior {
        Behavior::Allow => {
            let to_secrets = table::verdict(bounds.mode, bounds.trust, table::Deed::ReadSecret);
            let sees_secrets = to_secrets == Behavior::Allow
                // Code that runs needs what it was written to read; an item that names a secret has its own rule.
                || level(&items) > Level::ReadOnly
                || items.iter().any(|item| item.secret);
            Verdict::Allow(Permit::new(why, sees_secrets))
        }
        Behavior::Deny => Verdict::Deny { why, by },
        Behavior::Ask => {
            let suggestions = suggest::suggestions(tool, effect, &items, &rulings);
            Verdict::Ask(Question { why, by, level: level(&items), suggestions })
        }
    }
}

/// Tells how [`decide`] would decide, part by part.
pub fn explain(call: &Call, bounds: &Bounds) -> Explanation {
    let (items, rulings) = ruled(&call.tool, &call.keys, &call.effect, bounds);
    let Ruling { behavior, why, by } = strictest(&rulings);
    let level = level(&items);
    let part =
        |(item, ruling): (&Item<'_>, Ruling)| PartExplained { text: item.text(), level: item.level, ruling };
    let parts = items.iter().zip(rulings).map(part).collect();
    Explanation { behavior, level, why, by, parts }
}

fn ruled<'a>(
    tool: &'a str,
    keys: &'a [String],
    effect: &'a Effect,
    bounds: &'a Bounds,
) -> (Vec<Item<'a>>, Vec<Ruling>) {
    let items = items::of(tool, keys, effect, bounds);
    let rulings = items.iter().map(|item| rule_on(item, bounds)).collect();
    (items, rulings)
}

fn level(items: &[Item<'_>]) -> Level {
    items.iter().map(|item| item.level).max().unwrap_or(Level::ReadOnly)
}

/// The strictest ruling, the first of its kind.
fn strictest(rulings: &[Ruling]) -> Ruling {
    let worst = rulings.iter().rev().max_by_key(|ruling| strictness(ruling.behavior));
    worst.cloned().unwrap_or_else(|| Ruling {
        behavior: Behavior::Allow,
        why: "it does nothing".to_owned(),
        by: None,
    })
}

fn strictness(behavior: Behavior) -> u8 {
    match behavior {
        Behavior::Allow => 0,
        Behavior::Ask => 1,
        Behavior::Deny => 2,
    }
}

fn rule_on(item: &Item<'_>, bounds: &Bounds) -> Ruling {
    if let Some(why) = item.off_limits(bounds) {
        return Ruling { behavior: Behavior::Deny, why, by: None };
    }
    let subjects = item.subjects(bounds);
    let found = |behavior| {
        let hits = subjects.iter().filter_map(|subject| bounds.rules.find(behavior, *subject, Fit::Unread));
        hits.max_by_key(|(fit, _)| *fit)
    };
    let by = |behavior, origin: Origin, what: &str| Ruling {
        behavior,
        why: format!("{} {what}", named(&origin)),
        by: Some(origin),
    };
    match found(Behavior::Deny) {
        // Nothing lifts a denial, so what may fall under one is put to a person in every mode.
        Some((fit @ (Fit::Unread | Fit::Maybe), origin)) => {
            let what = match fit {
                Fit::Unread => "cannot be read, and may forbid it",
                _ => "may forbid it, which only the run would tell",
            };
            let nobody_asks = matches!(bounds.mode, Mode::DontAsk | Mode::Plan);
            return by(if nobody_asks { Behavior::Deny } else { Behavior::Ask }, origin, what);
        }
        Some((_, origin)) => return by(Behavior::Deny, origin, "denies it"),
        None => {}
    }
    let tabled = item.tabled(bounds);
    if let Some((_, origin)) = found(Behavior::Ask) {
        return match bounds.mode {
            Mode::Default | Mode::AcceptEdits => by(Behavior::Ask, origin, "asks"),
            Mode::DontAsk => by(Behavior::Deny, origin, "asks, and this member's mode is to not ask"),
            Mode::Plan => by(Behavior::Deny, origin, "asks, and nothing does until the plan is approved"),
            Mode::BypassPermissions => tabled,
        };
    }
    if tabled.behavior == Behavior::Allow || bounds.mode == Mode::Plan {
        return tabled;
    }
    if let Some(origin) = item.granted(bounds) {
        return by(Behavior::Allow, origin, "allows it");
    }
    match subjects.iter().find_map(|subject| bounds.rules.untrusted_grant(*subject)) {
        Some(origin) => Ruling {
            why: format!("{}; {} would allow it, but its file is not trusted", tabled.why, named(&origin)),
            ..tabled
        },
        None => tabled,
    }
}

fn named(origin: &Origin) -> String {
    use swarm_wire::permission::Scope;
    let scope = match origin.scope {
        Scope::Session => "session",
        Scope::Team => "team",
        Scope::Project => "project",
        Scope::User => "user",
    };
    format!("the {scope}'s rule `{}`", origin.rule)
}

/// What the table says of one deed, in words.
fn by_table(deed: table::Deed, why: String, bounds: &Bounds) -> Ruling {
    let behavior = table::verdict(bounds.mode, bounds.trust, deed);
    let why = match (behavior, bounds.mode) {
        (Behavior::Deny, Mode::Plan) => {
            format!("{why}, and only reading is allowed until the plan is approved")
        }
        (Behavior::Deny, Mode::DontAsk) => format!("{why}, and this member's mode is to not ask"),
        _ => why,
    };
    Ruling { behavior, why, by: None }
}

#[cfg(test)]
mod tests;
