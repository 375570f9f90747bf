//! A day of a team, call by call: how much is asked with each trust, and that nothing which destroys is missed.

#![expect(clippy::unwrap_used, reason = "a test fails by it, with the place")]
#![expect(clippy::print_stdout, reason = "how much is asked about is what it measures")]

use swarm_guard::{Bounds, Call, Rules, explain};
use swarm_wire::permission::{Behavior, Mode, Trust};

const DAY: &str = include_str!("day/calls.txt");

/// The calls, and whether each destroys.
fn calls() -> Vec<(bool, &'static str)> {
    let lines = DAY.lines().filter(|line| !line.is_empty() && !line.starts_with(['#', '[']));
    lines.map(|line| line.strip_prefix("! ").map_or((false, line), |call| (true, call))).collect()
}

/// The calls that are asked about.
fn asked(trust: Trust) -> Vec<&'static str> {
    let mut bounds = Bounds::new(Mode::Default, Rules::default(), "/w");
    bounds.trust = trust;
    let is_asked = |call: &str| {
        let call = Call::read(call, &bounds.workspace).unwrap();
        explain(&call, &bounds).behavior == Behavior::Ask
    };
    calls().into_iter().map(|(_, call)| call).filter(|call| is_asked(call)).collect()
}

#[test]
fn a_trusted_workspace_asks_for_one_call_in_twenty_and_for_all_that_destroy() {
    let all = calls().len();
    assert!(all >= 280, "the day lost its calls");
    for (name, trust) in [("ask", Trust::Ask), ("workspace", Trust::Workspace), ("full", Trust::Full)] {
        let asked = asked(trust);
        println!("{name}: {} of {all} calls are asked about: {asked:#?}", asked.len());
        let missed: Vec<_> =
            calls().into_iter().filter(|(destroys, call)| *destroys && !asked.contains(call)).collect();
        assert!(missed.is_empty(), "not asked with trust {name}: {missed:?}");
        if trust == Trust::Workspace {
            assert!(asked.len() * 20 < all, "{} of {all}", asked.len());
        }
    }
}
