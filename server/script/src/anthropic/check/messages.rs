//! The messages of a request: who speaks when, and that every call has its one result.

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::check_text;
use crate::fields::{is_plain, string};
use crate::format::Refused;
use crate::pictures::Pictures;
use crate::signature;

pub(super) fn check(messages: &[Value], tools: &BTreeSet<String>) -> Result<(), Refused> {
    if messages.is_empty() {
        return Err(Refused::invalid("messages: must not be empty"));
    }
    let mut all_calls = BTreeSet::new();
    let mut unanswered: Vec<String> = Vec::new();
    let mut pictures = Pictures::default();
    let mut turn = "assistant";
    for (index, message) in messages.iter().enumerate() {
        let at = format!("messages.{index}");
        let role = string(message, "role", &at)?;
        let content = Content::of(message, &at)?;
        // Newer models take instructions in the middle of a conversation, right behind the user's message.
        if role == "system" && turn == "user" {
            for (index, block) in content.blocks.iter().enumerate() {
                check_text(block, &format!("{at}.content.{index}"))?;
            }
            continue;
        }
        let expected = if turn == "user" { "assistant" } else { "user" };
        if role != expected {
            return Err(Refused::invalid(format!(
                "{at}.role: must be {expected:?}, since roles alternate; it is {role:?}"
            )));
        }
        turn = expected;
        if role == "user" {
            check_user(&content, &at, &unanswered, &mut pictures)?;
            unanswered.clear();
            continue;
        }
        unanswered = check_assistant(&content, &at, tools)?;
        for id in &unanswered {
            if !all_calls.insert(id.clone()) {
                return Err(Refused::invalid(format!("{at}: the call id {id} was used before")));
            }
        }
    }
    if turn == "assistant" {
        return Err(Refused::invalid("messages: the last must be of the user"));
    }
    pictures.check()
}

/// Every call of the message before is answered by one result, and the results stand first.
fn check_user(
    content: &Content<'_>,
    at: &str,
    unanswered: &[String],
    pictures: &mut Pictures,
) -> Result<(), Refused> {
    let mut answered = BTreeSet::new();
    let mut past_results = false;
    for (index, block) in content.blocks.iter().enumerate() {
        let at = format!("{at}.content.{index}");
        match string(block, "type", &at)? {
            "text" => {
                check_text(block, &at)?;
                past_results = true;
            }
            "image" => {
                pictures.block(block, &at)?;
                past_results = true;
            }
            "document" => past_results = true,
            "tool_result" => {
                let id = string(block, "tool_use_id", &at)?;
                if !unanswered.iter().any(|call| call == id) {
                    return Err(Refused::invalid(format!(
                        "{at}: a result for {id}, which the message before does not call"
                    )));
                }
                if !answered.insert(id) {
                    return Err(Refused::invalid(format!("{at}: a second result for {id}")));
                }
                if past_results {
                    return Err(Refused::invalid(format!(
                        "{at}: results must stand before everything else in their message"
                    )));
                }
                check_result_content(block, &at, pictures)?;
            }
            kind => return Err(Refused::invalid(format!("{at}: {kind:?} is no block of a user"))),
        }
    }
    let missing: Vec<_> = unanswered.iter().filter(|id| !answered.contains(id.as_str())).cloned().collect();
    if !missing.is_empty() {
        return Err(Refused::invalid(format!(
            "{at}: calls of the message before have no result here: {}",
            missing.join(", ")
        )));
    }
    Ok(())
}

fn check_result_content(block: &Value, at: &str, pictures: &mut Pictures) -> Result<(), Refused> {
    let failed = block.get("is_error").and_then(Value::as_bool) == Some(true);
    match block.get("content") {
        None | Some(Value::String(_)) => Ok(()),
        Some(Value::Array(blocks)) => {
            for (index, inner) in blocks.iter().enumerate() {
                let at = format!("{at}.content.{index}");
                match string(inner, "type", &at)? {
                    "text" => check_text(inner, &at)?,
                    "image" if failed => {
                        return Err(Refused::invalid(format!("{at}: a failed result holds text alone")));
                    }
                    "image" => pictures.block(inner, &at)?,
                    "document" | "search_result" => {}
                    kind => return Err(Refused::invalid(format!("{at}: {kind:?} is no block of a result"))),
                }
            }
            Ok(())
        }
        Some(_) => Err(Refused::invalid(format!("{at}.content: must be a string or a list of blocks"))),
    }
}

/// The ids of the calls in it.
fn check_assistant(
    content: &Content<'_>,
    at: &str,
    tools: &BTreeSet<String>,
) -> Result<Vec<String>, Refused> {
    let mut calls = Vec::new();
    for (index, block) in content.blocks.iter().enumerate() {
        let at = format!("{at}.content.{index}");
        match string(block, "type", &at)? {
            "text" => check_text(block, &at)?,
            "thinking" => {
                let thinking = string(block, "thinking", &at)?;
                if string(block, "signature", &at)? != signature::of(thinking) {
                    return Err(Refused::invalid(format!("{at}: the signature does not fit the thinking")));
                }
            }
            "redacted_thinking" => {
                string(block, "data", &at)?;
            }
            "tool_use" => {
                let (id, name) = (string(block, "id", &at)?, string(block, "name", &at)?);
                if !is_plain(id) {
                    return Err(Refused::invalid(format!("{at}.id: {id:?} does not match ^[a-zA-Z0-9_-]+$")));
                }
                if !tools.contains(name) {
                    return Err(Refused::invalid(format!("{at}.name: there is no tool {name:?}")));
                }
                if !block.get("input").is_some_and(Value::is_object) {
                    return Err(Refused::invalid(format!("{at}.input: must be an object")));
                }
                calls.push(id.to_owned());
            }
            kind => return Err(Refused::invalid(format!("{at}: {kind:?} is no block of an assistant"))),
        }
    }
    let last = content.blocks.last().and_then(|block| block.get("type")).and_then(Value::as_str);
    if last.is_some_and(|kind| kind.ends_with("thinking")) {
        return Err(Refused::invalid(format!("{at}: the last block must not be thinking")));
    }
    Ok(calls)
}

/// The content of a message; a plain string is one text block.
struct Content<'a> {
    blocks: Vec<Cow<'a, Value>>,
}

impl<'a> Content<'a> {
    fn of(message: &'a Value, at: &str) -> Result<Self, Refused> {
        let blocks = match message.get("content") {
            Some(Value::String(text)) => {
                vec![Cow::Owned(json!({"type": "text", "text": text}))]
            }
            Some(Value::Array(blocks)) if !blocks.is_empty() => blocks.iter().map(Cow::Borrowed).collect(),
            Some(Value::Array(_)) => {
                return Err(Refused::invalid(format!("{at}.content: must not be empty")));
            }
            _ => return Err(Refused::invalid(format!("{at}.content: is missing"))),
        };
        Ok(Self { blocks })
    }
}
