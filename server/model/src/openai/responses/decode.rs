//! The events of a stream of `/v1/responses` as one answer.
//!
//! Its end is `response.completed`, or `response.incomplete` for an answer that the provider ended before the
//! model did. An item counts once it came whole; text counts as far as it came.

use serde::Deserialize;
use serde_json::Value;

use crate::event::{Reply, Stop, Usage};
use crate::openai::call_input;
use crate::provider::{Decoder, Fault, Progress};
use crate::request::Part;
use crate::sse::Event;

#[derive(Debug, Default)]
pub(super) struct Stream {
    /// In the order in which they began.
    items: Vec<(Key, Item)>,
    usage: Usage,
}

/// How events name an item: by its index, or by its id on servers that give none.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Key {
    Index(u64),
    Id(String),
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
        if event.name == "error" {
            return Err(Fault::reported(&event.data));
        }
        let wire: WireEvent = serde_json::from_str(&event.data)
            .map_err(|error| Fault::Malformed(format!("an event is not what it should be: {error}")))?;
        match wire {
            WireEvent::ItemAdded { output_index, item } => {
                self.item(key(output_index, id_of(&item)));
            }
            WireEvent::TextDelta(delta) | WireEvent::RefusalDelta(delta) => {
                let WireDelta { output_index, item_id, delta } = delta;
                match self.item(key(output_index, item_id.as_deref())) {
                    Item::Open(whole) => whole.push_str(&delta),
                    Item::Whole(_) => {
                        return Err(Fault::Malformed("an item of the answer goes on after its end".into()));
                    }
                }
                if !delta.is_empty() {
                    text(&delta);
                }
            }
            WireEvent::ItemDone { output_index, item } => {
                let key = key(output_index, id_of(&item));
                *self.item(key) = Item::Whole(item);
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
            WireEvent::Failed { response } => {
                return Err(Fault::reported(&response.error.unwrap_or_default().to_string()));
            }
            WireEvent::Error => return Err(Fault::reported(&event.data)),
            WireEvent::Other => {}
        }
        Ok(Progress::More)
    }

    fn closed(&mut self) -> Result<Reply, Fault> {
        Err(Fault::Incomplete)
    }

    fn finished(&self) -> Reply {
        let content = self.items.iter().flat_map(|(_, item)| match item {
            Item::Open(text) => text_part(text).into_iter().collect(),
            // A call that can't be read is none.
            Item::Whole(item) => parts(item).unwrap_or_default(),
        });
        Reply { content: content.collect(), stop: Stop::ToolUse, usage: self.usage }
    }
}

impl Stream {
    /// The item of that name, begun if it was not there.
    fn item(&mut self, key: Key) -> &mut Item {
        let place = self.items.iter().position(|(known, _)| *known == key).unwrap_or(self.items.len());
        if place == self.items.len() {
            self.items.push((key, Item::Open(String::new())));
        }
        &mut self.items[place].1
    }

    /// `cut` tells that the provider ended the answer, and why; then a call may be unfinished.
    fn done(&mut self, response: WireResponse, cut: Option<Stop>) -> Result<Reply, Fault> {
        if let Some(usage) = response.usage {
            let cached = usage.input_tokens_details.unwrap_or_default().cached_tokens.unwrap_or(0);
            let input = usage.input_tokens.saturating_sub(cached);
            self.usage = Usage { input, written: 0, output: usage.output_tokens, cached };
        }
        // A server may keep all for the end.
        if self.items.is_empty() {
            let items = response.output.into_iter().map(Item::Whole);
            self.items = (0..).map(Key::Index).zip(items).collect();
        }
        if cut.is_none() {
            for (_, item) in &self.items {
                match item {
                    Item::Whole(item) => drop(parts(item)?),
                    Item::Open(text) if text.is_empty() => {
                        return Err(Fault::Malformed("an item of the answer did not end".into()));
                    }
                    Item::Open(_) => {}
                }
            }
        }
        let refused =
            self.items.iter().any(|(_, item)| matches!(item, Item::Whole(item) if is_refusal(item)));
        let stop = cut.unwrap_or(if refused { Stop::Refusal } else { Stop::EndTurn });
        Ok(Reply { stop, ..self.finished() }.settled())
    }
}

fn key(index: Option<u64>, id: Option<&str>) -> Key {
    index.map_or_else(|| Key::Id(id.unwrap_or_default().to_owned()), Key::Index)
}

fn id_of(item: &Value) -> Option<&str> {
    item.get("id").or_else(|| item.get("call_id")).and_then(Value::as_str)
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
    ItemAdded {
        output_index: Option<u64>,
        #[serde(default)]
        item: Value,
    },
    #[serde(rename = "response.output_text.delta")]
    TextDelta(WireDelta),
    #[serde(rename = "response.refusal.delta")]
    RefusalDelta(WireDelta),
    #[serde(rename = "response.output_item.done")]
    ItemDone { output_index: Option<u64>, item: Value },
    #[serde(rename = "response.completed")]
    Completed { response: WireResponse },
    #[serde(rename = "response.incomplete")]
    Incomplete { response: WireResponse },
    #[serde(rename = "response.failed")]
    Failed { response: WireResponse },
    #[serde(rename = "error")]
    Error,
    /// Pieces of items that come whole later, or an event of a later day.
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct WireDelta {
    output_index: Option<u64>,
    item_id: Option<String>,
    delta: String,
}

#[derive(Deserialize)]
struct WireResponse {
    #[serde(default)]
    output: Vec<Value>,
    usage: Option<WireUsage>,
    error: Option<Value>,
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

#[cfg(test)]
mod tests;
