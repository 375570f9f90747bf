//! The body of a streamed answer: events at their pace, gates, and the way in which the script lets it fail.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::stream;
use http_body_util::{BodyExt as _, StreamBody};
use hyper::body::Frame;

use super::{Body, Shared};
use crate::format::Act;
use crate::script::{Ending, Step, StreamError};

/// The gate at which streams stand that hang, so that a test can wait for them; to open it lets none go on.
const HANG: &str = "hang";

/// An answer that is not out yet; if it is dropped so, the client has gone.
pub(super) struct InFlight {
    shared: Arc<Shared>,
    over: bool,
}

pub(super) struct Stream {
    acts: VecDeque<Act>,
    /// Bytes of the event under way, in the size of a write.
    writes: VecDeque<Bytes>,
    chunk_bytes: usize,
    event_delay: Duration,
    /// How many bytes may still go out before the cut.
    bytes_left: Option<usize>,
    /// How many events may still go out before `then`.
    events_left: Option<usize>,
    then: Then,
    in_flight: InFlight,
    is_first: bool,
}

/// What happens when the events are used up before the answer is.
enum Then {
    Cut,
    Hang,
    Say(String),
}

impl InFlight {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        Self { shared, over: false }
    }

    pub(super) fn shared(&self) -> &Shared {
        &self.shared
    }

    /// Nothing more is to be sent, by our own will.
    pub(super) fn is_over(&mut self) {
        self.over = true;
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        if !self.over {
            self.shared.records.aborted.send_modify(|aborted| *aborted += 1);
        }
    }
}

impl Ending {
    pub(super) fn error(&self) -> Option<&StreamError> {
        match self {
            Self::Error(error) => Some(error),
            Self::CutAfterBytes(_) | Self::CutAfterEvents(_) | Self::HangAfterEvents(_) => None,
        }
    }
}

impl Stream {
    /// `error_event` is sent where the step's ending is an error.
    pub(super) fn new(acts: Vec<Act>, step: &Step, error_event: String, in_flight: InFlight) -> Self {
        let (bytes_left, events_left, then) = match &step.ending {
            None => (None, None, Then::Cut),
            Some(Ending::CutAfterBytes(bytes)) => (Some(*bytes), None, Then::Cut),
            Some(Ending::CutAfterEvents(events)) => (None, Some(*events), Then::Cut),
            Some(Ending::HangAfterEvents(events)) => (None, Some(*events), Then::Hang),
            Some(Ending::Error(error)) => (None, Some(error.after_events), Then::Say(error_event)),
        };
        Self {
            acts: acts.into(),
            writes: VecDeque::new(),
            chunk_bytes: step.chunk_bytes.unwrap_or(usize::MAX).max(1),
            event_delay: Duration::from_millis(step.event_delay_ms),
            bytes_left,
            events_left,
            then,
            in_flight,
            is_first: true,
        }
    }

    pub(super) fn into_body(self) -> Body {
        let frames = stream::unfold(self, |mut this| async move {
            let next = this.next().await?;
            Some((next.map(Frame::data), this))
        });
        StreamBody::new(frames).boxed_unsync()
    }

    async fn next(&mut self) -> Option<io::Result<Bytes>> {
        // To give way makes the connection send what it holds, so that writes stay apart and a cut comes after
        // all bytes before it.
        tokio::task::yield_now().await;
        while self.writes.is_empty() {
            if self.in_flight.over {
                return None;
            }
            if let Some(failure) = self.next_act().await {
                return failure;
            }
        }
        let mut write = self.writes.pop_front()?;
        if let Some(left) = &mut self.bytes_left {
            write.truncate(*left);
            *left -= write.len();
            if write.is_empty() {
                return self.cut();
            }
        }
        if self.acts.is_empty() && self.writes.is_empty() {
            // Whoever has all of it may go; what is still to come is only the end of the body.
            self.in_flight.is_over();
        }
        Some(Ok(write))
    }

    /// `Some` ends the stream in the way it holds.
    async fn next_act(&mut self) -> Option<Option<io::Result<Bytes>>> {
        let event = match self.acts.pop_front() {
            None => {
                self.in_flight.is_over();
                return Some(None);
            }
            Some(Act::Gate(name)) => {
                self.in_flight.shared.gates.pass(&name).await;
                return None;
            }
            Some(Act::Event(event)) => event,
        };
        let event = match &mut self.events_left {
            Some(0) => match std::mem::replace(&mut self.then, Then::Cut) {
                Then::Cut => return Some(self.cut()),
                Then::Hang => {
                    self.in_flight.shared.gates.pass(HANG).await;
                    std::future::pending().await
                }
                Then::Say(error) => {
                    self.acts.clear();
                    error
                }
            },
            Some(left) => {
                *left -= 1;
                event
            }
            None => event,
        };
        if !self.event_delay.is_zero() && !std::mem::take(&mut self.is_first) {
            tokio::time::sleep(self.event_delay).await;
        }
        let mut rest = Bytes::from(event);
        while !rest.is_empty() {
            self.writes.push_back(rest.split_to(self.chunk_bytes.min(rest.len())));
        }
        None
    }

    fn cut(&mut self) -> Option<io::Result<Bytes>> {
        self.in_flight.is_over();
        Some(Err(io::Error::new(io::ErrorKind::ConnectionAborted, "the script cuts the stream here")))
    }
}
