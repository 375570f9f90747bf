//! An answer as the events of a stream, or whole.

use serde_json::{Value, json};

use crate::format::{Act, Answer, AnswerPart, event};
use crate::pieces;
use crate::signature;

/// A ping goes out after so many events.
const PING_EVERY: usize = 9;

pub(crate) fn events(answer: &Answer) -> Vec<Act> {
    let mut out = Out::default();
    let mut message = head(answer);
    message["usage"] = usage(answer, 1);
    out.event("message_start", json!({"type": "message_start", "message": message}));
    out.ping();
    for part in &answer.parts {
        out.part(part);
    }
    let delta = json!({"stop_reason": stop_reason(answer), "stop_sequence": null});
    let usage = usage(answer, answer.usage.output);
    out.event("message_delta", json!({"type": "message_delta", "delta": delta, "usage": usage}));
    out.event("message_stop", json!({"type": "message_stop"}));
    out.acts
}

pub(crate) fn whole(answer: &Answer) -> Value {
    let mut message = head(answer);
    message["content"] = answer.parts.iter().filter_map(block).collect();
    message["stop_reason"] = stop_reason(answer).into();
    message["usage"] = usage(answer, answer.usage.output);
    message
}

#[derive(Default)]
struct Out {
    acts: Vec<Act>,
    blocks: u64,
    since_ping: usize,
}

impl Out {
    fn event(&mut self, name: &str, data: Value) {
        self.acts.push(Act::Event(event(name, &data)));
        self.since_ping += 1;
    }

    fn ping(&mut self) {
        self.event("ping", json!({"type": "ping"}));
        self.since_ping = 0;
    }

    fn part(&mut self, part: &AnswerPart) {
        match part {
            AnswerPart::Gate(name) => self.acts.push(Act::Gate(name.clone())),
            AnswerPart::Text(text) => {
                let deltas = pieces::split(text).into_iter();
                let deltas = deltas.map(|piece| json!({"type": "text_delta", "text": piece}));
                self.block(json!({"type": "text", "text": ""}), deltas);
            }
            AnswerPart::Thinking(text) => {
                let deltas = pieces::split(text).into_iter();
                let deltas = deltas.map(|piece| json!({"type": "thinking_delta", "thinking": piece}));
                let signed = json!({"type": "signature_delta", "signature": signature::of(text)});
                let start = json!({"type": "thinking", "thinking": "", "signature": ""});
                self.block(start, deltas.chain([signed]));
            }
            AnswerPart::Call { id, tool, input } => {
                // The real one begins each input with an empty piece, and streams nothing for an empty one.
                let json = input.to_string();
                let json = if json == "{}" { "" } else { &json };
                let pieces = [""].into_iter().chain(pieces::split(json));
                let deltas = pieces.map(|piece| json!({"type": "input_json_delta", "partial_json": piece}));
                self.block(json!({"type": "tool_use", "id": id, "name": tool, "input": {}}), deltas);
            }
        }
    }

    fn block(&mut self, start: Value, deltas: impl Iterator<Item = Value>) {
        let index = self.blocks;
        self.blocks += 1;
        let start = json!({"type": "content_block_start", "index": index, "content_block": start});
        self.event("content_block_start", start);
        for delta in deltas {
            if self.since_ping >= PING_EVERY {
                self.ping();
            }
            let delta = json!({"type": "content_block_delta", "index": index, "delta": delta});
            self.event("content_block_delta", delta);
        }
        self.event("content_block_stop", json!({"type": "content_block_stop", "index": index}));
    }
}

fn head(answer: &Answer) -> Value {
    json!({
        "id": format!("msg_script_{:06}", answer.number),
        "type": "message",
        "role": "assistant",
        "model": answer.model,
        "content": [],
        "stop_reason": null,
        "stop_sequence": null,
    })
}

fn usage(answer: &Answer, output: u64) -> Value {
    json!({
        "input_tokens": answer.usage.input,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": answer.usage.cached,
        "output_tokens": output,
    })
}

fn stop_reason(answer: &Answer) -> &str {
    let natural = if answer.has_calls() { "tool_use" } else { "end_turn" };
    answer.stop.as_deref().unwrap_or(natural)
}

fn block(part: &AnswerPart) -> Option<Value> {
    Some(match part {
        AnswerPart::Text(text) => json!({"type": "text", "text": text}),
        AnswerPart::Thinking(text) => {
            json!({"type": "thinking", "thinking": text, "signature": signature::of(text)})
        }
        AnswerPart::Call { id, tool, input } => {
            json!({"type": "tool_use", "id": id, "name": tool, "input": input})
        }
        AnswerPart::Gate(_) => return None,
    })
}
