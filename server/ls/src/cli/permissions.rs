//! `swarm-ls permissions explain CALL`: what would be decided here, by which rule, and why. Runs nothing.

use std::io::Write as _;

use anyhow::Context as _;
use swarm_guard::{Bounds, Call, Explanation, explain};
use swarm_leader::{settings_rules, unknown_tool};
use swarm_store::Root;
use swarm_wire::permission::{Behavior, Level, Mode, Trust};

use crate::environment;

/// Shows how calls are decided.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Arguments {
    /// Says what would be decided about a call in this folder, such as `Bash(cargo test)` or `Edit(src/x.rs)`.
    Explain {
        call: String,
        /// default, acceptEdits, plan, dontAsk or bypassPermissions.
        #[arg(long, default_value = "default", value_parser = super::named::<Mode>)]
        mode: Mode,
        /// ask, workspace or full.
        #[arg(long, default_value = "ask", value_parser = super::named::<Trust>)]
        trust: Trust,
    },
}

pub(crate) fn run(arguments: Arguments) -> anyhow::Result<()> {
    let Arguments::Explain { call, mode, trust } = arguments;
    let workspace = environment::directory().context("the current folder")?;
    let workspace = workspace.canonicalize().unwrap_or(workspace);
    let text = call;
    let call = Call::read(&text, &workspace)?;
    anyhow::ensure!(unknown_tool(&text).is_none(), unknown_tool(&text).unwrap_or_default());
    let (rules, problems) = settings_rules(&Root::from_env()?, &workspace);
    for problem in problems {
        eprintln!("swarm-ls: {problem}");
    }
    let mut bounds = Bounds::new(mode, rules, workspace);
    bounds.trust = trust;
    print(&told(&explain(&call, &bounds)));
    Ok(())
}

fn told(explanation: &Explanation) -> String {
    let Explanation { behavior, level, why, by, parts } = explanation;
    let mut text = format!("{}: {why} ({})\n", verb(*behavior), word(*level));
    if let Some(by) = by {
        text.push_str(&format!("  by the rule `{}` of scope {:?}\n", by.rule, by.scope));
    }
    if parts.len() > 1 {
        for part in parts {
            let ruling = &part.ruling;
            text.push_str(&format!(
                "  {}: {} ({}; {})\n",
                part.text,
                verb(ruling.behavior),
                word(part.level),
                ruling.why
            ));
        }
    }
    text
}

fn verb(behavior: Behavior) -> &'static str {
    match behavior {
        Behavior::Allow => "allowed",
        Behavior::Ask => "asked",
        Behavior::Deny => "denied",
    }
}

fn word(level: Level) -> &'static str {
    crate::words::level(level)
}

#[expect(clippy::disallowed_methods, reason = "the explanation is the command's result")]
fn print(text: &str) {
    // A closed pipe only means that nobody looks.
    let _ = std::io::stdout().write_all(text.as_bytes());
}
