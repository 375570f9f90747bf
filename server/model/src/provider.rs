//! What a wire format must be able to say, so that the client above knows none of them.
//!
//! A provider encodes a request, and its decoder turns the events of one stream into one answer. Neither
//! sends, waits or tries again.

use std::fmt;

use reqwest::Url;
use reqwest::header::{HeaderMap, InvalidHeaderValue};
use serde_json::Value;

use crate::config::ApiKey;
use crate::event::Reply;
use crate::request::{Effort, Request};
use crate::sse::Event;

/// One wire format.
pub(crate) trait Provider: fmt::Debug + Send + Sync {
    /// Where a request is posted, beneath the address that the user gave.
    fn endpoint(&self, base: &Url) -> Url;

    /// The headers beside the body's own.
    fn headers(&self, key: Option<&ApiKey>) -> Result<HeaderMap, InvalidHeaderValue>;

    /// The body, with `effort` in place of the request's own. Equal parts of requests give equal bytes, cache marks
    /// aside.
    fn encode(&self, request: &Request, effort: Option<Effort>) -> Result<Vec<u8>, serde_json::Error>;

    fn decoder(&self) -> Box<dyn Decoder>;
}

/// Makes one answer of the events of one stream.
pub(crate) trait Decoder: Send {
    /// Takes an event; new text of the answer goes to `text`.
    ///
    /// # Errors
    /// The stream is of no more use.
    fn event(&mut self, event: &Event, text: &mut dyn FnMut(&str)) -> Result<Progress, Fault>;

    /// The connection was closed in good order, which ends an answer in some formats.
    ///
    /// # Errors
    /// Says that the answer was not at its end.
    fn closed(&mut self) -> Result<Reply, Fault>;

    /// What is finished when the stream broke: text as far as it came, whole calls, whole opaque items.
    fn finished(&self) -> Reply;
}

#[derive(Debug, PartialEq)]
pub(crate) enum Progress {
    More,
    Done(Reply),
}

/// Why a stream is of no more use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The provider itself reported an error.
    Reported {
        kind: Option<String>,
        message: String,
    },
    Malformed(String),
    /// The end came before that of the answer.
    Incomplete,
}

impl Fault {
    /// The error in the data of an event. It stands beneath `error` or is the data itself, and servers differ in
    /// what of it they give: an object with a code (a word, or a mere status), a type and a message, or a text.
    pub(crate) fn reported(data: &str) -> Self {
        let data = serde_json::from_str(data).unwrap_or_else(|_| Value::from(data));
        let error = data.get("error").filter(|error| !error.is_null()).unwrap_or(&data);
        let word = |field: &str| error.get(field).and_then(Value::as_str);
        let kind = word("code").or_else(|| word("type")).filter(|kind| *kind != "error");
        let message = word("message").or_else(|| error.as_str()).unwrap_or("no reason was given");
        Self::Reported { kind: kind.map(Into::into), message: message.into() }
    }
}
