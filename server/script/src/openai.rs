//! OpenAI's API as a server speaks it: Responses and Chat Completions.

pub(crate) mod chat;
pub(crate) mod responses;

use std::collections::BTreeSet;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Map, Value, json};

use crate::fields::{array, is_plain, string};
use crate::format::Refused;

pub(crate) fn check_headers<'a>(header: &dyn Fn(&str) -> Option<&'a str>) -> Result<(), Refused> {
    let key = header("authorization").and_then(|value| value.strip_prefix("Bearer "));
    if key.is_none_or(|key| key.trim().is_empty()) {
        return Err(Refused::new(401, "the header authorization must hold a bearer key"));
    }
    Ok(())
}

/// The format tells types from codes; the codes are the more exact.
pub(crate) fn error(kind: &str, message: &str) -> Value {
    let (kind, code) = if kind.ends_with("_error") {
        (kind, Value::Null)
    } else {
        ("invalid_request_error", Value::from(kind))
    };
    json!({"error": {"message": message, "type": kind, "param": null, "code": code}})
}

pub(crate) fn kind_of(status: u16) -> &'static str {
    match status {
        401 => "invalid_api_key",
        404 => "model_not_found",
        429 => "rate_limit_exceeded",
        400..=499 => "invalid_request_error",
        _ => "server_error",
    }
}

/// The names of the functions in `tools`; `definition` gets from a tool to the fields of its function.
fn tool_names(
    request: &Map<String, Value>,
    definition: fn(&Value) -> &Value,
) -> Result<BTreeSet<String>, Refused> {
    let mut names = BTreeSet::new();
    let Some(tools) = request.get("tools") else { return Ok(names) };
    for (index, tool) in array(Some(tools), "tools")?.iter().enumerate() {
        let at = format!("tools[{index}]");
        if string(tool, "type", &at)? != "function" {
            continue;
        }
        let function = definition(tool);
        let name = string(function, "name", &at)?;
        if name.len() > 64 || !is_plain(name) {
            return Err(Refused::invalid(format!(
                "{at}.name: {name:?} does not match ^[a-zA-Z0-9_-]{{1,64}}$"
            )));
        }
        let kind = function.get("parameters").map(|schema| schema.get("type").and_then(Value::as_str));
        if kind.is_some_and(|kind| kind != Some("object")) {
            return Err(Refused::invalid(format!("{at}.parameters.type: must be 'object'")));
        }
        if !names.insert(name.to_owned()) {
            return Err(Refused::invalid(format!("tools: the name {name} is used twice")));
        }
    }
    Ok(names)
}

/// The name and arguments of a call, as both formats hold them.
fn check_call(call: &Value, tools: &BTreeSet<String>, at: &str) -> Result<(), Refused> {
    let name = string(call, "name", at)?;
    if !tools.contains(name) {
        return Err(Refused::invalid(format!("{at}.name: there is no tool {name:?}")));
    }
    let arguments = string(call, "arguments", at)?;
    if serde_json::from_str::<Map<String, Value>>(arguments).is_err() {
        return Err(Refused::invalid(format!("{at}.arguments: must be the text of a JSON object")));
    }
    Ok(())
}

fn check_effort(model: &str, effort: Option<&Value>, at: &str) -> Result<(), Refused> {
    let known = ["none", "minimal", "low", "medium", "high", "xhigh"];
    match effort {
        None | Some(Value::Null) => Ok(()),
        Some(Value::String(word)) if known.contains(&word.as_str()) => Ok(()),
        Some(Value::String(word)) if word == "max" && model.starts_with("gpt-6") => Ok(()),
        Some(other) => Err(Refused::invalid(format!("{at}: {other} is not known"))),
    }
}

/// All text of a content: a string, or a list of parts that each have one.
fn text_of(content: Option<&Value>) -> String {
    match content {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => {
            let texts = parts.iter().filter_map(|part| part.get("text").and_then(Value::as_str));
            texts.collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

/// Unix seconds.
fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
