//! What readers see: a snapshot that is never torn, and events that follow it.

use std::sync::Arc;

use swarm_wire::TeamName;
use swarm_wire::lsp::{Event, StateResult};
use tokio::sync::{broadcast, watch};

use crate::handle::TeamEvent;

/// The two outputs of the hub; clones put into the same ones.
#[derive(Clone)]
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

    /// Shows the state as `change` makes it, then what led to it, so that who reads the state after an event finds it
    /// there. A reader that still holds the state before keeps it as it was.
    pub(crate) fn publish(
        &self,
        change: impl FnOnce(&mut StateResult),
        team: &TeamName,
        happened: Vec<Event>,
    ) {
        self.snapshot.send_modify(|state| change(Arc::make_mut(state)));
        self.tell(team, happened);
    }

    /// What was shown last.
    pub(crate) fn state(&self) -> Arc<StateResult> {
        self.snapshot.borrow().clone()
    }

    /// All events from now on, and the state that includes them.
    pub(crate) fn subscribe(&self) -> (broadcast::Receiver<TeamEvent>, watch::Receiver<Arc<StateResult>>) {
        (self.events.subscribe(), self.snapshot.subscribe())
    }

    /// Has readers take the whole state anew, where what led to it is not told.
    pub(crate) fn changed_wholly(&self, team: &TeamName) {
        let shown = self.state().teams.first().cloned().map(Box::new);
        self.tell(team, vec![Event::TeamChanged { team: shown }]);
    }

    /// Tells what changes no state, such as streamed text.
    pub(crate) fn tell(&self, team: &TeamName, happened: Vec<Event>) {
        for event in happened {
            // Nobody listening is fine: the snapshot has it all.
            let _ = self.events.send(TeamEvent { team: team.clone(), event });
        }
    }
}
