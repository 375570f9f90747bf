//! Several editors on one team: the server that leads it, and those that joined. Each of these shows the same state, passes on
//! what its user wants, and leads when the leader is gone.
//!
//! What goes over the socket is `swarm_wire::relay`. [`door`] is the leader's side, [`link`] the other; [`lead`] changes
//! from one to the other.

mod calls;
pub(crate) mod door;
pub(crate) mod editors;
pub(crate) mod lead;
mod link;

use futures::{SinkExt, StreamExt};
use serde::Serialize;
use serde::de::DeserializeOwned;
use swarm_wire::relay::LINE_MAX;
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio_util::codec::{FramedRead, FramedWrite, LinesCodec};

/// What comes, a message a line.
pub(super) struct Incoming(FramedRead<OwnedReadHalf, LinesCodec>);

/// What goes.
pub(super) struct Outgoing(FramedWrite<OwnedWriteHalf, LinesCodec>);

/// Both ways of a connection; `read` is what was read of it before.
pub(super) fn ways(stream: UnixStream, read: &[u8]) -> (Incoming, Outgoing) {
    let (reading, writing) = stream.into_split();
    let mut incoming = FramedRead::new(reading, LinesCodec::new_with_max_length(LINE_MAX));
    incoming.read_buffer_mut().extend_from_slice(read);
    (Incoming(incoming), Outgoing(FramedWrite::new(writing, LinesCodec::new())))
}

impl Incoming {
    /// The next message, or why there is none. Dropping the future loses nothing.
    pub(super) async fn next<T: DeserializeOwned>(&mut self) -> Result<T, String> {
        let line = self.0.next().await.ok_or_else(|| "the connection ended".to_owned())?;
        let line = line.map_err(|error| error.to_string())?;
        serde_json::from_str(&line).map_err(|error| format!("not a message of this version: {error}"))
    }
}

impl Outgoing {
    /// Sends a message; waits while the other side does not read.
    pub(super) async fn send<T: Serialize>(&mut self, message: &T) -> Result<(), String> {
        let line = serde_json::to_string(message).map_err(|error| error.to_string())?;
        self.0.send(line).await.map_err(|error| error.to_string())
    }
}
