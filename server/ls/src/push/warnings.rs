//! What was refused or passed over that the user should see, as a message of the editor's own.

use swarm_leader::TeamEvent;
use swarm_wire::lsp::Event;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

use crate::ingress::proxy::Proxy;
use crate::lsp::types::MessageType;

/// Shows every warning until the team ends.
pub(super) async fn follow(mut events: Receiver<TeamEvent>, proxy: Proxy) {
    loop {
        match events.recv().await {
            Ok(TeamEvent { event: Event::Warning { text }, .. }) => {
                proxy.show(MessageType::WARNING, format!("swarm: {text}"));
            }
            Ok(TeamEvent { event: Event::ShutdownRefused { member, reason }, .. }) => {
                let text =
                    format!("{} would rather go on: {reason}. It can be stopped all the same.", member.name);
                proxy.show(MessageType::WARNING, text);
            }
            // What was missed is in the log all the same.
            Ok(_) | Err(RecvError::Lagged(_)) => {}
            Err(RecvError::Closed) => return,
        }
    }
}
