//! What every wire format must be able to say here, and which path speaks which.

use serde_json::{Value, json};

use crate::anthropic;
use crate::openai;
use crate::prompt::Prompt;
use crate::script::UsageSpec;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Messages,
    Responses,
    Chat,
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
    /// Whether the format's options ask for what is left out otherwise: reasoning in Responses, the usage of a
    /// stream in Chat Completions.
    pub wants_more: bool,
    pub prompt: Prompt,
}

/// What a real provider answers in place of a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refused {
    pub status: u16,
    /// The format's own for the status unless given.
    pub kind: Option<String>,
    pub message: String,
}

/// What is to be answered, with everything filled in.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Answer {
    /// Numbered by the server.
    pub number: usize,
    pub model: String,
    /// See [`Asked::wants_more`].
    pub wants_more: bool,
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
            "/v1/responses" => Some(Self::Responses),
            "/v1/chat/completions" => Some(Self::Chat),
            _ => None,
        }
    }

    /// # Errors
    /// What the provider answers to a request without the headers it demands. `header` looks one up.
    pub(crate) fn check_headers<'a>(self, header: &dyn Fn(&str) -> Option<&'a str>) -> Result<(), Refused> {
        match self {
            Self::Messages => anthropic::check_headers(header),
            Self::Responses | Self::Chat => openai::check_headers(header),
        }
    }

    /// # Errors
    /// What the provider answers to a request that is not in order.
    pub(crate) fn read(self, body: &[u8]) -> Result<Asked, Refused> {
        match self {
            Self::Messages => anthropic::check::read(body),
            Self::Responses => openai::responses::check::read(body),
            Self::Chat => openai::chat::check::read(body),
        }
    }

    pub(crate) fn events(self, answer: &Answer) -> Vec<Act> {
        match self {
            Self::Messages => anthropic::answer::events(answer),
            Self::Responses => openai::responses::answer::events(answer),
            Self::Chat => openai::chat::answer::events(answer),
        }
    }

    /// The answer to who wants no stream.
    pub(crate) fn whole(self, answer: &Answer) -> Value {
        match self {
            Self::Messages => anthropic::answer::whole(answer),
            Self::Responses => openai::responses::answer::whole(answer),
            Self::Chat => openai::chat::answer::whole(answer),
        }
    }

    /// The body of an error.
    pub(crate) fn error(self, refused: &Refused) -> Value {
        let kind = refused.kind.as_deref().unwrap_or_else(|| self.kind_of(refused.status));
        match self {
            Self::Messages => anthropic::error(kind, &refused.message),
            Self::Responses | Self::Chat => openai::error(kind, &refused.message),
        }
    }

    /// An error inside a stream; `kind` is the format's own for overload unless given.
    pub(crate) fn error_event(self, kind: Option<&str>, message: &str) -> String {
        let kind = kind.unwrap_or_else(|| self.kind_of(529));
        match self {
            Self::Messages => event("error", &anthropic::error(kind, message)),
            Self::Responses => {
                event("error", &json!({"type": "error", "code": kind, "message": message, "param": null}))
            }
            Self::Chat => format!("data: {}\n\n", openai::error(kind, message)),
        }
    }

    /// The type that goes with a status, unless a script names another.
    fn kind_of(self, status: u16) -> &'static str {
        match self {
            Self::Messages => anthropic::kind_of(status),
            Self::Responses | Self::Chat => openai::kind_of(status),
        }
    }
}

impl Refused {
    pub(crate) fn new(status: u16, message: impl Into<String>) -> Self {
        Self { status, kind: None, message: message.into() }
    }

    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::new(400, message)
    }
}

impl Answer {
    pub(crate) fn has_calls(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, AnswerPart::Call { .. }))
    }
}

/// A server-sent event with a name.
pub(crate) fn event(name: &str, data: &Value) -> String {
    format!("event: {name}\ndata: {data}\n\n")
}
