//! The one loop that owns all state of the team.

use std::sync::Arc;

use swarm_wire::lsp::StateResult;
use tokio::sync::{broadcast, mpsc, watch};

use crate::command::Command;
use crate::handle::{EVENT_BACKLOG, Leader, Options};

impl Leader {
    /// Starts the hub on the current tokio runtime.
    pub fn start(_options: Options) -> Self {
        let (commands, mut inbox) = mpsc::channel(256);
        let (_publish, snapshot) = watch::channel(Arc::new(StateResult::default()));
        let (events, _) = broadcast::channel(EVENT_BACKLOG);
        tokio::spawn(async move {
            while let Some(command) = inbox.recv().await {
                if let Command::Shutdown { reply } = command {
                    let _ = reply.send(());
                    break;
                }
            }
        });
        Self { commands, snapshot, events }
    }
}
