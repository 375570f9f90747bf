//! `swarm/event`: everything that happens, for a client that asked for it.

use swarm_leader::TeamEvent;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

use crate::ingress::proxy::Proxy;

/// Passes events on until the leader ends. What was missed shows as a gap in `seq`.
pub(super) async fn follow(mut events: Receiver<TeamEvent>, proxy: Proxy) {
    loop {
        match events.recv().await {
            Ok(TeamEvent { team, event }) => proxy.event(team, event),
            Err(RecvError::Lagged(missed)) => proxy.skip_events(missed),
            Err(RecvError::Closed) => return,
        }
    }
}
