//! An answer as the chunks of a stream, or whole.

use serde_json::{Value, json};

use crate::format::{Act, Answer, AnswerPart};
use crate::openai::now;
use crate::pieces;

pub(crate) fn events(answer: &Answer) -> Vec<Act> {
    let mut acts = vec![chunk(answer, json!({"role": "assistant", "content": ""}), None)];
    // Some servers send a sign of life as a comment while they work.
    acts.push(Act::Event(": still here\n\n".into()));
    let mut calls = 0;
    for part in &answer.parts {
        match part {
            AnswerPart::Gate(name) => acts.push(Act::Gate(name.clone())),
            AnswerPart::Text(text) => acts.extend(field(answer, "content", text)),
            AnswerPart::Thinking(text) => acts.extend(field(answer, "reasoning_content", text)),
            AnswerPart::Call { id, tool, input } => {
                let function = json!({"name": tool, "arguments": ""});
                let begun = json!({"index": calls, "id": id, "type": "function", "function": function});
                acts.push(chunk(answer, json!({"tool_calls": [begun]}), None));
                for piece in pieces::split(&input.to_string()) {
                    let more = json!({"index": calls, "function": {"arguments": piece}});
                    acts.push(chunk(answer, json!({"tool_calls": [more]}), None));
                }
                calls += 1;
            }
        }
    }
    acts.push(chunk(answer, json!({}), Some(finish_reason(answer))));
    if answer.wants_more {
        let mut last = head(answer, "chat.completion.chunk");
        last["choices"] = json!([]);
        last["usage"] = usage(answer);
        acts.push(data(&last));
    }
    acts.push(Act::Event("data: [DONE]\n\n".into()));
    acts
}

pub(crate) fn whole(answer: &Answer) -> Value {
    let text =
        |wanted: fn(&AnswerPart) -> Option<&str>| answer.parts.iter().filter_map(wanted).collect::<String>();
    let content = text(|part| match part {
        AnswerPart::Text(text) => Some(text),
        _ => None,
    });
    let reasoning = text(|part| match part {
        AnswerPart::Thinking(text) => Some(text),
        _ => None,
    });
    let calls = answer.parts.iter().filter_map(|part| match part {
        AnswerPart::Call { id, tool, input } => {
            let function = json!({"name": tool, "arguments": input.to_string()});
            Some(json!({"id": id, "type": "function", "function": function}))
        }
        _ => None,
    });
    let calls: Vec<_> = calls.collect();
    let mut message = json!({"role": "assistant", "content": Some(content).filter(|text| !text.is_empty())});
    if !calls.is_empty() {
        message["tool_calls"] = calls.into();
    }
    if !reasoning.is_empty() {
        message["reasoning_content"] = reasoning.into();
    }
    let mut completion = head(answer, "chat.completion");
    completion["choices"] =
        json!([{"index": 0, "message": message, "logprobs": null, "finish_reason": finish_reason(answer)}]);
    completion["usage"] = usage(answer);
    completion
}

fn field(answer: &Answer, name: &str, text: &str) -> Vec<Act> {
    let delta = |piece: &str| Value::Object([(name.to_owned(), piece.into())].into_iter().collect());
    pieces::split(text).into_iter().map(|piece| chunk(answer, delta(piece), None)).collect()
}

fn chunk(answer: &Answer, delta: Value, finish_reason: Option<&str>) -> Act {
    let mut chunk = head(answer, "chat.completion.chunk");
    chunk["choices"] =
        json!([{"index": 0, "delta": delta, "logprobs": null, "finish_reason": finish_reason}]);
    data(&chunk)
}

fn data(value: &Value) -> Act {
    Act::Event(format!("data: {value}\n\n"))
}

fn head(answer: &Answer, object: &str) -> Value {
    json!({
        "id": format!("chatcmpl-script-{:06}", answer.number),
        "object": object,
        "created": now(),
        "model": answer.model,
    })
}

fn finish_reason(answer: &Answer) -> &str {
    let natural = if answer.has_calls() { "tool_calls" } else { "stop" };
    answer.stop.as_deref().unwrap_or(natural)
}

fn usage(answer: &Answer) -> Value {
    let (prompt, completion) = (answer.usage.input + answer.usage.cached, answer.usage.output);
    json!({
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
        "prompt_tokens_details": {"cached_tokens": answer.usage.cached},
    })
}
