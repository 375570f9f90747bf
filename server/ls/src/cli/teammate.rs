//! `swarm-ls teammate`: a teammate in a process of its own. Its team's leader starts it. At a terminal a person can
//! look at it and talk to it; without one, a word on its stdin ends it.

mod keys;
mod paper;
mod screen;

use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;
use swarm_leader::teammate::Terminal;
use swarm_store::Root;
use tokio::io::AsyncReadExt as _;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::color;
use crate::environment::Environment;
use crate::trace;

/// How long it may take to end once its leader did.
const END_BOUND: Duration = Duration::from_secs(2);
/// How long its terminal may take to show the rest.
const SHOW_BOUND: Duration = Duration::from_millis(500);

/// Run one teammate of a team; its leader starts this.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The file with what it needs to know, which is gone once read.
    order: PathBuf,
}

pub(super) async fn run(arguments: Arguments, environment: &Environment) -> Result<()> {
    let root = Root::from_env()?;
    trace::to_file(&root, environment.log_level);
    let lifeline = CancellationToken::new();
    end_at_signals(&lifeline)?;
    let (terminal, shown) = if is_seen() {
        let (seen, to_show) = mpsc::unbounded_channel();
        let (wishes, typed) = mpsc::unbounded_channel();
        let shown = tokio::spawn(screen::run(to_show, wishes, environment.screen));
        (Some(Terminal { seen, typed }), Some(shown))
    } else {
        end_at_word(lifeline.clone());
        (None, None)
    };
    let overdue = async {
        lifeline.cancelled().await;
        tokio::time::sleep(END_BOUND).await;
    };
    let machine = environment.machine();
    let lived = tokio::select! {
        lived = swarm_leader::teammate::run(root, arguments.order, machine, terminal, lifeline.clone()) => lived,
        // Whatever holds it up, it outlives its leader by no more.
        () = overdue => Ok(()),
    };
    if let Some(shown) = shown {
        // A terminal that is held is not waited for.
        let _ = tokio::time::timeout(SHOW_BOUND, shown).await;
    }
    Ok(lived?)
}

#[expect(clippy::disallowed_methods, reason = "whether somebody looks")]
fn is_seen() -> bool {
    std::io::stdout().is_terminal()
}

/// Its stdin is its leader's hand on it: whatever is written there ends it. A stdin that is closed without a word says
/// that the leader was killed, and another may come.
fn end_at_word(lifeline: CancellationToken) {
    tokio::spawn(async move {
        if let Ok(1..) = tokio::io::stdin().read(&mut [0; 8]).await {
            lifeline.cancel();
        }
    });
}

/// A terminal that is closed, or a person who ends the process, ends the teammate tidily.
fn end_at_signals(lifeline: &CancellationToken) -> std::io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};

    for kind in [SignalKind::hangup(), SignalKind::terminate()] {
        let (mut signals, lifeline) = (signal(kind)?, lifeline.clone());
        tokio::spawn(async move {
            signals.recv().await;
            lifeline.cancel();
        });
    }
    Ok(())
}
