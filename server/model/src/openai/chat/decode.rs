//! The chunks of a stream of `/v1/chat/completions` as one answer.
//!
//! An answer is whole once a `finish_reason` came. The usage follows behind it, so the stream is read on to
//! `[DONE]` or its end; `[DONE]` alone ends nothing.

mod reasoning;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::event::{Reply, Stop, Usage};
use crate::openai::call_input;
use crate::provider::{Decoder, Fault, Progress};
use crate::request::Part;
use crate::sse::Event;
use reasoning::Reasoning;

#[derive(Debug, Default)]
pub(super) struct Stream {
    reasoning: Reasoning,
    text: String,
    refused: bool,
    calls: Vec<Call>,
    finish: Option<String>,
    usage: Usage,
}

/// A call ends when another begins, or the answer does; the format has no word for it.
#[derive(Debug)]
struct Call {
    index: u64,
    id: String,
    name: String,
    arguments: String,
}

impl Decoder for Stream {
    fn event(&mut self, event: &Event, text: &mut dyn FnMut(&str)) -> Result<Progress, Fault> {
        if event.data.trim() == "[DONE]" {
            return self.closed().map(Progress::Done);
        }
        if event.name == "error" {
            return Err(Fault::reported(&event.data));
        }
        let chunk: Chunk = serde_json::from_str(&event.data)
            .map_err(|error| Fault::Malformed(format!("a chunk is not what it should be: {error}")))?;
        if chunk.error.is_some() {
            return Err(Fault::reported(&event.data));
        }
        if let Some(usage) = chunk.usage {
            self.usage = usage.read();
        }
        // There is one choice, since one is asked for.
        if let Some(choice) = chunk.choices.into_iter().next() {
            self.delta(choice.delta, text)?;
            self.finish = choice.finish_reason.or(self.finish.take());
        }
        Ok(Progress::More)
    }

    fn closed(&mut self) -> Result<Reply, Fault> {
        let Some(reason) = self.finish.take() else { return Err(Fault::Incomplete) };
        let stop = match reason.as_str() {
            _ if self.refused => Stop::Refusal,
            "stop" => Stop::EndTurn,
            "tool_calls" | "function_call" => Stop::ToolUse,
            "length" => Stop::MaxTokens,
            "content_filter" => Stop::Refusal,
            _ => Stop::Other(reason),
        };
        if stop == Stop::MaxTokens {
            self.calls.pop_if(|call| call.object().is_none());
        }
        for call in &self.calls {
            call_input(&call.arguments).map_err(|error| {
                Fault::Malformed(format!("the input of the call of {} is no JSON object: {error}", call.name))
            })?;
        }
        let last = self.calls.len();
        Ok(Reply { stop, ..self.reply(last) }.settled())
    }

    fn finished(&self) -> Reply {
        // The last call may go on, unless what came of it is already a whole object.
        let open = self.calls.last().is_some_and(|call| call.object().is_none());
        self.reply(self.calls.len() - usize::from(open))
    }
}

impl Stream {
    /// With the first `ended` calls; one that can't be read is left out.
    fn reply(&self, ended: usize) -> Reply {
        let mut content = Vec::new();
        content.extend(self.reasoning.item().map(Part::Opaque));
        content.extend((!self.text.is_empty()).then(|| Part::Text(self.text.clone())));
        content.extend(self.calls.iter().take(ended).filter_map(|call| {
            let input = Value::Object(call_input(&call.arguments).ok()?);
            Some(Part::ToolUse { id: call.id.clone(), name: call.name.clone(), input })
        }));
        Reply { content, stop: Stop::ToolUse, usage: self.usage }
    }

    fn delta(&mut self, delta: WireDelta, text: &mut dyn FnMut(&str)) -> Result<(), Fault> {
        self.reasoning.add(delta.others);
        self.refused |= delta.refusal.as_ref().is_some_and(|refusal| !refusal.is_empty());
        for more in [delta.content, delta.refusal].into_iter().flatten().filter(|more| !more.is_empty()) {
            self.text.push_str(&more);
            text(&more);
        }
        delta.tool_calls.unwrap_or_default().into_iter().try_for_each(|call| self.call(call))
    }

    fn call(&mut self, delta: CallDelta) -> Result<(), Fault> {
        let function = delta.function.unwrap_or_default();
        let id = delta.id.filter(|id| !id.is_empty());
        let name = function.name.filter(|name| !name.is_empty());
        // Some servers give every call the index 0, or none; then a new id begins a new call.
        let goes_on = self.calls.last().is_some_and(|call| {
            delta.index.is_none_or(|index| index == call.index)
                && id.as_ref().is_none_or(|id| *id == call.id || name.is_none())
        });
        if !goes_on {
            let Some(name) = name else {
                return Err(Fault::Malformed("a call goes on that has not begun".into()));
            };
            let index = delta.index.unwrap_or(self.calls.len() as u64);
            let id = id.unwrap_or_else(fresh_id);
            self.calls.push(Call { index, id, name, arguments: String::new() });
        }
        let Some(call) = self.calls.last_mut() else { return Ok(()) };
        match function.arguments {
            None | Some(Value::Null) => {}
            Some(Value::String(more)) => call.arguments.push_str(&more),
            Some(whole) => call.arguments.push_str(&whole.to_string()),
        }
        Ok(())
    }
}

impl Call {
    /// The input, if what came so far is a whole object.
    fn object(&self) -> Option<Map<String, Value>> {
        serde_json::from_str(&self.arguments).ok()
    }
}

/// For the servers that give a call no id. It must be new in the whole conversation, not only in this answer.
fn fresh_id() -> String {
    format!("call_{:016x}", getrandom::u64().unwrap_or_default())
}

#[derive(Deserialize)]
struct Chunk {
    #[serde(default)]
    choices: Vec<Choice>,
    usage: Option<WireUsage>,
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Choice {
    #[serde(default)]
    delta: WireDelta,
    finish_reason: Option<String>,
}

#[derive(Deserialize, Default)]
struct WireDelta {
    content: Option<String>,
    refusal: Option<String>,
    tool_calls: Option<Vec<CallDelta>>,
    /// Reasoning among them, under one of several names.
    #[serde(flatten)]
    others: Map<String, Value>,
}

#[derive(Deserialize)]
struct CallDelta {
    index: Option<u64>,
    id: Option<String>,
    function: Option<FunctionDelta>,
}

#[derive(Deserialize, Default)]
struct FunctionDelta {
    name: Option<String>,
    arguments: Option<Value>,
}

#[derive(Deserialize)]
struct WireUsage {
    #[serde(default)]
    prompt_tokens: u64,
    #[serde(default)]
    completion_tokens: u64,
    prompt_tokens_details: Option<PromptDetails>,
    /// DeepSeek's own word for the same.
    prompt_cache_hit_tokens: Option<u64>,
}

#[derive(Deserialize)]
struct PromptDetails {
    cached_tokens: Option<u64>,
}

impl WireUsage {
    fn read(&self) -> Usage {
        let details = self.prompt_tokens_details.as_ref().and_then(|details| details.cached_tokens);
        let cached = details.or(self.prompt_cache_hit_tokens).unwrap_or(0);
        Usage {
            input: self.prompt_tokens.saturating_sub(cached),
            written: 0,
            output: self.completion_tokens,
            cached,
        }
    }
}

#[cfg(test)]
mod tests;
