//! Rules and calls, with a zero byte between: any text is a rule or is refused, and no rule does more than it may.
#![no_main]

use std::path::Path;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use swarm_guard::{Bounds, Call, Rule, Rules, Standing, Verdict, decide};
use swarm_wire::permission::{Behavior, Mode, RuleUpdate, Scope};

/// What holds before, made once: patterns and the names of secrets are long to compile.
static GRANTED: LazyLock<Bounds> = LazyLock::new(|| {
    let grants = ["Bash(cargo *)", "Read(/**)", "Edit(src/**)", "WebFetch(*.example.com)"];
    let mut bounds = Bounds::new(Mode::Default, Rules::default(), "/w");
    for grant in grants {
        add(&mut bounds, grant, Behavior::Allow, Standing::Trusted);
    }
    bounds
});

fuzz_target!(|texts: &str| {
    let (text, call) = texts.split_once('\0').unwrap_or((texts, "Bash(cargo test)"));
    let Ok(rule) = text.parse::<Rule>() else { return };
    assert_eq!(rule.to_string(), text, "a rule is written as it was read");
    let Ok(call) = Call::read(call, Path::new("/w")) else { return };
    for mode in [Mode::Default, Mode::AcceptEdits, Mode::Plan, Mode::DontAsk, Mode::BypassPermissions] {
        let with = |rules: &[(Behavior, Standing)]| strictness(&call, mode, text, rules);
        let before = with(&[]);
        let denied = with(&[(Behavior::Deny, Standing::Untrusted)]);
        assert!(denied >= before, "a denial widens nothing: {mode:?}");
        let asked = with(&[(Behavior::Ask, Standing::Untrusted)]);
        assert!(asked >= before, "what asks widens nothing: {mode:?}");
        let untrusted = with(&[(Behavior::Allow, Standing::Untrusted)]);
        assert_eq!(untrusted, before, "a grant of nobody trusted changes nothing: {mode:?}");
        let both = with(&[(Behavior::Allow, Standing::Trusted), (Behavior::Deny, Standing::Trusted)]);
        assert_eq!(both, denied, "no grant lifts a denial: {mode:?}");
    }
});

fn strictness(call: &Call, mode: Mode, rule: &str, given: &[(Behavior, Standing)]) -> u8 {
    let mut bounds = GRANTED.clone();
    bounds.mode = mode;
    for (behavior, standing) in given {
        add(&mut bounds, rule, *behavior, *standing);
    }
    match decide(&call.tool, &call.keys, &call.effect, &bounds) {
        Verdict::Allow(_) => 0,
        Verdict::Ask(_) => 1,
        Verdict::Deny { .. } => 2,
    }
}

fn add(bounds: &mut Bounds, rule: &str, behavior: Behavior, standing: Standing) {
    let update = RuleUpdate { rules: vec![rule.to_owned()], behavior, scope: Scope::Project };
    if let Err(error) = bounds.rules.add_from(&update, standing) {
        panic!("a rule was read and then refused: {error}");
    }
}
