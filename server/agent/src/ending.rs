//! Whether a member was asked to end, and whether it agreed.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use swarm_wire::mail::Protocol;
use swarm_wire::{AgentId, RequestId};

use crate::post::{Post, PostError};

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

    /// Requests that wait for an answer.
    pub(crate) fn unanswered(&self) -> Vec<RequestId> {
        self.state().asked.iter().cloned().collect()
    }

    /// Answers a request; a yes holds once it is on its way to the leader.
    pub(crate) async fn answer(
        &self,
        post: &Post,
        lead: &AgentId,
        (request, approve, reason): (RequestId, bool, Option<String>),
    ) -> Result<(), PostError> {
        let request_id = request.clone();
        post.send_protocol(lead, &Protocol::ShutdownResponse { request_id, approve, reason }).await?;
        let mut state = self.state();
        state.asked.remove(&request);
        state.agreed |= approve;
        Ok(())
    }

    pub(crate) fn is_agreed(&self) -> bool {
        self.state().agreed
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Each change is one step, so that whoever panicked left a whole state.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
