//! What the provider refuses with 400, or the templates of many models do, and a request in no format's words
//! for the rest.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::fields::{array, is_set, limit, model, object, only, string};
use crate::format::{Asked, Refused};
use crate::openai::{check_call, check_effort, text_of, tool_names};
use crate::pictures::check_url;
use crate::prompt;

const FIELDS: [&str; 35] = [
    "model",
    "messages",
    "tools",
    "tool_choice",
    "parallel_tool_calls",
    "max_tokens",
    "max_completion_tokens",
    "reasoning_effort",
    "verbosity",
    "stream",
    "stream_options",
    "temperature",
    "top_p",
    "n",
    "stop",
    "seed",
    "logprobs",
    "top_logprobs",
    "logit_bias",
    "frequency_penalty",
    "presence_penalty",
    "response_format",
    "prediction",
    "modalities",
    "audio",
    "store",
    "metadata",
    "user",
    "safety_identifier",
    "prompt_cache_key",
    "prompt_cache_retention",
    "service_tier",
    "web_search_options",
    "functions",
    "function_call",
];

pub(crate) fn read(body: &[u8]) -> Result<Asked, Refused> {
    let request = object(body)?;
    only(&request, &FIELDS)?;
    let model = model(&request)?.to_owned();
    limit(&request, "max_tokens", 1)?;
    limit(&request, "max_completion_tokens", 1)?;
    check_effort(&model, request.get("reasoning_effort"), "reasoning_effort")?;
    let stream = is_set(&request, "stream");
    let options = request.get("stream_options").and_then(Value::as_object);
    if options.is_some() && !stream {
        return Err(Refused::invalid("stream_options: goes only with a stream"));
    }
    let tools = tool_names(&request, |tool| tool.get("function").unwrap_or(&Value::Null))?;
    let messages = array(request.get("messages"), "messages")?;
    check_messages(messages, &tools)?;
    let is_system = |message: &&Value| matches!(role(message), "system" | "developer");
    let system = messages.iter().filter(is_system).map(|message| text_of(message.get("content")));
    let answered = messages.iter().rposition(|message| role(message) == "assistant").map_or(0, |at| at + 1);
    let last = messages.iter().skip(answered).filter(|message| !is_system(message));
    Ok(Asked {
        system: system.collect::<Vec<_>>().join("\n"),
        last_input: last.map(|message| text_of(message.get("content"))).collect::<Vec<_>>().join("\n"),
        model,
        stream,
        wants_more: options.is_some_and(|options| is_set(options, "include_usage")),
        prompt: prompt::read(body, &["tools"], &[], "messages")?,
    })
}

fn role(message: &Value) -> &str {
    message.get("role").and_then(Value::as_str).unwrap_or_default()
}

fn check_messages(messages: &[Value], tools: &BTreeSet<String>) -> Result<(), Refused> {
    let mut open: Vec<&str> = Vec::new();
    let mut all = BTreeSet::new();
    let mut before = "system";
    for (index, message) in messages.iter().enumerate() {
        let at = format!("messages[{index}]");
        let role = string(message, "role", &at)?;
        if role != "tool" && !open.is_empty() {
            return Err(Refused::invalid(format!(
                "{at}: calls before it have no result: {}",
                open.join(", ")
            )));
        }
        match (role, before) {
            ("system" | "developer", "system") => continue,
            ("assistant", "system" | "assistant") => {
                return Err(Refused::invalid(format!("{at}.role: {role:?} can't follow {before:?}")));
            }
            ("user", _) => {
                check_content(message, &at)?;
                check_pictures(message, &at)?;
            }
            ("assistant", _) => open = check_assistant(message, tools, &mut all, &at)?,
            ("tool", _) => {
                check_content(message, &at)?;
                if parts(message).any(|part| part.get("type").and_then(Value::as_str) != Some("text")) {
                    return Err(Refused::invalid(format!("{at}: images are for messages of the user alone")));
                }
                let id = string(message, "tool_call_id", &at)?;
                match open.iter().position(|call| *call == id) {
                    Some(place) => drop(open.remove(place)),
                    None => {
                        return Err(Refused::invalid(format!(
                            "{at}: a result for {id}, which waits for none"
                        )));
                    }
                }
            }
            _ => return Err(Refused::invalid(format!("{at}.role: {role:?} can't stand here"))),
        }
        before = role;
    }
    if !open.is_empty() {
        return Err(Refused::invalid(format!("messages: calls without a result: {}", open.join(", "))));
    }
    if !matches!(before, "user" | "tool") {
        return Err(Refused::invalid("messages: the last must be of the user or a tool"));
    }
    Ok(())
}

fn check_content(message: &Value, at: &str) -> Result<(), Refused> {
    match message.get("content") {
        Some(Value::String(_)) => Ok(()),
        Some(Value::Array(parts)) if !parts.is_empty() => Ok(()),
        _ => Err(Refused::invalid(format!("{at}.content: must be a string or a list of parts"))),
    }
}

fn check_pictures(message: &Value, at: &str) -> Result<(), Refused> {
    for part in parts(message) {
        if string(part, "type", at)? == "image_url" {
            let url = string(part.get("image_url").unwrap_or(&Value::Null), "url", at)?;
            check_url(url, &format!("{at}.content.image_url"))?;
        }
    }
    Ok(())
}

/// The parts of a content that is no mere string.
fn parts(message: &Value) -> impl Iterator<Item = &Value> {
    message.get("content").and_then(Value::as_array).into_iter().flatten()
}

/// The ids of its calls.
fn check_assistant<'a>(
    message: &'a Value,
    tools: &BTreeSet<String>,
    all: &mut BTreeSet<&'a str>,
    at: &str,
) -> Result<Vec<&'a str>, Refused> {
    let Some(calls) = message.get("tool_calls") else {
        check_content(message, at)?;
        return Ok(Vec::new());
    };
    let mut ids = Vec::new();
    for (index, call) in array(Some(calls), &format!("{at}.tool_calls"))?.iter().enumerate() {
        let at = format!("{at}.tool_calls[{index}]");
        if string(call, "type", &at)? != "function" {
            return Err(Refused::invalid(format!("{at}.type: must be 'function'")));
        }
        check_call(call.get("function").unwrap_or(&Value::Null), tools, &format!("{at}.function"))?;
        let id = string(call, "id", &at)?;
        if !all.insert(id) {
            return Err(Refused::invalid(format!("{at}.id: {id} was used before")));
        }
        ids.push(id);
    }
    if ids.is_empty() {
        return Err(Refused::invalid(format!("{at}.tool_calls: must not be empty")));
    }
    Ok(ids)
}

#[cfg(test)]
mod tests;
