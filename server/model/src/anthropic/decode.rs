//! The events of a stream of `/v1/messages` as one answer. Its end is `message_stop` and nothing else.

mod wire;

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::event::{Reply, Stop, Usage};
use crate::provider::{Decoder, Fault, Progress};
use crate::request::Part;
use crate::sse::Event;
use wire::{BlockDelta, WireEvent, WireUsage};

#[derive(Debug, Default)]
pub(super) struct Stream {
    blocks: Vec<Block>,
    /// The place in `blocks` of each block that has begun and not ended, by the provider's index.
    open: BTreeMap<u64, usize>,
    stop: Option<String>,
    usage: Usage,
}

#[derive(Debug)]
enum Block {
    Text(String),
    Call {
        id: String,
        name: String,
        /// The input as it streams in.
        json: String,
        /// Given whole at the start by some servers, else an empty object.
        initial: Map<String, Value>,
        state: CallState,
    },
    /// Thinking and any other kind: kept as it is, with what the deltas add.
    Opaque {
        item: Map<String, Value>,
        whole: bool,
    },
}

#[derive(Debug, Clone, PartialEq)]
enum CallState {
    Streaming,
    /// Ended with what is no JSON object: cut by the limit of tokens, or a broken stream.
    Unfinished(String),
    Whole(Map<String, Value>),
}

impl Decoder for Stream {
    fn event(&mut self, event: &Event, text: &mut dyn FnMut(&str)) -> Result<Progress, Fault> {
        if event.name == "error" {
            return Err(Fault::reported(&event.data));
        }
        let wire: WireEvent = serde_json::from_str(&event.data)
            .map_err(|error| Fault::Malformed(format!("an event is not what it should be: {error}")))?;
        match wire {
            WireEvent::MessageStart { message } => self.usage.take(&message.usage),
            WireEvent::ContentBlockStart { index, content_block } => {
                self.start(index, content_block, text)?
            }
            WireEvent::ContentBlockDelta { index, delta } => self.delta(index, delta, text)?,
            WireEvent::ContentBlockStop { index } => self.end(index)?,
            WireEvent::MessageDelta { delta, usage } => {
                self.stop = delta.stop_reason.or(self.stop.take());
                self.usage.take(&usage);
            }
            WireEvent::MessageStop => return self.done().map(Progress::Done),
            WireEvent::Error => return Err(Fault::reported(&event.data)),
            WireEvent::Other => {}
        }
        Ok(Progress::More)
    }

    fn closed(&mut self) -> Result<Reply, Fault> {
        Err(Fault::Incomplete)
    }

    fn finished(&self) -> Reply {
        let content = self.blocks.iter().filter_map(Block::part).collect();
        Reply { content, stop: Stop::ToolUse, usage: self.usage }
    }
}

impl Stream {
    fn start(&mut self, index: u64, start: Value, text: &mut dyn FnMut(&str)) -> Result<(), Fault> {
        let Value::Object(item) = start else {
            return Err(Fault::Malformed("a content block is not an object".into()));
        };
        if self.open.insert(index, self.blocks.len()).is_some() {
            return Err(Fault::Malformed(format!("content block {index} begins twice")));
        }
        let word = |field: &str| item.get(field).and_then(Value::as_str).map(str::to_owned);
        let block = match word("type").as_deref() {
            Some("text") => {
                let first = word("text").unwrap_or_default();
                if !first.is_empty() {
                    text(&first);
                }
                Block::Text(first)
            }
            Some("tool_use") => {
                let (Some(id), Some(name)) = (word("id"), word("name")) else {
                    return Err(Fault::Malformed("a tool call without id or name".into()));
                };
                let initial = item.get("input").and_then(Value::as_object).cloned().unwrap_or_default();
                Block::Call { id, name, json: String::new(), initial, state: CallState::Streaming }
            }
            _ => Block::Opaque { item, whole: false },
        };
        self.blocks.push(block);
        Ok(())
    }

    fn delta(&mut self, index: u64, delta: BlockDelta, text: &mut dyn FnMut(&str)) -> Result<(), Fault> {
        let block = self.open.get(&index).and_then(|place| self.blocks.get_mut(*place));
        match (block, delta) {
            (None, _) => return Err(Fault::Malformed(format!("content block {index} is not open"))),
            (Some(Block::Text(whole)), BlockDelta::TextDelta { text: more }) => {
                whole.push_str(&more);
                if !more.is_empty() {
                    text(&more);
                }
            }
            (Some(Block::Call { json, .. }), BlockDelta::InputJsonDelta { partial_json }) => {
                json.push_str(&partial_json);
            }
            (Some(Block::Opaque { item, .. }), delta) => delta.add_to(item),
            // Citations of a text, and kinds of a later day: nothing that a later request needs.
            (Some(_), BlockDelta::CitationsDelta | BlockDelta::Other) => {}
            (Some(_), _) => {
                return Err(Fault::Malformed(format!("content block {index} is of another kind")));
            }
        }
        Ok(())
    }

    fn end(&mut self, index: u64) -> Result<(), Fault> {
        let place = self.open.remove(&index);
        match place.and_then(|place| self.blocks.get_mut(place)) {
            None => return Err(Fault::Malformed(format!("content block {index} ends without a start"))),
            Some(Block::Text(_)) => {}
            Some(Block::Call { json, initial, state, .. }) => *state = CallState::ended(json, initial),
            Some(Block::Opaque { whole, .. }) => *whole = true,
        }
        Ok(())
    }

    fn done(&mut self) -> Result<Reply, Fault> {
        let Some(reason) = self.stop.take() else {
            return Err(Fault::Malformed("the answer ended without a stop_reason".into()));
        };
        let stop = match reason.as_str() {
            "end_turn" => Stop::EndTurn,
            "tool_use" => Stop::ToolUse,
            "max_tokens" | "model_context_window_exceeded" => Stop::MaxTokens,
            "refusal" => Stop::Refusal,
            _ => Stop::Other(reason),
        };
        if stop == Stop::MaxTokens {
            self.drop_cut_call();
        }
        if let Some(fault) = self.blocks.iter().find_map(Block::fault) {
            return Err(fault);
        }
        Ok(Reply { stop, ..self.finished() }.settled())
    }

    /// A call at the very end of an answer that ran out of tokens is cut, even where no input came at all.
    fn drop_cut_call(&mut self) {
        let cut = |block: &Block| match block {
            Block::Call { json, state, .. } => json.is_empty() || !matches!(state, CallState::Whole(_)),
            Block::Text(_) | Block::Opaque { .. } => false,
        };
        self.blocks.pop_if(|block| cut(block));
    }
}

impl CallState {
    fn ended(json: &str, initial: &Map<String, Value>) -> Self {
        // A tool without input streams none.
        if json.trim().is_empty() {
            return Self::Whole(initial.clone());
        }
        match serde_json::from_str(json) {
            Ok(input) => Self::Whole(input),
            Err(error) => Self::Unfinished(error.to_string()),
        }
    }
}

impl Block {
    /// The block as part of an answer, if it is finished; text is, as far as it came.
    fn part(&self) -> Option<Part> {
        match self {
            Self::Text(text) => (!text.is_empty()).then(|| Part::Text(text.clone())),
            Self::Call { id, name, state: CallState::Whole(input), .. } => Some(Part::ToolUse {
                id: id.clone(),
                name: name.clone(),
                input: Value::Object(input.clone()),
            }),
            Self::Opaque { item, whole: true } => Some(Part::Opaque(Value::Object(item.clone()))),
            Self::Call { .. } | Self::Opaque { .. } => None,
        }
    }

    fn fault(&self) -> Option<Fault> {
        match self {
            Self::Call { name, state: CallState::Streaming, .. } => {
                Some(Fault::Malformed(format!("the call of {name} did not end")))
            }
            Self::Call { name, state: CallState::Unfinished(reason), .. } => {
                Some(Fault::Malformed(format!("the input of the call of {name} is no JSON object: {reason}")))
            }
            Self::Text(_) | Self::Call { .. } | Self::Opaque { .. } => None,
        }
    }
}

impl Usage {
    /// Later counts are of the whole answer so far; a missing one leaves the earlier.
    fn take(&mut self, wire: &WireUsage) {
        if let Some(input) = wire.input_tokens {
            self.written = wire.cache_creation_input_tokens.unwrap_or(0);
            self.input = input + self.written;
        }
        self.output = wire.output_tokens.unwrap_or(self.output);
        self.cached = wire.cache_read_input_tokens.unwrap_or(self.cached);
    }
}

#[cfg(test)]
mod tests;
