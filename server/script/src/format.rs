//! What every wire format must be able to say here, and which path speaks which.

use serde_json::Value;

use crate::anthropic;
use crate::prompt::Prompt;
use crate::script::UsageSpec;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Messages,
}

/// A request that is in order, in no format's words.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub system: String,
    /// All text of the last message to the model, results of tools included.
    pub last_input: String,
    pub model: String,
    /// Whether the answer is to be a stream of events.
    pub stream: bool,
    pub prompt: Prompt,
}

/// What a real provider answers in place of a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refused {
    pub status: u16,
    pub kind: String,
    pub message: String,
}

/// What is to be answered, with everything filled in.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Answer {
    /// Numbered by the server.
    pub number: usize,
    pub model: String,
    pub parts: Vec<AnswerPart>,
    pub stop: Option<String>,
    pub usage: UsageSpec,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum AnswerPart {
    Text(String),
    Thinking(String),
    Call { id: String, tool: String, input: Value },
    Gate(String),
}

/// One thing to do while an answer is streamed.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Act {
    /// The bytes of one event.
    Event(String),
    Gate(String),
}

impl Format {
    pub(crate) fn of_path(path: &str) -> Option<Self> {
        match path.trim_end_matches('/') {
            "/v1/messages" => Some(Self::Messages),
            _ => None,
        }
    }

    /// # Errors
    /// What the provider answers to a request without the headers it demands. `header` looks one up.
    pub(crate) fn check_headers<'a>(self, header: &dyn Fn(&str) -> Option<&'a str>) -> Result<(), Refused> {
        match self {
            Self::Messages => anthropic::check_headers(header),
        }
    }

    /// # Errors
    /// What the provider answers to a request that is not in order.
    pub(crate) fn read(self, body: &[u8]) -> Result<Asked, Refused> {
        match self {
            Self::Messages => anthropic::check::read(body),
        }
    }

    pub(crate) fn events(self, answer: &Answer) -> Vec<Act> {
        match self {
            Self::Messages => anthropic::answer::events(answer),
        }
    }

    /// The answer to who wants no stream.
    pub(crate) fn whole(self, answer: &Answer) -> Value {
        match self {
            Self::Messages => anthropic::answer::whole(answer),
        }
    }

    /// The body of an error, also as an event inside a stream.
    pub(crate) fn error(self, kind: &str, message: &str) -> Value {
        match self {
            Self::Messages => anthropic::error(kind, message),
        }
    }

    pub(crate) fn error_event(self, kind: &str, message: &str) -> String {
        match self {
            Self::Messages => event("error", &anthropic::error(kind, message)),
        }
    }
}

impl Refused {
    pub(crate) fn new(status: u16, message: impl Into<String>) -> Self {
        Self { status, kind: kind_of(status).to_owned(), message: message.into() }
    }

    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::new(400, message)
    }
}

/// The type that goes with a status, unless a script names another.
pub(crate) fn kind_of(status: u16) -> &'static str {
    match status {
        401 => "authentication_error",
        402 => "billing_error",
        403 => "permission_error",
        404 => "not_found_error",
        413 => "request_too_large",
        429 => "rate_limit_error",
        504 => "timeout_error",
        529 => "overloaded_error",
        400..=499 => "invalid_request_error",
        _ => "api_error",
    }
}

/// A server-sent event with a name.
pub(crate) fn event(name: &str, data: &Value) -> String {
    format!("event: {name}\ndata: {data}\n\n")
}
