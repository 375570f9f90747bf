//! What a member in this process reaches of its leader: the hub, through its queue.

use async_trait::async_trait;
use swarm_agent::ports::{Ask, InputCheck, SpawnRequest, Team, Withdrawn};
use swarm_wire::lsp::Event as ClientEvent;
use swarm_wire::permission::{Answer, Mode, PermissionRequest};
use swarm_wire::{AgentId, RequestId};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use crate::event::Event;

/// The hub's queue, as a member's ports.
#[derive(Clone)]
pub(crate) struct HubPorts {
    pub(crate) events: mpsc::Sender<Event>,
}

#[async_trait]
impl Ask for HubPorts {
    async fn ask(
        &self,
        request: PermissionRequest,
        check: InputCheck,
        turn: &CancellationToken,
    ) -> Result<Answer, Withdrawn> {
        let id = request.id.clone();
        let (answer, mut answered) = oneshot::channel();
        let asked = Event::Asked { request: Box::new(request), check, answer };
        self.events.send(asked).await.map_err(|_| Withdrawn)?;
        match turn.run_until_cancelled(&mut answered).await {
            Some(Ok(answer)) => Ok(answer),
            Some(Err(_)) => Err(Withdrawn),
            None => {
                let (done, withdrawn) = oneshot::channel();
                // A hub that is gone has withdrawn everything.
                if self.events.send(Event::Withdrawn { id, done }).await.is_ok() {
                    let _ = withdrawn.await;
                }
                // What was answered before the hub heard of this counts.
                answered.try_recv().map_err(|_| Withdrawn)
            }
        }
    }

    async fn allowance(&self, agent: &AgentId) -> Result<(), String> {
        self.call(|reply| Event::Allowance { agent: agent.clone(), reply }).await?
    }
}

impl HubPorts {
    /// Tells the hub where a teammate's process runs.
    pub(crate) async fn placed(&self, agent: &AgentId, handle: &str) {
        // A hub that is gone has no team file to write.
        let _ = self.events.send(Event::Placed { agent: agent.clone(), handle: handle.to_owned() }).await;
    }

    /// Tells the user something.
    pub(crate) async fn warn(&self, text: String) {
        // A hub that is gone tells nobody.
        let _ = self.events.send(Event::Tell(Box::new(ClientEvent::Warning { text }))).await;
    }

    /// The person at a teammate's own terminal writes to it.
    pub(crate) async fn typed(&self, agent: &AgentId, text: String) -> Result<(), String> {
        self.call(|reply| Event::Typed { agent: agent.clone(), text, reply }).await?
    }

    /// The person at a teammate's own terminal answers one of its questions.
    pub(crate) async fn answered_there(
        &self,
        agent: &AgentId,
        id: RequestId,
        allow: bool,
        feedback: Option<String>,
    ) -> Result<(), String> {
        let answer = Answer { allow, feedback, updated_input: None, permission_updates: Vec::new() };
        self.call(|reply| Event::AnsweredThere { agent: agent.clone(), id, answer, reply }).await?
    }

    /// Asks the hub, and waits for what it says.
    async fn call<T>(&self, event: impl FnOnce(oneshot::Sender<T>) -> Event) -> Result<T, String> {
        let gone = || "the server is shutting down".to_owned();
        let (reply, answer) = oneshot::channel();
        self.events.send(event(reply)).await.map_err(|_| gone())?;
        answer.await.map_err(|_| gone())
    }
}

#[async_trait]
impl Team for HubPorts {
    async fn spawn(&self, request: SpawnRequest) -> Result<AgentId, String> {
        self.call(|reply| Event::Spawn { request, reply }).await?
    }

    async fn mode_of_type(&self, agent_type: &str) -> Result<Option<Mode>, String> {
        self.call(|reply| Event::ModeOfType { agent_type: agent_type.to_owned(), reply }).await?
    }

    async fn modes(&self) -> Result<Vec<(AgentId, Mode)>, String> {
        self.call(|reply| Event::Modes { reply }).await
    }

    async fn set_modes(&self, modes: Vec<(AgentId, Mode)>) -> Result<String, String> {
        self.call(|reply| Event::SetModes { modes, reply }).await?
    }

    async fn review_plan(
        &self,
        name: &str,
        approve: bool,
        feedback: Option<String>,
    ) -> Result<String, String> {
        self.call(|reply| Event::ReviewPlan { name: name.to_owned(), approve, feedback, reply }).await?
    }

    async fn request_shutdown(&self, name: &str, reason: Option<String>) -> Result<String, String> {
        self.call(|reply| Event::RequestShutdown { name: name.to_owned(), reason, reply }).await?
    }
}
