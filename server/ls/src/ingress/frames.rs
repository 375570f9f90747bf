//! Cuts the client's byte stream into messages and carries them on. Never fails: what is no message is
//! refused and skipped, and only the end of the stream ends it. Knows nothing of what messages mean but
//! `shutdown` and `exit`, which must get through even when nothing else does.

use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

use crate::exit::{Ending, Exit};
use crate::ingress::message::{self, Incoming};
use crate::lsp::ErrorCode;

/// The largest message taken, in bytes; a larger one is refused and skipped without being kept.
pub(crate) const MAX_BODY: u64 = 64 << 20;
/// A length beyond this is no message's: the bytes after it are searched for the next header instead.
const MAX_PLAUSIBLE: u64 = 1 << 30;
/// The most that a header may take, in bytes.
const MAX_HEADER: usize = 8 << 10;
/// How many bytes of whole messages may wait for the library while it waits for a client that does not
/// read. Beyond it the client's writes block, which is all that is left to do.
const BACKLOG: usize = 64 << 20;
const NAME: &[u8] = b"content-length";

/// A piece of the stream.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Frame {
    Body(Vec<u8>),
    /// No message could be read here; the text says why.
    Broken(String),
}

/// The state between two reads.
#[derive(Debug)]
enum State {
    Header,
    Body(usize),
    /// Dropping the body of a message that was refused.
    Skip(u64),
    /// Looking for the next `Content-Length`.
    Search,
}

/// Cuts bytes into frames however they are split.
#[derive(Debug)]
pub(crate) struct Decoder {
    buffer: Vec<u8>,
    state: State,
}

impl Decoder {
    pub(crate) fn new() -> Self {
        Self { buffer: Vec::new(), state: State::Header }
    }

    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// The next frame, or `None` until more bytes are fed.
    pub(crate) fn next(&mut self) -> Option<Frame> {
        loop {
            match self.state {
                State::Header => match self.header()? {
                    Ok(length) if length <= MAX_BODY => self.state = State::Body(length as usize),
                    Ok(length) if length <= MAX_PLAUSIBLE => {
                        self.state = State::Skip(length);
                        let text =
                            format!("a message of {length} bytes is too large; the most is {MAX_BODY}");
                        return Some(Frame::Broken(text));
                    }
                    Ok(length) => {
                        self.state = State::Search;
                        return Some(Frame::Broken(format!("a Content-Length of {length} is no message's")));
                    }
                    Err(problem) => {
                        self.state = State::Search;
                        return Some(Frame::Broken(problem));
                    }
                },
                State::Body(length) => {
                    if self.buffer.len() < length {
                        return None;
                    }
                    let rest = self.buffer.split_off(length);
                    let body = std::mem::replace(&mut self.buffer, rest);
                    self.state = State::Header;
                    return Some(Frame::Body(body));
                }
                State::Skip(left) => {
                    let now = left.min(self.buffer.len() as u64);
                    self.buffer.drain(..now as usize);
                    if now < left {
                        self.state = State::Skip(left - now);
                        return None;
                    }
                    self.state = State::Header;
                }
                State::Search => match find_name(&self.buffer) {
                    Some(at) => {
                        self.buffer.drain(..at);
                        self.state = State::Header;
                    }
                    None => {
                        // The name may be cut by the end of what came so far.
                        let keep = self.buffer.len().min(NAME.len() - 1);
                        self.buffer.drain(..self.buffer.len() - keep);
                        return None;
                    }
                },
            }
        }
    }

    /// Takes the header off the buffer: the length of the body, or why there is none.
    fn header(&mut self) -> Option<Result<u64, String>> {
        let end = self.buffer.windows(4).take(MAX_HEADER).position(|four| four == b"\r\n\r\n");
        let seen = end.unwrap_or(self.buffer.len());
        if hopeless(&self.buffer[..seen]) || (end.is_none() && seen > MAX_HEADER) {
            // What does not begin as a header will not become one: the search goes on behind its first byte.
            self.buffer.drain(..1);
            return Some(Err("there is no header where a message should begin".into()));
        }
        let header: Vec<u8> = self.buffer.drain(..end? + 4).collect();
        Some(content_length(&header))
    }
}

/// Whether these bytes cannot be the start of a header.
fn hopeless(bytes: &[u8]) -> bool {
    bytes.iter().any(|byte| !matches!(byte, b'\r' | b'\n' | b'\t' | b' '..=b'~'))
        || bytes.first().is_some_and(|byte| !byte.is_ascii_alphabetic())
}

fn content_length(header: &[u8]) -> Result<u64, String> {
    let text = String::from_utf8_lossy(header);
    let mut length = None;
    for line in text.split("\r\n") {
        let Some((name, value)) = line.split_once(':') else { continue };
        if name.trim().eq_ignore_ascii_case("content-length") {
            let value = value.trim();
            length = Some(value.parse::<u64>().map_err(|_| format!("`{value}` is no Content-Length"))?);
        }
    }
    length.ok_or_else(|| "a header has no Content-Length".into())
}

fn find_name(bytes: &[u8]) -> Option<usize> {
    bytes.windows(NAME.len()).position(|window| window.eq_ignore_ascii_case(NAME))
}

/// A whole message on its way to the library, and its share of the backlog.
type Queued = (Vec<u8>, OwnedSemaphorePermit);

/// Reads `stdin` to its end, or to `exit`; what can be read goes on to `library`, in order.
pub(crate) async fn pump(
    mut stdin: impl AsyncRead + Unpin,
    library: impl AsyncWrite + Unpin + Send + 'static,
    exit: Exit,
) {
    let (queue, waiting) = mpsc::unbounded_channel();
    // Ends when the queue's sender goes, and with it the library's input.
    let writer = tokio::spawn(forward(waiting, library));
    let ending = read(&mut stdin, &queue, &exit).await;
    drop(queue);
    exit.begin(ending);
    // What came before the end is still answered, for as long as the exit allows.
    let _ = writer.await;
}

async fn read(
    stdin: &mut (impl AsyncRead + Unpin),
    queue: &mpsc::UnboundedSender<Queued>,
    exit: &Exit,
) -> Ending {
    let backlog = Arc::new(Semaphore::new(BACKLOG));
    let mut decoder = Decoder::new();
    let mut bytes = vec![0; 64 << 10];
    loop {
        while let Some(frame) = decoder.next() {
            let body = match frame {
                Frame::Broken(problem) => message::refusal(None, ErrorCode::ParseError, &problem),
                Frame::Body(body) => match message::sort(body) {
                    Incoming::Forward(body) => body,
                    Incoming::Shutdown(body) => {
                        exit.shutdown_was_asked();
                        body
                    }
                    Incoming::Exit => return Ending::Exit,
                },
            };
            let share = body.len().min(BACKLOG) as u32;
            let Ok(permit) = backlog.clone().acquire_many_owned(share).await else { return Ending::Closed };
            if queue.send((body, permit)).is_err() {
                return Ending::Closed;
            }
        }
        match stdin.read(&mut bytes).await {
            Ok(0) => return Ending::Closed,
            Ok(count) => decoder.feed(&bytes[..count]),
            Err(error) => {
                tracing::warn!(%error, "stdin cannot be read");
                return Ending::Closed;
            }
        }
    }
}

async fn forward(mut waiting: mpsc::UnboundedReceiver<Queued>, mut library: impl AsyncWrite + Unpin) {
    while let Some((body, _permit)) = waiting.recv().await {
        let header = format!("Content-Length: {}\r\n\r\n", body.len());
        let written = async {
            library.write_all(header.as_bytes()).await?;
            library.write_all(&body).await
        };
        if written.await.is_err() {
            // The library is gone, which ends the server by another way.
            return;
        }
    }
}

#[cfg(test)]
mod tests;
