//! An answer as the events of a stream, or whole.

use serde_json::{Value, json};

use crate::format::{Act, Answer, AnswerPart, event};
use crate::openai::now;
use crate::{pieces, signature};

pub(crate) fn events(answer: &Answer) -> Vec<Act> {
    let mut out = Out::new(answer);
    let begun = response(answer, "in_progress", &[]);
    out.event("response.created", json!({"response": begun}));
    out.event("response.in_progress", json!({"response": begun}));
    for part in &answer.parts {
        out.part(part);
    }
    let (name, whole) = (if cut(answer).is_some() { "incomplete" } else { "completed" }, whole(answer));
    out.event(&format!("response.{name}"), json!({"response": whole}));
    out.acts
}

pub(crate) fn whole(answer: &Answer) -> Value {
    let parts = answer.parts.iter().filter(|part| !matches!(part, AnswerPart::Gate(_))).enumerate();
    let items: Vec<_> = parts.filter_map(|(index, part)| item(answer, index, part)).collect();
    let status = if cut(answer).is_some() { "incomplete" } else { "completed" };
    response(answer, status, &items)
}

struct Out<'a> {
    answer: &'a Answer,
    acts: Vec<Act>,
    number: usize,
    items: usize,
}

impl<'a> Out<'a> {
    fn new(answer: &'a Answer) -> Self {
        Self { answer, acts: Vec::new(), number: 0, items: 0 }
    }

    fn event(&mut self, name: &str, mut data: Value) {
        data["type"] = name.into();
        data["sequence_number"] = self.number.into();
        self.number += 1;
        self.acts.push(Act::Event(event(name, &data)));
    }

    fn part(&mut self, part: &AnswerPart) {
        if let AnswerPart::Gate(name) = part {
            self.acts.push(Act::Gate(name.clone()));
            return;
        }
        let index = self.items;
        self.items += 1;
        let Some(whole) = item(self.answer, index, part) else { return };
        let id = whole["id"].clone();
        let mut begun = whole.clone();
        begun["status"] = "in_progress".into();
        match part {
            AnswerPart::Text(_) => begun["content"] = json!([]),
            AnswerPart::Call { .. } => begun["arguments"] = "".into(),
            // Reasoning is sealed at its end.
            AnswerPart::Thinking(_) => begun["encrypted_content"] = Value::Null,
            AnswerPart::Gate(_) => {}
        }
        self.event("response.output_item.added", json!({"output_index": index, "item": begun}));
        match part {
            AnswerPart::Text(text) => {
                self.text(&json!({"item_id": id, "output_index": index, "content_index": 0}), text)
            }
            AnswerPart::Call { input, .. } => {
                let at = json!({"item_id": id, "output_index": index});
                self.pieces("response.function_call_arguments", &at, &input.to_string(), "arguments");
            }
            AnswerPart::Thinking(_) | AnswerPart::Gate(_) => {}
        }
        self.event("response.output_item.done", json!({"output_index": index, "item": whole}));
    }

    fn text(&mut self, at: &Value, text: &str) {
        let part =
            |text: &str| json!({"type": "output_text", "text": text, "annotations": [], "logprobs": []});
        self.event("response.content_part.added", with(at, "part", part("")));
        self.pieces("response.output_text", at, text, "text");
        self.event("response.content_part.done", with(at, "part", part(text)));
    }

    /// The deltas of a text, and the whole of it in `field`.
    fn pieces(&mut self, name: &str, at: &Value, text: &str, field: &str) {
        for piece in pieces::split(text) {
            self.event(&format!("{name}.delta"), with(at, "delta", piece.into()));
        }
        self.event(&format!("{name}.done"), with(at, field, text.into()));
    }
}

fn with(at: &Value, field: &str, value: Value) -> Value {
    let mut data = at.clone();
    data[field] = value;
    data
}

/// A part as a whole item; a gate is none.
fn item(answer: &Answer, index: usize, part: &AnswerPart) -> Option<Value> {
    let id = |prefix: &str| format!("{prefix}_script_{}_{index}", answer.number);
    Some(match part {
        AnswerPart::Text(text) => json!({
            "id": id("msg"),
            "type": "message",
            "status": "completed",
            "role": "assistant",
            "content": [{"type": "output_text", "text": text, "annotations": [], "logprobs": []}],
        }),
        AnswerPart::Call { id: call_id, tool, input } => json!({
            "id": id("fc"),
            "type": "function_call",
            "status": "completed",
            "call_id": call_id,
            "name": tool,
            "arguments": input.to_string(),
        }),
        AnswerPart::Thinking(text) => json!({
            "id": id("rs"),
            "type": "reasoning",
            "summary": [],
            "encrypted_content": answer.wants_more.then(|| signature::seal(text)),
        }),
        AnswerPart::Gate(_) => return None,
    })
}

/// Why the provider ended the answer, if it did.
fn cut(answer: &Answer) -> Option<&str> {
    answer.stop.as_deref()
}

fn response(answer: &Answer, status: &str, items: &[Value]) -> Value {
    let (input, output) = (answer.usage.input + answer.usage.cached, answer.usage.output);
    let is_over = status != "in_progress";
    json!({
        "id": format!("resp_script_{:06}", answer.number),
        "object": "response",
        "created_at": now(),
        "status": status,
        "background": false,
        "error": null,
        "incomplete_details": cut(answer).filter(|_| is_over).map(|reason| json!({"reason": reason})),
        "instructions": null,
        "max_output_tokens": null,
        "metadata": {},
        "model": answer.model,
        "output": items,
        "parallel_tool_calls": true,
        "previous_response_id": null,
        "store": false,
        "tool_choice": "auto",
        "tools": [],
        "usage": is_over.then(|| json!({
            "input_tokens": input,
            "input_tokens_details": {"cached_tokens": answer.usage.cached},
            "output_tokens": output,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": input + output,
        })),
    })
}
