//! Mail for the leader: for its agent, or for the hub.

use std::time::Duration;

use swarm_agent::{Class, Incoming, Input, Receipt};
use swarm_store::mailbox::Content;
use swarm_store::{Origin, Standing};
use swarm_wire::lsp::Event as ClientEvent;
use swarm_wire::mail::{IdleNotification, IdleReason, Protocol};

use super::Hub;
use crate::event::Event;

/// How long a notice waits for others. The leader's agent is to start within a second.
const NOTICES_WAIT: Duration = Duration::from_millis(200);

impl Hub {
    /// Mail that came.
    pub(super) async fn mail(&mut self, incoming: Incoming) {
        let incoming = match swarm_agent::input_of(incoming) {
            Ok(input) => return self.give_lead(input).await,
            Err(incoming) => *incoming,
        };
        let Some(incoming) = self.for_process(incoming).await else { return };
        let Incoming { message, origin, standing, content, receipt } = incoming;
        match (content, origin, standing) {
            (Content::Protocol(protocol), Origin::Agent(from), Standing::Member) => match *protocol {
                Protocol::IdleNotification(idle) => {
                    let text = swarm_agent::wrap_idle(from.name.as_str(), &idle);
                    let class = if is_news(&idle) { Class::Leader } else { Class::Notice };
                    let message = message.id;
                    let from = Some(from);
                    if self.notices.is_empty() {
                        self.after(NOTICES_WAIT, Event::GiveNotices);
                    }
                    self.notices.push(Input {
                        class,
                        from,
                        turn: None,
                        shutdown: None,
                        text,
                        pictures: Vec::new(),
                        message,
                        receipt,
                    });
                }
                Protocol::ShutdownResponse { request_id, approve, reason } => {
                    let answer = (request_id, approve, reason);
                    self.shutdown_answered(&from, answer, (message.id, receipt)).await;
                }
                other => self.refuse_mail(&message.from, &other, receipt).await,
            },
            (content, ..) => self.refuse_mail(&message.from, &content, receipt).await,
        }
    }

    async fn refuse_mail(&mut self, from: &str, content: &(dyn std::fmt::Debug + Sync), receipt: Receipt) {
        tracing::warn!(from, ?content, "mail that the leader does not take");
        self.publish(vec![ClientEvent::Warning {
            text: format!("the leader does not take this mail from {from}"),
        }]);
        receipt.acknowledge().await;
    }

    pub(super) async fn give_lead(&mut self, input: Input) {
        let lead = self.team.as_ref().map(|team| team.led.file.lead_agent_id.clone());
        let live = lead.and_then(|lead| self.roster.get(&lead)).and_then(|member| member.live.as_ref());
        if let Some(live) = live {
            // A lead that ends in this moment leaves its mail unread, for its next start.
            let _ = live.inbox.send(input);
        }
    }
}

/// Whether a notice is worth a request: what a member did is, that it rests is not.
fn is_news(idle: &IdleNotification) -> bool {
    match idle.idle_reason {
        IdleReason::Failed => true,
        IdleReason::Available => idle.summary.is_some() || idle.completed_task_id.is_some(),
        IdleReason::Interrupted => idle.completed_task_id.is_some(),
    }
}
