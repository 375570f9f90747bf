//! Rules that would let the like of a call through next time. None says more than it shows.

use swarm_wire::permission::{Behavior, Level, RuleUpdate, Scope};

use super::Ruling;
use super::items::{Item, Thing};
use crate::effect::Effect;
use crate::rules::{Fit, Rule};
use crate::shell::{Part, What, Word};

/// Programs whose further words are programs themselves: no wildcard behind them.
const TAKES_PROGRAMS: &str = "awk bash builtin command dash docker doas env eval exec find gawk ksh make nice node nohup npx perl \
                              php podman python python3 ruby sed sh ssh sudo time timeout xargs zsh";

/// First the rules for exactly this call, one for each part that was asked for; then wider ones, if there are any.
pub(super) fn suggestions(
    tool: &str,
    effect: &Effect,
    items: &[Item<'_>],
    rulings: &[Ruling],
) -> Vec<RuleUpdate> {
    if matches!(effect, Effect::Widens { .. } | Effect::EndsPlanning)
        || rulings.iter().any(|ruling| ruling.by.is_some() && asks(ruling))
    {
        // A rule that asks or forbids is not lifted by one that allows.
        return Vec::new();
    }
    let asked = || items.iter().zip(rulings).filter(|(_, ruling)| asks(ruling)).map(|(item, _)| item);
    let exact: Option<Vec<Rule>> = asked().map(|item| exactly(tool, item)).collect();
    let Some(exact) = exact else { return Vec::new() };
    let wider: Vec<Rule> =
        asked().zip(&exact).map(|(item, exact)| wider(item).unwrap_or_else(|| exact.clone())).collect();
    let mut offers = vec![update(&exact)];
    if wider != exact {
        offers.push(update(&wider));
    }
    offers
}

fn asks(ruling: &Ruling) -> bool {
    ruling.behavior == Behavior::Ask
}

fn update(rules: &[Rule]) -> RuleUpdate {
    let mut texts: Vec<String> = Vec::new();
    for rule in rules {
        let text = rule.to_string();
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    RuleUpdate { rules: texts, behavior: Behavior::Allow, scope: Scope::Session }
}

fn exactly(tool: &str, item: &Item<'_>) -> Option<Rule> {
    match &item.thing {
        Thing::Part(part) => match part.what {
            What::Unclear => None,
            What::Redirection => {
                let (tool, path) = item.redirected()?;
                Rule::exactly(tool, &path.display().to_string())
            }
            What::Command if part.words.iter().any(Word::is_from_input) => None,
            What::Command => Rule::for_command(&part.text()).filter(|rule| rule.fit_of(part) == Fit::Exact),
        },
        Thing::Path { path, .. } => Rule::exactly(tool, &path.display().to_string()),
        Thing::Host(host) => Rule::exactly(tool, host),
        Thing::Key { key, .. } => Rule::exactly(tool, (*key)?),
    }
}

/// `cargo test --all` → `cargo test *`, for a command that only runs code.
fn wider(item: &Item<'_>) -> Option<Rule> {
    let Thing::Part(part) = &item.thing else { return None };
    // A wide rule grants no secret, so the like of it would be asked again.
    if part.level != Level::RunsCode || part.what != What::Command || item.secret {
        return None;
    }
    let mut words = part.words.iter().map(|word| word.plain());
    let name = words.next().flatten()?;
    let sub = words
        .next()
        .flatten()
        .filter(|word| word.bytes().all(|b| b.is_ascii_alphanumeric() || b"-:_".contains(&b)))?;
    if sub.starts_with('-') || TAKES_PROGRAMS.split_whitespace().any(|known| known == name) {
        return None;
    }
    let rule = Rule::for_command(&format!("{name} {sub} *"))?;
    fits(&rule, part).then_some(rule)
}

fn fits(rule: &Rule, part: &Part) -> bool {
    rule.fit_of(part) >= Fit::Wide
}
