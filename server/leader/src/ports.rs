//! What a member in this process reaches of its leader: the hub, through its queue.

use async_trait::async_trait;
use swarm_agent::ports::{Ask, InputCheck, SpawnRequest, Team, Withdrawn};
use swarm_wire::AgentId;
use swarm_wire::permission::{Answer, PermissionRequest};
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
        let (answer, answered) = oneshot::channel();
        let asked = Event::Asked { request: Box::new(request), check, answer };
        self.events.send(asked).await.map_err(|_| Withdrawn)?;
        match turn.run_until_cancelled(answered).await {
            Some(Ok(answer)) => Ok(answer),
            Some(Err(_)) => Err(Withdrawn),
            None => {
                let (done, withdrawn) = oneshot::channel();
                // A hub that is gone has withdrawn everything.
                if self.events.send(Event::Withdrawn { id, done }).await.is_ok() {
                    let _ = withdrawn.await;
                }
                Err(Withdrawn)
            }
        }
    }
}

#[async_trait]
impl Team for HubPorts {
    async fn spawn(&self, request: SpawnRequest) -> Result<AgentId, String> {
        let gone = || "the server is shutting down".to_owned();
        let (reply, spawned) = oneshot::channel();
        self.events.send(Event::Spawn { request, reply }).await.map_err(|_| gone())?;
        spawned.await.map_err(|_| gone())?
    }

    async fn request_shutdown(&self, name: &str, reason: Option<String>) -> Result<String, String> {
        let gone = || "the server is shutting down".to_owned();
        let (reply, asked) = oneshot::channel();
        let event = Event::RequestShutdown { name: name.to_owned(), reason, reply };
        self.events.send(event).await.map_err(|_| gone())?;
        asked.await.map_err(|_| gone())?
    }
}
