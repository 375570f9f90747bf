//! One attempt: post the request and read the stream to its end, or to where it broke.
//!
//! What came so far lives in the attempt and not in the future that reads, so that a cancelled read loses
//! nothing.

use std::time::{Duration, SystemTime};

use bytes::Bytes;
use reqwest::header::{CONTENT_TYPE, HeaderMap};
use reqwest::{Response, Url};
use tokio::time::timeout;

use crate::config::Config;
use crate::error::Error;
use crate::event::{Delta, Reply};
use crate::provider::{Decoder, Fault, Progress};
use crate::refusal;
use crate::sse;
use crate::transport::{is_bad_certificate, root_cause};

/// The most that is read of a body that is no stream, in bytes.
const LONGEST_REFUSAL: usize = 64 * 1024;

/// What is the same for every attempt of a call.
pub(crate) struct Post<'a> {
    pub http: &'a reqwest::Client,
    pub config: &'a Config,
    pub host: &'a str,
    pub key_variable: &'static str,
    pub url: Url,
    pub headers: HeaderMap,
    pub body: Bytes,
}

pub(crate) struct Attempt {
    decoder: Box<dyn Decoder>,
    events: Vec<sse::Event>,
    parser: sse::Parser,
    /// All text that was given as [`Delta::Text`].
    streamed: String,
}

impl Attempt {
    pub(crate) fn new(decoder: Box<dyn Decoder>) -> Self {
        Self { decoder, events: Vec::new(), parser: sse::Parser::default(), streamed: String::new() }
    }

    /// What is finished so far.
    pub(crate) fn finished(&self) -> Reply {
        self.decoder.finished()
    }

    pub(crate) fn into_streamed(self) -> String {
        self.streamed
    }

    pub(crate) async fn run(
        &mut self,
        post: &Post<'_>,
        deltas: &mut (dyn FnMut(Delta) + Send),
    ) -> Result<Reply, Error> {
        let first_byte_by = tokio::time::Instant::now() + post.config.first_byte_timeout;
        let request = post.http.post(post.url.clone()).headers(post.headers.clone()).body(post.body.clone());
        let mut response = tokio::time::timeout_at(first_byte_by, request.send())
            .await
            .map_err(|_| post.silent(post.config.first_byte_timeout))?
            .map_err(|error| post.not_sent(&error))?;
        if !response.status().is_success() {
            return Err(post.refused(response).await);
        }
        if !is_event_stream(response.headers()) {
            let body = head_of(&mut response, post.config.idle_timeout).await;
            let excerpt = refusal::excerpt(&body);
            return Err(post.malformed(format!("it is no stream of events: {excerpt}")));
        }
        let first = tokio::time::timeout_at(first_byte_by, response.chunk())
            .await
            .map_err(|_| post.silent(post.config.first_byte_timeout))?;
        self.read(first, response, post, deltas).await
    }

    async fn read(
        &mut self,
        first: Result<Option<Bytes>, reqwest::Error>,
        mut response: Response,
        post: &Post<'_>,
        deltas: &mut (dyn FnMut(Delta) + Send),
    ) -> Result<Reply, Error> {
        let mut next = first;
        loop {
            match next {
                Ok(Some(bytes)) => {
                    if let Some(reply) = self.take(&bytes, post, deltas)? {
                        return Ok(reply);
                    }
                }
                Ok(None) => return self.decoder.closed().map_err(|fault| post.fault(fault)),
                // What is missing may be no more than what follows a whole answer.
                Err(error) => {
                    return self.decoder.closed().map_err(|_| post.interrupted(root_cause(&error)));
                }
            }
            next = match timeout(post.config.idle_timeout, response.chunk()).await {
                Ok(next) => next,
                Err(_) => return self.decoder.closed().map_err(|_| post.silent(post.config.idle_timeout)),
            };
        }
    }

    fn take(
        &mut self,
        bytes: &[u8],
        post: &Post<'_>,
        deltas: &mut (dyn FnMut(Delta) + Send),
    ) -> Result<Option<Reply>, Error> {
        let pushed = self.parser.push(bytes, &mut self.events);
        let streamed = &mut self.streamed;
        let mut text = |more: &str| {
            streamed.push_str(more);
            deltas(Delta::Text(more.to_owned()));
        };
        for event in self.events.drain(..) {
            match self.decoder.event(&event, &mut text).map_err(|fault| post.fault(fault))? {
                Progress::More => {}
                Progress::Done(reply) => return Ok(Some(reply)),
            }
        }
        pushed.map(|()| None).map_err(|error| post.malformed(error.to_string()))
    }
}

impl Post<'_> {
    fn host(&self) -> String {
        self.host.to_owned()
    }

    /// What the server sent may hold what was sent to it.
    fn scrub(&self, text: &str) -> String {
        self.config.api_key.as_ref().map_or_else(|| text.to_owned(), |key| key.scrubbed_from(text))
    }

    fn silent(&self, silence: Duration) -> Error {
        Error::Silent { host: self.host(), silence }
    }

    fn interrupted(&self, reason: String) -> Error {
        Error::Interrupted { host: self.host(), reason }
    }

    fn malformed(&self, reason: String) -> Error {
        Error::Malformed { host: self.host(), reason: self.scrub(&reason) }
    }

    fn not_sent(&self, error: &reqwest::Error) -> Error {
        let reason = root_cause(error);
        if is_bad_certificate(error) {
            return Error::Certificate { host: self.host(), reason };
        }
        if error.is_connect() {
            return Error::Connect { host: self.host(), reason };
        }
        self.interrupted(reason)
    }

    fn fault(&self, fault: Fault) -> Error {
        match fault {
            Fault::Reported { kind, message } => {
                let kind = kind.map(|kind| self.scrub(&kind));
                Error::Reported { host: self.host(), kind, message: self.scrub(&message) }
            }
            Fault::Malformed(reason) => self.malformed(reason),
            Fault::Incomplete => self.interrupted("the connection was closed".into()),
        }
    }

    async fn refused(&self, mut response: Response) -> Error {
        let body = head_of(&mut response, self.config.idle_timeout).await;
        let body = self.scrub(&String::from_utf8_lossy(&body));
        let (status, headers) = (response.status(), response.headers());
        refusal::read(self.host, self.key_variable, status, headers, body.as_bytes(), SystemTime::now())
    }
}

fn is_event_stream(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    kind.trim_start().to_ascii_lowercase().starts_with("text/event-stream")
}

/// As much as comes in good time; what is missing then would only have made a message longer.
async fn head_of(response: &mut Response, patience: Duration) -> Vec<u8> {
    let mut body = Vec::new();
    while body.len() < LONGEST_REFUSAL {
        match timeout(patience, response.chunk()).await {
            Ok(Ok(Some(bytes))) => body.extend_from_slice(&bytes),
            _ => break,
        }
    }
    body
}

#[cfg(test)]
mod tests;
