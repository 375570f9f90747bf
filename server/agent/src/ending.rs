//! Whether a member was asked to end, and whether it agreed.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use swarm_wire::RequestId;

/// One member's own end, as far as it has a say in it.
#[derive(Debug, Default)]
pub(crate) struct Ending(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// Requests that its model has seen and not answered.
    asked: HashSet<RequestId>,
    agreed: bool,
}

impl Ending {
    /// The model is shown this request now.
    pub(crate) fn ask(&self, request: RequestId) {
        self.state().asked.insert(request);
    }

    pub(crate) fn was_asked(&self, request: &RequestId) -> bool {
        self.state().asked.contains(request)
    }

    /// The model answered; a yes holds.
    pub(crate) fn answered(&self, request: &RequestId, approve: bool) {
        let mut state = self.state();
        state.asked.remove(request);
        state.agreed |= approve;
    }

    pub(crate) fn is_agreed(&self) -> bool {
        self.state().agreed
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Each change is one step, so that whoever panicked left a whole state.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
