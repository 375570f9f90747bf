//! What readers see: a snapshot that is never torn, and events that follow it.

use std::sync::Arc;

use swarm_wire::TeamName;
use swarm_wire::lsp::{Event, StateResult};
use tokio::sync::{broadcast, watch};

use crate::handle::TeamEvent;

/// The two outputs of the hub.
pub(crate) struct Publisher {
    snapshot: watch::Sender<Arc<StateResult>>,
    events: broadcast::Sender<TeamEvent>,
}

impl Publisher {
    pub(crate) fn new(
        snapshot: watch::Sender<Arc<StateResult>>,
        events: broadcast::Sender<TeamEvent>,
    ) -> Self {
        Self { snapshot, events }
    }

    /// Shows a new state, then what led to it, so that who reads the state after an event finds it there.
    pub(crate) fn publish(&self, state: StateResult, team: &TeamName, happened: Vec<Event>) {
        self.snapshot.send_replace(Arc::new(state));
        self.tell(team, happened);
    }

    /// Tells what changes no state, such as streamed text.
    pub(crate) fn tell(&self, team: &TeamName, happened: Vec<Event>) {
        for event in happened {
            // Nobody listening is fine: the snapshot has it all.
            let _ = self.events.send(TeamEvent { team: team.clone(), event });
        }
    }
}
