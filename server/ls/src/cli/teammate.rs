//! `swarm-ls teammate`: a teammate in a process of its own. Its team's leader starts it. Where it has no terminal, it
//! ends when its stdin does.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;
use swarm_store::Root;
use tokio_util::sync::CancellationToken;

use crate::environment::Environment;
use crate::trace;

/// How long it may take to end once its leader did.
const END_BOUND: Duration = Duration::from_secs(2);

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
    let held = lifeline.clone();
    if !std::io::stdin().is_terminal() {
        tokio::spawn(async move {
            // Nothing is ever written to it: its end is the leader's.
            let _ = tokio::io::copy(&mut tokio::io::stdin(), &mut tokio::io::sink()).await;
            held.cancel();
        });
    }
    end_at_signals(&lifeline)?;
    let overdue = async {
        lifeline.cancelled().await;
        tokio::time::sleep(END_BOUND).await;
    };
    tokio::select! {
        lived = swarm_leader::teammate::run(root, arguments.order, environment.machine(), lifeline.clone()) => {
            Ok(lived?)
        }
        // Whatever holds it up, it outlives its leader by no more.
        () = overdue => Ok(()),
    }
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
