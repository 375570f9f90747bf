//! What is asked of a model, in no provider's words.
//!
//! A request is a stable prefix that grows: the same tools, the same system text, and the messages of the
//! request before with new ones behind them. Each provider's encoder gives the same bytes for the same parts.

use std::fmt;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

/// One call to a model.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// The provider's own name of the model.
    pub model: String,
    pub system: Arc<str>,
    /// Constant for a member's life, since it stands before everything else in the prompt.
    pub tools: Arc<[ToolSpec]>,
    /// The first is the user's, and the roles alternate; neighbours of one role are sent as one message.
    pub messages: Vec<Message>,
    /// The longest answer, thinking included, in tokens.
    pub max_tokens: u32,
    /// How hard the model should think; `None` leaves it to the provider. A model is asked for no more than it has.
    pub effort: Option<Effort>,
}

/// A tool that the model may call.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSpec {
    pub name: String,
    pub description: String,
    /// A JSON Schema of type `object`.
    pub input_schema: Value,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    User(Vec<UserPart>),
    Assistant(Vec<Part>),
}

/// What can stand in a message to the model.
#[derive(Debug, Clone, PartialEq)]
pub enum UserPart {
    Text(String),
    Picture(Picture),
    /// The one result of the call `id` in the answer before.
    ToolResult {
        id: String,
        content: String,
        /// What it shows beside its text.
        pictures: Vec<Picture>,
        is_error: bool,
    },
}

/// A picture, as all formats carry it.
#[derive(Clone, PartialEq, Eq)]
pub struct Picture {
    /// Such as `image/png`.
    pub media_type: &'static str,
    /// The file in base64.
    pub(crate) data: Arc<str>,
}

impl Picture {
    /// `bytes` are those of its file.
    pub fn new(media_type: &'static str, bytes: &[u8]) -> Self {
        Self { media_type, data: STANDARD.encode(bytes).into() }
    }

    /// The whole of it as an address.
    pub(crate) fn url(&self) -> String {
        format!("data:{};base64,{}", self.media_type, self.data)
    }
}

impl fmt::Debug for Picture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Picture({}, {} bytes in base64)", self.media_type, self.data.len())
    }
}

/// What can stand in a model's answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    Text(String),
    ToolUse {
        id: String,
        name: String,
        input: Value,
    },
    /// A provider's own item, such as signed thinking. It is history: sent back as it came, or dropped whole
    /// when the model changes.
    Opaque(Value),
}

/// How much a model may spend on thinking, from least to most. A model that lacks a step is asked for the next lower one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effort {
    Low,
    Medium,
    High,
    XHigh,
    Max,
}

impl Effort {
    /// The word that providers use for it, those that have the step.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::XHigh => "xhigh",
            Self::Max => "max",
        }
    }
}
