//! A script as data, in Rust and in JSON. What plays it is `play.rs`.
//!
//! # The JSON format
//! ```json
//! {
//!   "agents": {
//!     "team-lead": [
//!       {"reply": [{"say": "I look."}, {"call": {"tool": "Read", "input": {"path": "${workspace}/a.rs"}}}]},
//!       {"expect": "fn main", "reply": [{"say": "It is a program."}]}
//!     ],
//!     "ada@demo": [{"status": {"code": 529, "retryAfter": 1}}, {"reply": [{"say": "Done."}]}],
//!     "*": [{"reply": [{"say": "Who am I?"}]}]
//!   },
//!   "variables": {"workspace": "/tmp/w"},
//!   "marker": "Your agent id is ",
//!   "whenDone": {"say": "Done."}
//! }
//! ```
//! - `agents`: the steps of each agent, played in order, one a request. A key is an agent id, a bare name, or
//!   `*` for who has no other; the first of these that fits is used.
//! - `marker`: the agent id of a request is what follows this text in its system prompt.
//! - `variables`: `${name}` in a text, a tool's input or an `expect` becomes the value; an unknown name stays.
//! - `whenDone`: what is answered after the last step: `{"say": "…"}`, or `"fail"`, which also counts as a
//!   violation.
//! - `forgetBodies`: the bodies of requests are checked as ever and then not kept, where there are very many.
//! - `models`: what `GET /v1/models` lists, as a local server does, which wants no key; without any there is no such
//!   list.
//!
//! A step has one of `reply` (its parts: `{"say": text}`, `{"think": text}`, `{"call": {"tool", "input", "id"?}}`,
//! `{"wait": gate}`), `status` (`{"code", "type"?, "message"?, "retryAfter"?}`, seconds) or `raw`
//! (`{"contentType", "body"}`: a body sent as it is), and may have:
//! - `expect`: texts that must all be in the last message to the model; else the request is refused with 400.
//! - `capture`: `{"name": [before, after]}`: `${name}` in this step becomes the first text between the two in the
//!   last message to the model, such as an id that the script cannot know.
//! - `wait`: the name of a gate that must be opened before the first byte; `delayMs`: a pause before it.
//! - `eventDelayMs`: a pause between events; `chunkBytes`: the size of each write.
//! - `stop`: another reason to stop, in the words of the format asked; `usage`: `{"input", "output", "cached"}`.
//! - `ending`: how the stream fails: `{"cutAfterBytes": n}`, `{"cutAfterEvents": n}`, `{"hangAfterEvents": n}`
//!   (nothing more comes, the connection stays; such streams stand at the gate `hang`) or `{"error": {"afterEvents", "type"?, "message"?}}`.
//! - `times`: how often the step is played, 1 unless told.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What is answered to whom.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Script {
    pub agents: BTreeMap<String, Vec<Step>>,
    pub variables: BTreeMap<String, String>,
    pub marker: String,
    pub when_done: WhenDone,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub forget_bodies: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub models: Vec<String>,
}

/// What one request is answered with.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Step {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reply: Vec<ReplyPart>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<Refusal>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raw: Option<Raw>,
    #[serde(skip_serializing_if = "Vec::is_empty", deserialize_with = "one_or_many")]
    pub expect: Vec<String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub capture: BTreeMap<String, (String, String)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wait: Option<String>,
    pub delay_ms: u64,
    pub event_delay_ms: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chunk_bytes: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<UsageSpec>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ending: Option<Ending>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub times: Option<u32>,
}

/// A part of a reply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ReplyPart {
    Say(String),
    /// Opaque reasoning, signed so that a change of it is noticed when it comes back.
    Think(String),
    Call(Call),
    /// The stream stands still here until the gate of this name is open.
    Wait(String),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Call {
    pub tool: String,
    pub input: Value,
    /// Numbered by the server unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
}

/// An HTTP status in place of a stream.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Refusal {
    pub code: u16,
    /// The provider's own word unless given.
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<f64>,
}

/// A body as it is, with status 200.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Raw {
    pub content_type: String,
    pub body: String,
}

/// How a stream fails to reach its end. Counts are of what was sent before.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub enum Ending {
    CutAfterBytes(usize),
    CutAfterEvents(usize),
    HangAfterEvents(usize),
    Error(StreamError),
}

/// An error event in a stream that had begun.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StreamError {
    pub after_events: usize,
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// Tokens, where the server's own estimate (four bytes each) will not do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct UsageSpec {
    /// Of the prompt, without those read from the cache.
    pub input: u64,
    pub output: u64,
    pub cached: u64,
}

/// What is answered when the steps are used up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum WhenDone {
    Say(String),
    Fail,
}

#[derive(Debug, thiserror::Error)]
pub enum ScriptError {
    #[error("the script is no script: {0}")]
    Json(#[from] serde_json::Error),
    #[error("step {number} of {agent}: {reason}")]
    Step { agent: String, number: usize, reason: &'static str },
}

impl Default for Script {
    fn default() -> Self {
        Self {
            agents: BTreeMap::new(),
            variables: BTreeMap::new(),
            marker: "Your agent id is ".into(),
            when_done: WhenDone::Say("Done.".into()),
            forget_bodies: false,
            models: Vec::new(),
        }
    }
}

impl Script {
    /// # Errors
    /// Names the place in the JSON, or the step that says two things at once.
    pub fn from_json(json: &str) -> Result<Self, ScriptError> {
        let script: Self = serde_json::from_str(json)?;
        for (agent, steps) in &script.agents {
            for (index, step) in steps.iter().enumerate() {
                if let Some(reason) = step.contradiction() {
                    return Err(ScriptError::Step { agent: agent.clone(), number: index + 1, reason });
                }
            }
        }
        Ok(script)
    }
}

impl Step {
    fn contradiction(&self) -> Option<&'static str> {
        let answers = [!self.reply.is_empty(), self.status.is_some(), self.raw.is_some()];
        match answers.iter().filter(|given| **given).count() {
            0 => Some("it has none of `reply`, `status` and `raw`"),
            1 if self.chunk_bytes == Some(0) => Some("`chunkBytes` is 0"),
            1 => None,
            _ => Some("it has more than one of `reply`, `status` and `raw`"),
        }
    }
}

fn one_or_many<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum OneOrMany {
        One(String),
        Many(Vec<String>),
    }
    Ok(match OneOrMany::deserialize(deserializer)? {
        OneOrMany::One(text) => vec![text],
        OneOrMany::Many(texts) => texts,
    })
}

#[cfg(test)]
mod tests;
