//! Everything that leaves for the client but answers: one bounded queue, emptied as fast as the client
//! reads. No sender ever waits for the client to read. Requests to the client are told apart by our own
//! ids here, so that an answer that comes late, twice or to nobody is dropped.
//!
//! The library's own half of this, its `Client`, is not used: it panics at an answer to a request that
//! nobody waits for any more, and makes each sender of a notification wait for the client.

mod queue;

use std::collections::HashMap;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use futures::task::AtomicWaker;
use futures::{Sink, Stream};
use serde_json::Value;
use swarm_wire::TeamName;
use swarm_wire::lsp::Event;
use tokio::sync::oneshot;

use self::queue::Queue;
use crate::lsp::{ErrorCode, Id, Loopback, Request, Response, RpcError, types};

/// Why a request to the client brought no result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum CallError {
    #[error("the editor answered with an error: {}", .0.message)]
    Client(#[from] RpcError),
    #[error("the editor's answer could not be read: {0}")]
    Unreadable(String),
    #[error("the connection is ending")]
    Closed,
}

impl CallError {
    /// Whether the client does not know the method at all.
    pub(crate) fn is_unsupported(&self) -> bool {
        matches!(self, Self::Client(error) if error.code == ErrorCode::MethodNotFound)
    }
}

/// The way to the client; clones share one queue.
#[derive(Clone, Default)]
pub(crate) struct Proxy {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    waker: AtomicWaker,
}

#[derive(Default)]
struct State {
    /// Whether the client is ready for more than the answer to `initialize`.
    open: bool,
    queue: Queue,
    last_id: i64,
    waiting: HashMap<i64, oneshot::Sender<Result<Value, RpcError>>>,
}

impl Proxy {
    /// Lets out what waited for the end of the handshake, and all that follows.
    pub(crate) fn open(&self) {
        self.change(|state| state.open = true);
    }

    /// Sends a request and waits for its result. Dropping the future takes the request back: off the
    /// queue if it was not sent, and a later answer is dropped.
    pub(crate) async fn request<R: types::request::Request>(
        &self,
        params: R::Params,
    ) -> Result<R::Result, CallError> {
        let params =
            serde_json::to_value(params).map_err(|error| CallError::Unreadable(error.to_string()))?;
        let (sender, answer) = oneshot::channel();
        let id = self.change(|state| {
            state.last_id += 1;
            let id = state.last_id;
            state.waiting.insert(id, sender);
            state.queue.push_request(id, Request::build(R::METHOD).params(params).id(id).finish());
            id
        });
        let _ticket = Ticket { proxy: self, id };
        let value = answer.await.map_err(|_| CallError::Closed)??;
        serde_json::from_value(value).map_err(|error| CallError::Unreadable(error.to_string()))
    }

    /// Sends a notification. One with the same `key` that still waits is replaced by it, in its place.
    pub(crate) fn notify_latest<N: types::notification::Notification>(&self, key: &str, params: N::Params) {
        self.notification::<N>(params, |queue, message| queue.push_latest(key, message));
    }

    /// Sends a notification that must not be lost. For those whose number something else bounds.
    pub(crate) fn notify<N: types::notification::Notification>(&self, params: N::Params) {
        self.notification::<N>(params, Queue::push);
    }

    /// Sends a line for a person or a log; the oldest waiting ones give way to it.
    pub(crate) fn notify_line<N: types::notification::Notification>(&self, params: N::Params) {
        self.notification::<N>(params, Queue::push_line);
    }

    /// Shows `text` to the user.
    pub(crate) fn show(&self, typ: types::MessageType, text: impl Into<String>) {
        let params = types::ShowMessageParams { typ, message: text.into() };
        self.notify_line::<types::notification::ShowMessage>(params);
    }

    /// Sends a `swarm/event`; text joins text of the same turn that still waits.
    pub(crate) fn event(&self, team: TeamName, event: Event) {
        self.change(|state| state.queue.push_event(team, event));
    }

    /// Says that `count` events were lost on the way here, by a gap in `seq`.
    pub(crate) fn skip_events(&self, count: u64) {
        self.change(|state| state.queue.skip_events(count));
    }

    /// The `seq` of the last event that was put into the queue.
    pub(crate) fn last_seq(&self) -> u64 {
        self.lock().queue.last_seq()
    }

    /// Takes an answer of the client.
    fn answer(&self, answer: Response) {
        let (id, outcome) = answer.into_parts();
        let waiting = match id {
            Id::Number(id) => self.lock().waiting.remove(&id),
            _ => None,
        };
        match waiting {
            // An error means that the asker went away in this very moment.
            Some(asker) => drop(asker.send(outcome)),
            None => tracing::debug!(%id, "an answer to no open request was dropped"),
        }
    }

    /// The half that tower-lsp's transport reads from.
    pub(crate) fn loopback(&self) -> Outbound {
        Outbound { proxy: self.clone() }
    }

    fn notification<N: types::notification::Notification>(
        &self,
        params: N::Params,
        push: impl FnOnce(&mut Queue, Request),
    ) {
        match serde_json::to_value(params) {
            Ok(params) => {
                let message = Request::build(N::METHOD).params(params).finish();
                self.change(|state| push(&mut state.queue, message));
            }
            Err(error) => tracing::error!(%error, method = N::METHOD, "a notification is no JSON"),
        }
    }

    fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        let changed = change(&mut self.lock());
        self.shared.waker.wake();
        changed
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Takes an unanswered request back when its asker goes.
struct Ticket<'a> {
    proxy: &'a Proxy,
    id: i64,
}

impl Drop for Ticket<'_> {
    fn drop(&mut self) {
        let mut state = self.proxy.lock();
        state.waiting.remove(&self.id);
        state.queue.remove_request(self.id);
    }
}

/// The queue as the transport sees it: a stream of messages to write.
pub(crate) struct Outbound {
    proxy: Proxy,
}

impl Loopback for Outbound {
    type RequestStream = Self;
    type ResponseSink = Answers;

    fn split(self) -> (Self, Answers) {
        let answers = Answers { proxy: self.proxy.clone() };
        (self, answers)
    }
}

impl Stream for Outbound {
    type Item = Request;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Request>> {
        // Registered before the look, so that nothing put in between is missed.
        self.proxy.shared.waker.register(cx.waker());
        let mut state = self.proxy.lock();
        if !state.open {
            return Poll::Pending;
        }
        match state.queue.pop() {
            Some(message) => Poll::Ready(Some(message)),
            None => Poll::Pending,
        }
    }
}

/// Where the transport puts the client's answers, in their order among its other messages.
pub(crate) struct Answers {
    proxy: Proxy,
}

impl Sink<Response> for Answers {
    type Error = Infallible;

    fn poll_ready(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn start_send(self: Pin<&mut Self>, answer: Response) -> Result<(), Infallible> {
        self.proxy.answer(answer);
        Ok(())
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn poll_close(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests;
