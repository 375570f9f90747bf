//! A member's own mailbox: each message is handed on once, and acknowledged when its receipt says so.

use std::sync::{Arc, Mutex, PoisonError};

use swarm_store::mailbox::{Changes, Origin, Unread};
use swarm_store::{Mailbox, Reader, Watch};
use swarm_wire::mail::{Kind, Message, Protocol};
use swarm_wire::{AgentId, TurnId};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::context::wrap_message;
use crate::inbox::{Class, Input, Receipt};

/// A message that came, with what acknowledges it.
#[derive(Debug)]
pub struct Incoming {
    pub message: Message,
    pub origin: Origin,
    pub receipt: Receipt,
}

/// The reading end of a mailbox.
pub struct Letterbox {
    reader: Arc<Mutex<Reader>>,
    changes: Changes,
}

impl Letterbox {
    /// The mailbox must exist.
    pub fn open(mailbox: &Mailbox, watch: &Watch) -> Self {
        Self { reader: Arc::new(Mutex::new(mailbox.reader())), changes: watch.subscribe(mailbox) }
    }

    /// Hands on what comes, until `life` is cancelled or nobody takes it any more.
    pub async fn run(mut self, taker: mpsc::UnboundedSender<Incoming>, life: CancellationToken) {
        while life.run_until_cancelled(self.changes.changed()).await.is_some() {
            for incoming in self.look().await {
                if taker.send(incoming).is_err() {
                    return;
                }
            }
        }
    }

    async fn look(&self) -> Vec<Incoming> {
        let reader = self.reader.clone();
        let looked = tokio::task::spawn_blocking(move || {
            reader.lock().unwrap_or_else(PoisonError::into_inner).unread()
        });
        let Unread { mail, problems } = match looked.await {
            Ok(Ok(unread)) => unread,
            Ok(Err(error)) => {
                tracing::error!(%error, "the mailbox could not be read");
                return Vec::new();
            }
            Err(lost) => {
                tracing::error!(%lost, "reading the mailbox failed");
                return Vec::new();
            }
        };
        for problem in problems {
            tracing::warn!(path = %problem.path.display(), why = %problem.why, "not a message; left in place");
        }
        let incoming = |delivered: swarm_store::mailbox::Delivered| {
            let (reader, handle) = (self.reader.clone(), delivered.handle);
            let receipt = Receipt::new(move || {
                let acknowledged = reader.lock().unwrap_or_else(PoisonError::into_inner).ack(&handle);
                if let Err(error) = acknowledged {
                    // It comes again after a restart, where the transcript knows it.
                    tracing::error!(%error, "a message was not acknowledged");
                }
            });
            Incoming { message: delivered.message, origin: delivered.origin, receipt }
        };
        mail.into_iter().map(incoming).collect()
    }
}

/// A message as something to put to the model, or back as it came when it is for the program.
pub fn input_of(incoming: Incoming) -> Result<Input, Box<Incoming>> {
    let Incoming { message, origin, .. } = &incoming;
    let (class, turn, text) = match (message.kind, message.protocol(), origin) {
        (Kind::Text, _, Origin::User) => (Class::User, None, message.text.clone()),
        (Kind::Text, _, Origin::Agent(from)) => {
            let class = if from.is_lead() { Class::Leader } else { Class::Peer };
            (class, None, wrap_message(from.name.as_str(), message.summary.as_deref(), &message.text))
        }
        (Kind::Text, _, Origin::External(_)) => {
            (Class::Peer, None, wrap_message(&message.from, message.summary.as_deref(), &message.text))
        }
        (Kind::Protocol, Some(Ok(Protocol::UserMessage { request_id, text })), Origin::User) => {
            (Class::User, Some(TurnId::new(request_id.as_str())), text)
        }
        // The prompt of a spawn is the leader's word.
        (Kind::Protocol, Some(Ok(Protocol::UserMessage { request_id, text })), Origin::Agent(from))
            if from.is_lead() =>
        {
            (Class::Leader, Some(TurnId::new(request_id.as_str())), text)
        }
        _ => return Err(Box::new(incoming)),
    };
    Ok(Input { class, turn, text, message: message.id.clone(), receipt: incoming.receipt })
}

/// Feeds a teammate's inbox from its mailbox, until `life` is cancelled.
pub async fn deliver(
    letterbox: Letterbox,
    agent: AgentId,
    inbox: mpsc::UnboundedSender<Input>,
    life: CancellationToken,
) {
    let (taker, mut incoming) = mpsc::unbounded_channel();
    let sort = async {
        while let Some(incoming) = incoming.recv().await {
            match input_of(incoming) {
                Ok(input) => {
                    // A member that ended leaves its mail unread.
                    let _ = inbox.send(input);
                }
                Err(incoming) => {
                    tracing::warn!(%agent, from = %incoming.message.from, text = %incoming.message.text,
                        "mail that this member does not take; dropped");
                    incoming.receipt.acknowledge().await;
                }
            }
        }
    };
    tokio::join!(letterbox.run(taker, life), sort);
}
