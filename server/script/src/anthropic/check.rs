//! What the provider refuses with 400, and a request in no format's words for the rest.

mod messages;

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::fields::{array, is_plain, is_set, limit, model, object, only, string};
use crate::format::{Asked, Refused};
use crate::prompt;

/// The fields that a request may have; the provider permits no others.
const FIELDS: [&str; 20] = [
    "model",
    "messages",
    "max_tokens",
    "system",
    "tools",
    "tool_choice",
    "stream",
    "temperature",
    "top_p",
    "top_k",
    "stop_sequences",
    "metadata",
    "thinking",
    "output_config",
    "service_tier",
    "container",
    "context_management",
    "mcp_servers",
    "inference_geo",
    "cache_control",
];

/// The starts of the names of models that refuse `output_config.effort`, as the provider says (December 2026).
const WITHOUT_EFFORT: [&str; 9] = [
    "claude-2",
    "claude-3",
    "claude-haiku-4",
    "claude-sonnet-4-0",
    "claude-sonnet-4-2",
    "claude-sonnet-4-5",
    "claude-opus-4-0",
    "claude-opus-4-1",
    "claude-opus-4-2",
];

/// The most cache marks that the provider takes.
const MOST_MARKS: usize = 4;

pub(crate) fn read(body: &[u8]) -> Result<Asked, Refused> {
    let request = object(body)?;
    let model = check_fields(&request)?;
    let tools = check_tools(&request)?;
    let messages = array(request.get("messages"), "messages")?;
    messages::check(messages, &tools)?;
    let marks =
        request.values().map(marks).sum::<usize>() + usize::from(request.contains_key("cache_control"));
    if marks > MOST_MARKS {
        return Err(Refused::invalid(format!(
            "cache_control: at most {MOST_MARKS} marks are taken; there are {marks}"
        )));
    }
    Ok(Asked {
        system: text_of(request.get("system")),
        last_input: last_input(messages),
        model: model.to_owned(),
        stream: is_set(&request, "stream"),
        wants_more: true,
        prompt: prompt::read(body, &["tools"], &["system"], "messages")?,
    })
}

fn check_fields(request: &Map<String, Value>) -> Result<&str, Refused> {
    only(request, &FIELDS)?;
    let model = model(request)?;
    if limit(request, "max_tokens", 1)?.is_none() {
        return Err(Refused::invalid("max_tokens: is missing"));
    }
    if let Some(thinking) = request.get("thinking") {
        let kind = thinking.get("type").and_then(Value::as_str).unwrap_or_default();
        if !["adaptive", "enabled", "disabled"].contains(&kind) {
            return Err(Refused::invalid(format!("thinking.type: {kind:?} is not known")));
        }
    }
    if let Some(effort) = request.get("output_config").and_then(|config| config.get("effort")) {
        let word = effort.as_str().unwrap_or_default();
        if !["low", "medium", "high", "xhigh", "max"].contains(&word) {
            return Err(Refused::invalid(format!("output_config.effort: {effort} is not known")));
        }
        if WITHOUT_EFFORT.iter().any(|start| model.starts_with(start)) {
            return Err(Refused::invalid(format!("output_config.effort: {model} does not support it")));
        }
    }
    check_system(request.get("system"))?;
    Ok(model)
}

fn check_system(system: Option<&Value>) -> Result<(), Refused> {
    match system {
        None | Some(Value::String(_)) => Ok(()),
        Some(Value::Array(blocks)) => {
            for (index, block) in blocks.iter().enumerate() {
                check_text(block, &format!("system.{index}"))?;
            }
            Ok(())
        }
        Some(_) => Err(Refused::invalid("system: must be a string or a list of text blocks")),
    }
}

fn check_tools(request: &Map<String, Value>) -> Result<BTreeSet<String>, Refused> {
    let mut names = BTreeSet::new();
    let Some(tools) = request.get("tools") else { return Ok(names) };
    for (index, tool) in array(Some(tools), "tools")?.iter().enumerate() {
        let at = format!("tools.{index}");
        let name = string(tool, "name", &at)?;
        if name.len() > 128 || !is_plain(name) {
            return Err(Refused::invalid(format!(
                "{at}.name: {name:?} does not match ^[a-zA-Z0-9_-]{{1,128}}$"
            )));
        }
        let schema_type = tool.get("input_schema").and_then(|schema| schema.get("type"));
        if schema_type.and_then(Value::as_str) != Some("object") {
            return Err(Refused::invalid(format!("{at}.input_schema.type: must be 'object'")));
        }
        if !names.insert(name.to_owned()) {
            return Err(Refused::invalid(format!("tools: the name {name} is used twice")));
        }
    }
    Ok(names)
}

fn check_text(block: &Value, at: &str) -> Result<(), Refused> {
    let text = string(block, "text", at)?;
    if text.trim().is_empty() {
        return Err(Refused::invalid(format!("{at}: a text must hold more than white space")));
    }
    Ok(())
}

/// All text in a content: a string, or blocks of text and results.
fn text_of(content: Option<&Value>) -> String {
    match content {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(blocks)) => {
            let texts = blocks.iter().map(|block| match block.get("text").and_then(Value::as_str) {
                Some(text) => text.to_owned(),
                None => text_of(block.get("content")),
            });
            texts.collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

/// Everything behind the model's last word.
fn last_input(messages: &[Value]) -> String {
    let is_answer = |message: &Value| message.get("role").and_then(Value::as_str) == Some("assistant");
    let answered = messages.iter().rposition(is_answer).map_or(0, |at| at + 1);
    let texts = messages.iter().skip(answered).map(|message| text_of(message.get("content")));
    texts.collect::<Vec<_>>().join("\n")
}

/// How many cache marks there are, wherever the provider lets one stand.
fn marks(value: &Value) -> usize {
    match value {
        Value::Object(fields) => {
            let inner = fields.iter().filter(|(name, _)| !["input", "input_schema"].contains(&name.as_str()));
            let here = usize::from(fields.contains_key("cache_control"));
            here + inner.map(|(_, value)| marks(value)).sum::<usize>()
        }
        Value::Array(items) => items.iter().map(marks).sum(),
        _ => 0,
    }
}

#[cfg(test)]
mod tests;
