//! One line of a member's history, as its transcript file keeps it and as `swarm/transcript` gives it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::ids::{MessageId, TurnId};
use crate::picture::Picture;

/// A step of a member's history: a line of `<root>/teams/<team>/transcripts/<agentId>.jsonl`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Entry {
    /// Unix milliseconds.
    pub at: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<TurnId>,
    #[serde(flatten)]
    pub body: Body,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "role", rename_all = "camelCase")]
pub enum Body {
    /// What was put to the model: a person's prompt, or mail in its wrapper.
    User {
        text: String,
        /// The messages that this entry consumed; one found here is only acknowledged.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        mail: Vec<MessageId>,
        /// What is shown beside the text, which names it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pictures: Vec<Picture>,
    },
    /// What the model answered, whole or as far as it came.
    Assistant {
        content: Vec<Block>,
        /// Whose answer it is, as `provider/model`: opaque items are of use to that one alone.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<String>,
    },
    /// The results of the calls in the answer before, each exactly once.
    Results { results: Vec<CallResult> },
    /// All before this was replaced by its summary; the model is shown what follows.
    Compacted {
        summary: String,
        /// The newest inputs, word for word: nobody had answered them.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        carried: Vec<String>,
    },
    /// The provider refused all pictures before this; the model is shown text in place of them.
    PicturesRefused { reason: String },
    /// Why a turn ended otherwise than by the model's own stop.
    Ended {
        reason: String,
        /// The member ended in the middle of the turn, which can be gone on with.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        unfinished: bool,
    },
}

/// A part of a model's answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Block {
    Text {
        text: String,
    },
    ToolUse {
        id: String,
        name: String,
        input: Value,
    },
    /// A provider's own item, such as signed thinking: replayed byte for byte or dropped whole.
    Opaque {
        item: Value,
    },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct CallResult {
    pub tool_use_id: String,
    pub content: String,
    /// What is shown beside the text, which names it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pictures: Vec<Picture>,
    #[serde(default)]
    pub is_error: bool,
}
