//! What the provider refuses with 400, and a request in no format's words for the rest.

mod messages;

use std::collections::BTreeSet;

use serde_json::{Map, Value};

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

/// The most cache marks that the provider takes.
const MOST_MARKS: usize = 4;

pub(crate) fn read(body: &[u8]) -> Result<Asked, Refused> {
    // Says no to bytes that are not UTF-8, and to half of a surrogate pair.
    let value: Value = serde_json::from_slice(body)
        .map_err(|error| Refused::invalid(format!("The request body is not valid JSON: {error}")))?;
    let request = value.as_object().ok_or_else(|| Refused::invalid("The request body is not an object"))?;
    let model = check_fields(request)?;
    let tools = check_tools(request)?;
    let messages = array(request.get("messages"), "messages")?;
    messages::check(messages, &tools)?;
    let marks = marks(&value);
    if marks > MOST_MARKS {
        return Err(Refused::invalid(format!(
            "cache_control: at most {MOST_MARKS} marks are taken; there are {marks}"
        )));
    }
    Ok(Asked {
        system: text_of(request.get("system")),
        last_input: messages.last().map(|last| text_of(last.get("content"))).unwrap_or_default(),
        model: model.to_owned(),
        stream: request.get("stream").and_then(Value::as_bool).unwrap_or(false),
        prompt: prompt::read(body, &["tools"], &["system"], "messages")?,
    })
}

fn check_fields(request: &Map<String, Value>) -> Result<&str, Refused> {
    if let Some(field) = request.keys().find(|field| !FIELDS.contains(&field.as_str())) {
        return Err(Refused::invalid(format!("{field}: is no field of a request")));
    }
    let model = request.get("model").and_then(Value::as_str).filter(|model| !model.is_empty());
    let model = model.ok_or_else(|| Refused::invalid("model: is missing"))?;
    match request.get("max_tokens").map(Value::as_u64) {
        None => return Err(Refused::invalid("max_tokens: is missing")),
        Some(None | Some(0)) => {
            return Err(Refused::invalid("max_tokens: must be at least 1"));
        }
        Some(Some(_)) => {}
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

fn array<'a>(value: Option<&'a Value>, at: &str) -> Result<&'a [Value], Refused> {
    match value {
        Some(Value::Array(items)) => Ok(items),
        Some(_) => Err(Refused::invalid(format!("{at}: must be a list"))),
        None => Err(Refused::invalid(format!("{at}: is missing"))),
    }
}

fn string<'a>(value: &'a Value, field: &str, at: &str) -> Result<&'a str, Refused> {
    value
        .get(field)
        .and_then(Value::as_str)
        .ok_or_else(|| Refused::invalid(format!("{at}.{field}: must be a string")))
}

fn is_plain(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte))
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
