//! A member's own mailbox: each message is handed on once, and acknowledged when its receipt says so.

use std::sync::{Arc, Mutex, PoisonError};

use swarm_store::mailbox::{Changes, Content, Delivered, Unread};
use swarm_store::{Origin, Reader, Standing, Watch};
use swarm_wire::TurnId;
use swarm_wire::mail::{Message, Protocol};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::context::{wrap_message, wrap_plan, wrap_shutdown, wrap_task};
use crate::event::{Report, Reporter};
use crate::inbox::{Class, Input, Receipt};

/// A message that came, with what acknowledges it.
#[derive(Debug)]
pub struct Incoming {
    pub message: Message,
    pub origin: Origin,
    /// Who stands behind it, which decides what it may do.
    pub standing: Standing,
    pub content: Content,
    pub receipt: Receipt,
}

/// What a look into a mailbox gives.
#[derive(Debug)]
pub enum Arrival {
    Message(Box<Incoming>),
    /// A file that is not let through, in words for the user.
    Refused(String),
}

/// The reading end of a mailbox.
pub struct Letterbox {
    reader: Arc<Mutex<Reader>>,
    changes: Changes,
}

impl Letterbox {
    /// The reader's mailbox must exist.
    pub fn new(reader: Reader, watch: &Watch) -> Self {
        let changes = watch.subscribe(reader.mailbox());
        Self { reader: Arc::new(Mutex::new(reader)), changes }
    }

    /// Hands on what comes, until `life` is cancelled or nobody takes it any more.
    pub async fn run(mut self, taker: mpsc::UnboundedSender<Arrival>, life: CancellationToken) {
        while life.run_until_cancelled(self.changes.changed()).await.is_some() {
            for arrival in self.look().await {
                if taker.send(arrival).is_err() {
                    return;
                }
            }
        }
    }

    async fn look(&self) -> Vec<Arrival> {
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
        let refused = problems.into_iter().map(|problem| {
            let (path, why) = (problem.path.display(), problem.why);
            tracing::warn!(%path, why, "mail that is not let through");
            Arrival::Refused(format!("mail that is not let through: {path}: {why}"))
        });
        let messages = mail.into_iter().map(|delivered| Arrival::Message(Box::new(self.incoming(delivered))));
        refused.chain(messages).collect()
    }

    fn incoming(&self, delivered: Delivered) -> Incoming {
        let Delivered { message, origin, standing, content, handle } = delivered;
        let reader = self.reader.clone();
        let receipt = Receipt::new(move || {
            let acknowledged = reader.lock().unwrap_or_else(PoisonError::into_inner).ack(&handle);
            if let Err(error) = acknowledged {
                // It comes again after a restart, where the transcript knows it.
                tracing::error!(%error, "a message was not acknowledged");
            }
        });
        Incoming { message, origin, standing, content, receipt }
    }
}

/// A message as something to put to the model, or back as it came when it is for the program.
pub fn input_of(incoming: Incoming) -> Result<Input, Box<Incoming>> {
    let Incoming { message, origin, standing, content, .. } = &incoming;
    let wrapped = |from: &str| wrap_message(from, message.summary.as_deref(), &message.text);
    let (mut shutdown, mut pictures) = (None, Vec::new());
    let (class, turn, text) = match (content, origin, standing) {
        (Content::Text, Origin::User, Standing::Leader) => (Class::User, None, message.text.clone()),
        (Content::Text, Origin::Agent(from), Standing::Leader) => {
            (Class::Leader, None, wrapped(from.name.as_str()))
        }
        (Content::Text, Origin::Agent(from), Standing::Member) => {
            (Class::Peer, None, wrapped(from.name.as_str()))
        }
        // Whoever it says it is from, nobody known stands behind it.
        (Content::Text, _, _) => (Class::Peer, None, wrapped(&message.from)),
        (Content::Protocol(protocol), from, Standing::Leader) => match protocol.as_ref() {
            Protocol::UserMessage { request_id, text, pictures: with } => {
                pictures.clone_from(with);
                // From the leader's agent it is the prompt of a spawn.
                let class = if *from == Origin::User { Class::User } else { Class::Leader };
                (class, Some(TurnId::new(request_id.as_str())), text.clone())
            }
            Protocol::TaskAssigned { task } => (Class::Task, None, wrap_task(task)),
            Protocol::PlanReview { from, plan, .. } => {
                (Class::Leader, None, wrap_plan(from.name.as_str(), plan))
            }
            Protocol::ShutdownRequest { request_id, reason } => {
                let asker = match from {
                    Origin::Agent(from) => from.name.as_str(),
                    _ => "the user",
                };
                shutdown = Some(request_id.clone());
                (Class::Shutdown, None, wrap_shutdown(asker, request_id, reason.as_deref()))
            }
            _ => return Err(Box::new(incoming)),
        },
        (Content::Protocol(_) | Content::Opaque { .. }, _, _) => return Err(Box::new(incoming)),
    };
    let from = match origin {
        Origin::Agent(from) => Some(from.clone()),
        _ => None,
    };
    let message = message.id.clone();
    Ok(Input { class, from, turn, shutdown, text, pictures, message, receipt: incoming.receipt })
}

/// Feeds a teammate's inbox from its mailbox, until `life` is cancelled.
pub async fn deliver(
    letterbox: Letterbox,
    reporter: Reporter,
    inbox: mpsc::UnboundedSender<Input>,
    life: CancellationToken,
) {
    let (taker, mut arrivals) = mpsc::unbounded_channel();
    let sort = async {
        while let Some(arrival) = arrivals.recv().await {
            let incoming = match arrival {
                Arrival::Message(incoming) => *incoming,
                Arrival::Refused(text) => {
                    reporter.send(Report::Warned { text }).await;
                    continue;
                }
            };
            match input_of(incoming) {
                Ok(input) => {
                    // A member that ended leaves its mail unread.
                    let _ = inbox.send(input);
                }
                Err(incoming) => {
                    let text = format!(
                        "{} does not take this mail from {}",
                        reporter.agent.name, incoming.message.from
                    );
                    tracing::warn!(text, content = ?incoming.content);
                    reporter.send(Report::Warned { text }).await;
                    incoming.receipt.acknowledge().await;
                }
            }
        }
    };
    tokio::join!(letterbox.run(taker, life), sort);
}
