//! What a member takes up next: all that waits of the highest class, in the order in which it came.

use std::collections::VecDeque;

use swarm_wire::picture::Picture;
use swarm_wire::{AgentId, MessageId, RequestId, TurnId};
use tokio::sync::mpsc;

/// Whose word goes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    Shutdown,
    User,
    Leader,
    Peer,
    /// A free task of the team's list.
    Task,
    /// Taken note of with whatever comes next; asks for nothing itself.
    Notice,
}

/// Something to put to the model, and what to acknowledge once it stands in the transcript.
#[derive(Debug)]
pub struct Input {
    pub class: Class,
    /// The member that wrote it, if one did.
    pub from: Option<AgentId>,
    /// The turn that this input starts, where the sender already promised one.
    pub turn: Option<TurnId>,
    /// The request to end that this is, if it is one.
    pub shutdown: Option<RequestId>,
    /// As the model reads it, wrapper included.
    pub text: String,
    /// What goes with the text; kept among the member's outputs already.
    pub pictures: Vec<Picture>,
    pub message: MessageId,
    pub receipt: Receipt,
}

/// Acknowledges a message; dropping it leaves the message unread.
pub struct Receipt(Box<dyn FnOnce() + Send + Sync>);

impl std::fmt::Debug for Receipt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Receipt")
    }
}

impl Receipt {
    /// `acknowledge` may block; it runs once the input is in the transcript.
    pub fn new(acknowledge: impl FnOnce() + Send + Sync + 'static) -> Self {
        Self(Box::new(acknowledge))
    }

    /// Acknowledges, off the async threads. A panic in it leaves the message unread.
    pub async fn acknowledge(self) {
        if let Err(lost) = tokio::task::spawn_blocking(self.0).await {
            tracing::error!(%lost, "a message was not acknowledged");
        }
    }
}

/// A member's queue of inputs.
#[derive(Debug)]
pub struct Inbox {
    arrivals: mpsc::UnboundedReceiver<Input>,
    waiting: VecDeque<Input>,
}

impl Inbox {
    pub fn new(arrivals: mpsc::UnboundedReceiver<Input>) -> Self {
        Self { arrivals, waiting: VecDeque::new() }
    }

    /// Waits for something to do; `None` when no more can come. Cancel safe.
    pub(crate) async fn next(&mut self) -> Option<Vec<Input>> {
        if self.waiting.is_empty() {
            self.waiting.push_back(self.arrivals.recv().await?);
        }
        self.gather();
        let class = self.waiting.iter().map(|input| input.class).min()?;
        let (taken, left) = self.waiting.drain(..).partition(|input| input.class == class);
        self.waiting = left;
        Some(Vec::from_iter::<VecDeque<Input>>(taken))
    }

    /// All that waits now, most urgent first, for a turn that is running.
    pub(crate) fn take_all(&mut self) -> Vec<Input> {
        self.gather();
        let mut all: Vec<Input> = self.waiting.drain(..).collect();
        all.sort_by_key(|input| input.class);
        all
    }

    pub(crate) fn is_empty(&mut self) -> bool {
        self.gather();
        self.waiting.is_empty()
    }

    /// Whether the user waits for an answer.
    pub(crate) fn has_user(&mut self) -> bool {
        self.gather();
        self.waiting.iter().any(|input| input.class == Class::User)
    }

    /// Waits until the user writes. Cancel safe.
    pub(crate) async fn user_writes(&mut self) {
        while let Some(input) = self.arrivals.recv().await {
            let is_urgent = input.class <= Class::User;
            self.waiting.push_back(input);
            if is_urgent {
                return;
            }
        }
        std::future::pending().await
    }

    fn gather(&mut self) {
        while let Ok(input) = self.arrivals.try_recv() {
            self.waiting.push_back(input);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(class: Class, text: &str) -> Input {
        let receipt = Receipt::new(|| {});
        Input {
            class,
            from: None,
            turn: None,
            shutdown: None,
            text: text.into(),
            pictures: Vec::new(),
            message: MessageId::new(text),
            receipt,
        }
    }

    fn texts(inputs: Vec<Input>) -> Vec<String> {
        inputs.into_iter().map(|input| input.text).collect()
    }

    #[tokio::test]
    async fn the_highest_class_goes_first_and_whole() {
        let (send, arrivals) = mpsc::unbounded_channel();
        let mut inbox = Inbox::new(arrivals);
        for (class, text) in [
            (Class::Peer, "p1"),
            (Class::User, "u1"),
            (Class::Leader, "l1"),
            (Class::Peer, "p2"),
            (Class::User, "u2"),
        ] {
            send.send(input(class, text)).unwrap();
        }
        assert_eq!(texts(inbox.next().await.unwrap()), ["u1", "u2"]);
        assert_eq!(texts(inbox.next().await.unwrap()), ["l1"]);
        send.send(input(Class::User, "u3")).unwrap();
        assert!(inbox.has_user());
        assert_eq!(texts(inbox.take_all()), ["u3", "p1", "p2"]);
        assert!(inbox.is_empty());
        drop(send);
        assert!(inbox.next().await.is_none());
    }
}
