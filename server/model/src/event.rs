//! What comes back from a model: pieces while it answers, the whole at its end.

use crate::request::Part;

/// Something that happened while a call ran.
#[derive(Debug, Clone, PartialEq)]
pub enum Delta {
    /// More of the answer's text.
    Text(String),
    /// The attempt broke and another begins: what was streamed so far is void.
    Restarted {
        /// The number of the attempt that begins; the first retry is 2.
        attempt: u32,
        /// All text that the broken attempt had given as [`Delta::Text`]; may be empty.
        discarded_text: String,
        reason: String,
    },
    /// The model refused to be asked how hard to think, and is asked again without.
    EffortRefused { reason: String },
    /// Nothing is sent for so long: the provider asked for it, also of another call with this key, or a retry backs
    /// off.
    Waiting { seconds: f64, reason: String },
    /// The wait for another call is over.
    Resumed,
}

/// A whole answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// In the order in which the model gave it; text blocks are not empty.
    pub content: Vec<Part>,
    pub stop: Stop,
    pub usage: Usage,
}

impl Reply {
    /// The reply with a reason to stop that agrees with its content: some servers name one that doesn't, and
    /// who reads it must neither wait for calls that aren't there nor miss those that are.
    pub(crate) fn settled(mut self) -> Self {
        let calls = self.has_calls();
        self.stop = match (self.stop, calls) {
            (Stop::EndTurn, true) => Stop::ToolUse,
            (Stop::ToolUse, false) => Stop::EndTurn,
            (stop, _) => stop,
        };
        self
    }

    /// Whether a result is wanted of anything in it.
    pub(crate) fn has_calls(&self) -> bool {
        self.content.iter().any(|part| matches!(part, Part::ToolUse { .. }))
    }
}

/// Why the model stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop {
    EndTurn,
    /// The answer ends in tool calls, which want results. Also when the stream broke after a finished call.
    ToolUse,
    /// The answer was cut at `max_tokens`, or at the end of the model's context.
    MaxTokens,
    /// The provider's safety rules ended the answer.
    Refusal,
    /// The provider's own word for anything else.
    Other(String),
}

/// The tokens of one answer; those of broken attempts are not known and not counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Tokens of the prompt that were not read from the provider's cache.
    pub input: u64,
    /// Those of `input` that the provider wrote to its cache, where it charges for that.
    pub written: u64,
    /// Tokens of the answer, thinking included.
    pub output: u64,
    /// Tokens of the prompt that were read from the provider's cache. The whole prompt is `input + cached`.
    pub cached: u64,
}
