//! The events as they stand in the stream.

use serde::Deserialize;
use serde_json::{Map, Value};

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum WireEvent {
    MessageStart {
        message: StartedMessage,
    },
    ContentBlockStart {
        index: u64,
        content_block: Value,
    },
    ContentBlockDelta {
        index: u64,
        delta: BlockDelta,
    },
    ContentBlockStop {
        index: u64,
    },
    MessageDelta {
        delta: MessageChange,
        #[serde(default)]
        usage: WireUsage,
    },
    MessageStop,
    Error,
    /// A ping, or an event of a later day.
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
pub(super) struct StartedMessage {
    #[serde(default)]
    pub(super) usage: WireUsage,
}

#[derive(Deserialize)]
pub(super) struct MessageChange {
    pub(super) stop_reason: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct WireUsage {
    pub(super) input_tokens: Option<u64>,
    pub(super) output_tokens: Option<u64>,
    pub(super) cache_creation_input_tokens: Option<u64>,
    pub(super) cache_read_input_tokens: Option<u64>,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum BlockDelta {
    TextDelta {
        text: String,
    },
    InputJsonDelta {
        partial_json: String,
    },
    ThinkingDelta {
        thinking: String,
    },
    SignatureDelta {
        signature: String,
    },
    CitationsDelta,
    #[serde(other)]
    Other,
}

impl BlockDelta {
    /// Adds the piece to a block that is kept as it is.
    pub(super) fn add_to(self, item: &mut Map<String, Value>) {
        let (field, more) = match self {
            Self::ThinkingDelta { thinking } => ("thinking", thinking),
            Self::SignatureDelta { signature } => ("signature", signature),
            Self::TextDelta { text } => ("text", text),
            Self::InputJsonDelta { .. } | Self::CitationsDelta | Self::Other => return,
        };
        match item.get_mut(field) {
            Some(Value::String(whole)) => whole.push_str(&more),
            _ => {
                item.insert(field.to_owned(), Value::String(more));
            }
        }
    }
}
