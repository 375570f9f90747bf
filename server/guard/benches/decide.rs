//! How long a decision takes: `cargo bench -p swarm-guard --bench decide`. The baseline is the parse of the same
//! lines by tree-sitter alone.
#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints, and stops where it cannot go on"
)]

use std::hint::black_box;
use std::time::{Duration, Instant};

use swarm_guard::{Bounds, Effect, Rules, decide};
use swarm_wire::permission::{Behavior, Mode, RuleUpdate, Scope, Trust};

#[path = "../tests/shell/fixture.rs"]
mod fixture;

const ROUNDS: usize = 20;

fn main() {
    let lines: Vec<String> = fixture::commands().into_iter().map(|(_, line)| line).collect();
    let mut rules = Rules::default();
    for number in 0..50 {
        let update = RuleUpdate {
            rules: vec![format!("Bash(tool{number} *)"), format!("Edit(src/{number}/**)")],
            behavior: Behavior::Allow,
            scope: Scope::Session,
        };
        rules.add(&update).unwrap();
    }
    let mut bounds = Bounds::new(Mode::Default, rules, "/w");
    bounds.trust = Trust::Workspace;
    let mut parser = tree_sitter::Parser::new();
    parser.set_language(&tree_sitter_bash::LANGUAGE.into()).unwrap();

    let parse = measure(&lines, |line| {
        black_box(parser.parse(line, None));
    });
    let decision = measure(&lines, |line| {
        let effect = Effect::Runs { command: line.to_owned() };
        black_box(decide("Bash", &[], &effect, &bounds));
    });
    println!("{} commands, {ROUNDS} times each, 100 rules; microseconds a command", lines.len());
    println!("{:<28} {:>8} {:>8} {:>8}", "", "median", "p99", "worst");
    for (name, times) in [("parse alone (baseline)", &parse), ("decision", &decision)] {
        let at = |part: f64| times[((times.len() - 1) as f64 * part) as usize].as_secs_f64() * 1e6;
        println!("{name:<28} {:>8.1} {:>8.1} {:>8.1}", at(0.5), at(0.99), at(1.0));
    }
    let total = |times: &[Duration]| times.iter().sum::<Duration>().as_secs_f64();
    println!("a decision takes {:.1} times the parse alone", total(&decision) / total(&parse));
}

/// The time of each run, shortest first.
fn measure(lines: &[String], mut run: impl FnMut(&str)) -> Vec<Duration> {
    let mut times = Vec::with_capacity(lines.len() * ROUNDS);
    for _ in 0..ROUNDS {
        for line in lines {
            let start = Instant::now();
            run(line);
            times.push(start.elapsed());
        }
    }
    times.sort();
    times
}
