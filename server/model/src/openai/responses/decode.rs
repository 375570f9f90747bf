//! The events of a stream of `/v1/responses` as one answer.
//!
//! Its end is `response.completed`, or `response.incomplete` for an answer that the provider ended before the
//! model did. An item counts once it came whole; text counts as far as it came.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use crate::event::{Reply, Stop, Usage};
use crate::openai::call_input;
use crate::provider::{Decoder, Fault, Progress};
use crate::request::Part;
use crate::sse::Event;

#[derive(Debug, Default)]
pub(super) struct Stream {
    /// By the provider's index of the item.
    items: BTreeMap<u64, Item>,
    usage: Usage,
}

#[derive(Debug)]
enum Item {
    /// Text as far as it came; empty for an item that is no message.
    Open(String),
    Whole(Value),
}

impl Decoder for Stream {
    fn event(&mut self, event: &Event, text: &mut dyn FnMut(&str)) -> Result<Progress, Fault> {
        // Some servers close with the mark of the older format.
        if event.data == "[DONE]" {
            return Ok(Progress::More);
        }
        let wire: WireEvent = serde_json::from_str(&event.data)
            .map_err(|error| Fault::Malformed(format!("an event is not what it should be: {error}")))?;
        match wire {
            WireEvent::ItemAdded { output_index } => {
                self.items.entry(output_index).or_insert_with(|| Item::Open(String::new()));
            }
            WireEvent::TextDelta { output_index, delta }
            | WireEvent::RefusalDelta { output_index, delta } => {
                match self.items.entry(output_index).or_insert_with(|| Item::Open(String::new())) {
                    Item::Open(whole) => whole.push_str(&delta),
                    Item::Whole(_) => {
                        return Err(Fault::Malformed(format!("item {output_index} goes on after its end")));
                    }
                }
                if !delta.is_empty() {
                    text(&delta);
                }
            }
            WireEvent::ItemDone { output_index, item } => {
                self.items.insert(output_index, Item::Whole(item));
            }
            WireEvent::Completed { response } => return self.done(response, None).map(Progress::Done),
            WireEvent::Incomplete { response } => {
                let reason = response.incomplete_details.as_ref().and_then(|details| details.reason.clone());
                let stop = match reason.as_deref() {
                    None | Some("max_output_tokens") => Stop::MaxTokens,
                    Some("content_filter") => Stop::Refusal,
                    Some(other) => Stop::Other(other.to_owned()),
                };
                return self.done(response, Some(stop)).map(Progress::Done);
            }
            WireEvent::Failed { response } => return Err(response.error.unwrap_or_default().fault()),
            WireEvent::Error { error, flat } => return Err(error.unwrap_or(flat).fault()),
            WireEvent::Other => {}
        }
        Ok(Progress::More)
    }

    fn closed(&mut self) -> Result<Reply, Fault> {
        Err(Fault::Incomplete)
    }

    fn finished(&self) -> Reply {
        let content = self.items.values().flat_map(|item| match item {
            Item::Open(text) => text_part(text).into_iter().collect(),
            // A call that can't be read is none.
            Item::Whole(item) => parts(item).unwrap_or_default(),
        });
        Reply { content: content.collect(), stop: Stop::ToolUse, usage: self.usage }
    }
}

impl Stream {
    /// `cut` tells that the provider ended the answer, and why; then a call may be unfinished.
    fn done(&mut self, response: WireResponse, cut: Option<Stop>) -> Result<Reply, Fault> {
        if let Some(usage) = response.usage {
            let cached = usage.input_tokens_details.unwrap_or_default().cached_tokens.unwrap_or(0);
            let input = usage.input_tokens.saturating_sub(cached);
            self.usage = Usage { input, output: usage.output_tokens, cached };
        }
        // A server may keep all for the end.
        if self.items.is_empty() {
            self.items = (0..).zip(response.output.into_iter().map(Item::Whole)).collect();
        }
        if cut.is_none() {
            for item in self.items.values() {
                match item {
                    Item::Whole(item) => drop(parts(item)?),
                    Item::Open(text) if text.is_empty() => {
                        return Err(Fault::Malformed("an item of the answer did not end".into()));
                    }
                    Item::Open(_) => {}
                }
            }
        }
        let refused = self.items.values().any(|item| matches!(item, Item::Whole(item) if is_refusal(item)));
        let stop = cut.unwrap_or(if refused { Stop::Refusal } else { Stop::EndTurn });
        Ok(Reply { stop, ..self.finished() }.settled())
    }
}

/// A whole item as parts of an answer; one that nobody could build on later has none.
fn parts(item: &Value) -> Result<Vec<Part>, Fault> {
    let word = |field: &str| item.get(field).and_then(Value::as_str);
    match word("type") {
        Some("message") => Ok(texts(item).filter_map(text_part).collect()),
        // Cut where the answer was.
        Some("function_call") if word("status") == Some("incomplete") => Ok(Vec::new()),
        Some("function_call") => {
            let (Some(id), Some(name)) = (word("call_id"), word("name")) else {
                return Err(Fault::Malformed("a call without call_id or name".into()));
            };
            let input = call_input(word("arguments").unwrap_or_default()).map_err(|error| {
                Fault::Malformed(format!("the input of the call of {name} is no JSON object: {error}"))
            })?;
            Ok(vec![Part::ToolUse { id: id.into(), name: name.into(), input: Value::Object(input) }])
        }
        Some("reasoning") if can_be_replayed(item) => Ok(vec![Part::Opaque(item.clone())]),
        Some(_) => Ok(Vec::new()),
        None => Err(Fault::Malformed("an item without a type".into())),
    }
}

/// The provider stores nothing, so reasoning that names only an id is lost to it.
fn can_be_replayed(item: &Value) -> bool {
    let content = item.get("content").and_then(Value::as_array);
    item.get("encrypted_content").is_some_and(Value::is_string)
        || content.is_some_and(|list| !list.is_empty())
}

fn texts(item: &Value) -> impl Iterator<Item = &str> {
    let content = item.get("content").and_then(Value::as_array).into_iter().flatten();
    content.filter_map(|block| block.get("text").or_else(|| block.get("refusal")).and_then(Value::as_str))
}

fn is_refusal(item: &Value) -> bool {
    let content = item.get("content").and_then(Value::as_array).into_iter().flatten();
    item.get("type").and_then(Value::as_str) == Some("message")
        && content.into_iter().any(|block| block.get("refusal").is_some())
}

fn text_part(text: &str) -> Option<Part> {
    (!text.is_empty()).then(|| Part::Text(text.to_owned()))
}

#[derive(Deserialize)]
#[serde(tag = "type")]
enum WireEvent {
    #[serde(rename = "response.output_item.added")]
    ItemAdded { output_index: u64 },
    #[serde(rename = "response.output_text.delta")]
    TextDelta { output_index: u64, delta: String },
    #[serde(rename = "response.refusal.delta")]
    RefusalDelta { output_index: u64, delta: String },
    #[serde(rename = "response.output_item.done")]
    ItemDone { output_index: u64, item: Value },
    #[serde(rename = "response.completed")]
    Completed { response: WireResponse },
    #[serde(rename = "response.incomplete")]
    Incomplete { response: WireResponse },
    #[serde(rename = "response.failed")]
    Failed { response: WireResponse },
    /// Its fields stand beside the type, or beneath `error`.
    #[serde(rename = "error")]
    Error {
        error: Option<WireError>,
        #[serde(flatten)]
        flat: WireError,
    },
    /// Pieces of items that come whole later, or an event of a later day.
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct WireResponse {
    #[serde(default)]
    output: Vec<Value>,
    usage: Option<WireUsage>,
    error: Option<WireError>,
    incomplete_details: Option<IncompleteDetails>,
}

#[derive(Deserialize)]
struct IncompleteDetails {
    reason: Option<String>,
}

#[derive(Deserialize)]
struct WireUsage {
    input_tokens: u64,
    output_tokens: u64,
    input_tokens_details: Option<InputDetails>,
}

#[derive(Deserialize, Default)]
struct InputDetails {
    cached_tokens: Option<u64>,
}

#[derive(Deserialize, Default)]
struct WireError {
    code: Option<String>,
    message: Option<String>,
}

impl WireError {
    fn fault(self) -> Fault {
        let message = self.message.unwrap_or_else(|| "no reason was given".into());
        Fault::Reported { kind: self.code, message }
    }
}

#[cfg(test)]
mod tests;
