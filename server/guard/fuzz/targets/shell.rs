//! Command lines: any text is understood without a crash or a hang, and what is promised of a decision holds.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use swarm_guard::{Bounds, Effect, Rules, Verdict, decide, shown, understand};
use swarm_wire::permission::{Behavior, Level, Mode, RuleUpdate, Scope, Trust};

/// Made once: the names of secrets are long to compile.
static PLAIN: LazyLock<Bounds> =
    LazyLock::new(|| Bounds { trust: Trust::Ask, ..Bounds::new(Mode::Default, Rules::default(), "/w") });

fuzz_target!(|line: &str| {
    let understanding = understand(line);
    let worst = understanding.parts.iter().map(|part| part.level).max().unwrap_or(Level::ReadOnly);
    assert_eq!(understanding.level, worst, "a line is as bad as its worst part");
    let once = shown(line);
    assert_eq!(shown(&once), once, "what is shown hides nothing");

    let bash = |behavior| RuleUpdate { rules: vec!["Bash".to_owned()], behavior, scope: Scope::User };
    if !understanding.parts.is_empty() {
        assert!(!allowed(line, &[bash(Behavior::Deny)]), "a denial of the tool holds");
    }
    let effect = Effect::Runs { command: line.to_owned() };
    let Verdict::Ask(question) = decide("Bash", &[], &effect, &bounds(&[])) else { return };
    for suggestion in question.suggestions {
        let denial = RuleUpdate { behavior: Behavior::Deny, ..suggestion.clone() };
        assert!(allowed(line, std::slice::from_ref(&suggestion)), "always means always: {suggestion:?}");
        assert!(!allowed(line, &[suggestion, denial]), "a denial wins over a grant");
    }
});

fn allowed(line: &str, updates: &[RuleUpdate]) -> bool {
    let effect = Effect::Runs { command: line.to_owned() };
    matches!(decide("Bash", &[], &effect, &bounds(updates)), Verdict::Allow(_))
}

fn bounds(updates: &[RuleUpdate]) -> Bounds {
    let mut bounds = PLAIN.clone();
    for update in updates {
        if let Err(error) = bounds.rules.add(update) {
            panic!("a suggested rule is none: {error}");
        }
    }
    bounds
}
