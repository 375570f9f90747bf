//! The questions that wait for the user, and what resolves them. The files are the truth; this is who waits.

use serde_json::Value;
use swarm_agent::ports::InputCheck;
use swarm_store::{Admitted, Permissions};
use swarm_wire::lsp::PlanRequest;
use swarm_wire::permission::{Answer, Outcome, PermissionRequest, ResolvedBy, Status};
use swarm_wire::{AgentId, RequestId};
use tokio::sync::oneshot;

use crate::hub::{BUDGET, PROJECT_RULES, is_plan, plan_of};

/// How long after a question was asked the like ones join it, in milliseconds.
const BATCH_MS: u64 = 5_000;

/// Questions that no call of a member waits for.
const NOT_ITS_OWN: [&str; 2] = [PROJECT_RULES, BUDGET];

/// One open question, and the member that waits for its answer.
struct Pending {
    request: PermissionRequest,
    check: InputCheck,
    answer: oneshot::Sender<Answer>,
}

/// A decided question whose member still waits.
pub(crate) struct Release {
    waiting: oneshot::Sender<Answer>,
    answer: Answer,
}

impl Release {
    /// Lets the member go on.
    pub(crate) fn go(self) {
        // A turn that ended meanwhile no longer waits.
        let _ = self.waiting.send(self.answer);
    }
}

/// All open questions, oldest first.
pub(crate) struct Queue {
    files: Permissions,
    pending: Vec<Pending>,
}

impl Queue {
    pub(crate) fn new(files: Permissions) -> Self {
        Self { files, pending: Vec::new() }
    }

    /// Makes `requests` the open questions about calls. None changes while it is open, and they can hold whole files.
    pub(crate) fn show_in(&self, requests: &mut Vec<PermissionRequest>) {
        let calls = || self.pending.iter().map(|pending| &pending.request).filter(|call| !is_plan(call));
        if !calls().map(|call| &call.id).eq(requests.iter().map(|shown| &shown.id)) {
            *requests = calls().cloned().collect();
        }
    }

    /// The plan that waits under this id.
    pub(crate) fn plan(&self, id: &RequestId) -> Option<PlanRequest> {
        self.get(id).and_then(plan_of)
    }

    /// The plans that wait.
    pub(crate) fn plans(&self) -> Vec<PlanRequest> {
        self.pending.iter().filter_map(|pending| plan_of(&pending.request)).collect()
    }

    pub(crate) fn get(&self, id: &RequestId) -> Option<&PermissionRequest> {
        self.pending.iter().map(|pending| &pending.request).find(|request| request.id == *id)
    }

    /// What is wrong with this input for an open question's tool.
    pub(crate) fn check(&self, id: &RequestId, input: &Value) -> Option<String> {
        let pending = self.pending.iter().find(|pending| pending.request.id == *id)?;
        (pending.check)(input).err()
    }

    /// Takes back what an earlier leader left open and nobody waits for any more; those who are `alive` ask again. Gives
    /// what it was. Blocks.
    pub(crate) fn withdraw_left(
        &self,
        alive: &[AgentId],
    ) -> Result<Vec<PermissionRequest>, swarm_store::Error> {
        let mut left = self.files.pending()?;
        left.retain(|request| !alive.contains(&request.worker_id));
        for request in &left {
            self.files.withdraw(&request.id, "the server ended before it was answered")?;
        }
        Ok(left)
    }

    /// An open question about a call of this member's own.
    pub(crate) fn call_of(&self, agent: &AgentId, id: &RequestId) -> Option<&PermissionRequest> {
        self.get(id).filter(|request| {
            request.worker_id == *agent
                && !is_plan(request)
                && !NOT_ITS_OWN.contains(&request.tool_name.as_str())
        })
    }

    /// Whether this member waits for an answer.
    pub(crate) fn waits(&self, agent: &AgentId) -> bool {
        let waits = |request: &PermissionRequest| {
            request.worker_id == *agent && !NOT_ITS_OWN.contains(&request.tool_name.as_str())
        };
        self.pending.iter().any(|pending| waits(&pending.request))
    }

    /// Takes a question in. It is on disk before it is shown, so that no crash loses it. `None`: it was decided under an
    /// earlier leader, and that counts.
    pub(crate) async fn add(
        &mut self,
        mut request: PermissionRequest,
        check: InputCheck,
        answer: oneshot::Sender<Answer>,
    ) -> Result<Option<PermissionRequest>, String> {
        request.batch = self.batch_of(&request);
        let (files, copy) = (self.files.clone(), request.clone());
        let written = tokio::task::spawn_blocking(move || files.write_pending(&copy)).await;
        let admitted = written.map_err(|lost| lost.to_string())?.map_err(|error| error.to_string())?;
        if let Admitted::AlreadyResolved(decided) = admitted {
            // Dropped, it says that the question was taken back.
            if decided.resolved_by.is_some() {
                let _ = answer.send(answer_of(*decided));
            }
            return Ok(None);
        }
        self.pending.push(Pending { request: request.clone(), check, answer });
        Ok(Some(request))
    }

    /// The open question that a new one joins: like it, and asked a moment ago.
    fn batch_of(&self, request: &PermissionRequest) -> Option<RequestId> {
        let is_like = |first: &&PermissionRequest| {
            first.batch.is_none()
                && first.tool_name == request.tool_name
                && first.level == request.level
                && first.permission_suggestions.first() == request.permission_suggestions.first()
                && request.created_at.saturating_sub(first.created_at) <= BATCH_MS
        };
        self.pending.iter().map(|pending| &pending.request).find(is_like).map(|first| first.id.clone())
    }

    /// Answers a question once; the first answer wins, wherever it comes from.
    pub(crate) async fn resolve(
        &mut self,
        id: &RequestId,
        answer: Answer,
        by: ResolvedBy,
    ) -> Result<Outcome, String> {
        let (outcome, release) = self.decide(id, answer, by).await?;
        release.into_iter().for_each(Release::go);
        Ok(outcome)
    }

    /// The same, but the member goes on only when it is released.
    pub(crate) async fn decide(
        &mut self,
        id: &RequestId,
        answer: Answer,
        by: ResolvedBy,
    ) -> Result<(Outcome, Option<Release>), String> {
        let (files, key, copy) = (self.files.clone(), id.clone(), answer.clone());
        let resolved = tokio::task::spawn_blocking(move || files.resolve(&key, &copy, by)).await;
        let resolution = resolved.map_err(|lost| lost.to_string())?.map_err(|error| error.to_string())?;
        let release = (resolution.outcome == Outcome::Resolved).then(|| self.take(id)).flatten();
        Ok((resolution.outcome, release.map(|pending| Release { waiting: pending.answer, answer })))
    }

    /// Takes a question back, since nobody waits for its answer any more. False when it is not open.
    pub(crate) async fn withdraw(&mut self, id: &RequestId) -> bool {
        if self.take(id).is_none() {
            return false;
        }
        let (files, id) = (self.files.clone(), id.clone());
        let withdrawn =
            tokio::task::spawn_blocking(move || files.withdraw(&id, "the turn that asked has ended")).await;
        if let Ok(Err(error)) = withdrawn {
            tracing::error!(%error, "a withdrawn question stays on disk");
        }
        true
    }

    /// The leader's agent has looked at a plan: it is the user's now.
    pub(crate) fn reviewed(&mut self, id: &RequestId) -> Option<PlanRequest> {
        let pending = self.pending.iter_mut().find(|pending| pending.request.id == *id)?;
        pending.request.input.as_object_mut()?.remove("reviewing");
        plan_of(&pending.request)
    }

    /// The questions of one member.
    pub(crate) fn of(&self, agent: &AgentId) -> Vec<RequestId> {
        let its = self.pending.iter().filter(|pending| pending.request.worker_id == *agent);
        its.map(|pending| pending.request.id.clone()).collect()
    }

    fn take(&mut self, id: &RequestId) -> Option<Pending> {
        let at = self.pending.iter().position(|pending| pending.request.id == *id)?;
        Some(self.pending.remove(at))
    }
}

/// The decision that a question was kept with.
fn answer_of(decided: PermissionRequest) -> Answer {
    Answer {
        allow: decided.status == Status::Approved,
        feedback: decided.feedback,
        updated_input: decided.updated_input,
        permission_updates: decided.permission_updates,
    }
}
