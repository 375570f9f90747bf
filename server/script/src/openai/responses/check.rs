//! What the provider refuses with 400, and a request in no format's words for the rest.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::fields::{array, is_set, limit, model, object, only, string};
use crate::format::{Asked, Refused};
use crate::openai::{check_call, check_effort, text_of, tool_names};
use crate::pictures::check_url;
use crate::{prompt, signature};

const FIELDS: [&str; 28] = [
    "model",
    "input",
    "instructions",
    "tools",
    "tool_choice",
    "parallel_tool_calls",
    "max_output_tokens",
    "max_tool_calls",
    "reasoning",
    "include",
    "store",
    "stream",
    "stream_options",
    "temperature",
    "top_p",
    "top_logprobs",
    "text",
    "truncation",
    "metadata",
    "user",
    "safety_identifier",
    "prompt_cache_key",
    "prompt_cache_retention",
    "service_tier",
    "previous_response_id",
    "conversation",
    "background",
    "client_metadata",
];

/// What an input is made of, and an output of a call.
const INPUT: [&str; 3] = ["input_text", "input_image", "input_file"];

/// The smallest limit that the provider takes.
const LEAST_TOKENS: u64 = 16;

pub(crate) fn read(body: &[u8]) -> Result<Asked, Refused> {
    let request = object(body)?;
    only(&request, &FIELDS)?;
    let model = model(&request)?;
    limit(&request, "max_output_tokens", LEAST_TOKENS)?;
    check_effort(
        model,
        request.get("reasoning").and_then(|reasoning| reasoning.get("effort")),
        "reasoning.effort",
    )?;
    if request.get("instructions").is_some_and(|text| !text.is_string() && !text.is_null()) {
        return Err(Refused::invalid("instructions: must be a string"));
    }
    let tools = tool_names(&request, |tool| tool)?;
    let include = request.get("include").and_then(Value::as_array).into_iter().flatten();
    let asked = |last_input: String, system: String| -> Result<Asked, Refused> {
        Ok(Asked {
            system,
            last_input,
            model: model.to_owned(),
            stream: is_set(&request, "stream"),
            wants_more: include.clone().any(|word| word == "reasoning.encrypted_content"),
            prompt: prompt::read(body, &["tools"], &["instructions"], "input")?,
        })
    };
    let instructions = text_of(request.get("instructions"));
    if let Some(Value::String(text)) = request.get("input") {
        return asked(text.clone(), instructions);
    }
    let items = array(request.get("input"), "input")?;
    check_items(items, &tools)?;
    asked(last_input(items), system(instructions, items))
}

fn check_items(items: &[Value], tools: &BTreeSet<String>) -> Result<(), Refused> {
    let mut calls = BTreeSet::new();
    let mut answered = BTreeSet::new();
    for (index, item) in items.iter().enumerate() {
        let at = format!("input[{index}]");
        match kind(item) {
            "message" => check_message(item, &at)?,
            "function_call" => {
                check_call(item, tools, &at)?;
                let id = string(item, "call_id", &at)?;
                if !calls.insert(id) {
                    return Err(Refused::invalid(format!("{at}.call_id: {id} was used before")));
                }
            }
            "function_call_output" => {
                let id = string(item, "call_id", &at)?;
                check_parts(item, "output", &INPUT, &at)?;
                if !calls.contains(id) {
                    return Err(Refused::invalid(format!("{at}: an output for {id}, which nothing calls")));
                }
                if !answered.insert(id) {
                    return Err(Refused::invalid(format!("{at}: a second output for {id}")));
                }
            }
            "reasoning" => check_reasoning(item, items.get(index + 1), &at)?,
            other => return Err(Refused::invalid(format!("{at}.type: {other:?} is not known"))),
        }
    }
    let missing: Vec<_> = calls.difference(&answered).copied().collect();
    if !missing.is_empty() {
        return Err(Refused::invalid(format!("input: calls without an output: {}", missing.join(", "))));
    }
    match items.last() {
        None => Err(Refused::invalid("input: must not be empty")),
        Some(last) if is_input(last) => Ok(()),
        Some(_) => Err(Refused::invalid("input: the last must be of the user or a call's output")),
    }
}

/// A message may leave its type out.
fn kind(item: &Value) -> &str {
    let kind = item.get("type").and_then(Value::as_str);
    kind.unwrap_or(if item.get("role").is_some() { "message" } else { "" })
}

fn check_message(item: &Value, at: &str) -> Result<(), Refused> {
    let kinds: &[&str] = match string(item, "role", at)? {
        "user" | "system" | "developer" => &INPUT,
        "assistant" => &["output_text", "refusal"],
        role => return Err(Refused::invalid(format!("{at}.role: {role:?} is not known"))),
    };
    check_parts(item, "content", kinds, at)
}

/// A text, or a list of parts of the kinds that go with who says it.
fn check_parts(item: &Value, field: &str, kinds: &[&str], at: &str) -> Result<(), Refused> {
    if item.get(field).is_some_and(Value::is_string) {
        return Ok(());
    }
    for (index, part) in array(item.get(field), &format!("{at}.{field}"))?.iter().enumerate() {
        let at = format!("{at}.{field}[{index}]");
        let kind = string(part, "type", &at)?;
        if !kinds.contains(&kind) {
            return Err(Refused::invalid(format!("{at}.type: {kind:?} does not go with the role")));
        }
        if kind.ends_with("_text") {
            string(part, "text", &at)?;
        }
        if kind == "input_image" && part.get("file_id").is_none() {
            check_url(string(part, "image_url", &at)?, &format!("{at}.image_url"))?;
        }
    }
    Ok(())
}

/// The provider keeps nothing, so reasoning must come back whole, and in front of what it led to.
fn check_reasoning(item: &Value, next: Option<&Value>, at: &str) -> Result<(), Refused> {
    let id = string(item, "id", at)?;
    array(item.get("summary"), &format!("{at}.summary"))?;
    let sealed = item.get("encrypted_content").and_then(Value::as_str);
    match sealed {
        None => return Err(Refused::new(404, format!("{at}: {id} is not found, since nothing is stored"))),
        Some(sealed) if !signature::is_sealed(sealed) => {
            return Err(Refused::invalid(format!("{at}.encrypted_content: can't be decrypted")));
        }
        Some(_) => {}
    }
    let led_to = next.is_some_and(|next| {
        matches!(kind(next), "function_call" | "reasoning")
            || next.get("role").and_then(Value::as_str) == Some("assistant")
    });
    if !led_to {
        return Err(Refused::invalid(format!("{at}: the item that {id} led to must follow it")));
    }
    Ok(())
}

fn is_input(item: &Value) -> bool {
    kind(item) == "function_call_output"
        || (kind(item) == "message" && item.get("role").and_then(Value::as_str) != Some("assistant"))
}

/// Everything behind the model's last word.
fn last_input(items: &[Value]) -> String {
    let answered = items.iter().rposition(|item| !is_input(item)).map_or(0, |at| at + 1);
    let texts = items.iter().skip(answered).map(|item| text_of(item.get("content").or(item.get("output"))));
    texts.collect::<Vec<_>>().join("\n")
}

fn system(instructions: String, items: &[Value]) -> String {
    let is_system =
        |item: &&Value| matches!(item.get("role").and_then(Value::as_str), Some("system" | "developer"));
    let texts = items.iter().filter(is_system).map(|item| text_of(item.get("content")));
    std::iter::once(instructions).chain(texts).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests;
