//! A request as the body of `POST /v1/responses`.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::Value;

use crate::openai::result_text;
use crate::request::{Effort, Message, Part, Picture, Request, UserPart};

/// Models that never reason; they refuse to be asked for their reasoning.
const NEVER_REASON: [&str; 3] = ["gpt-3", "gpt-4", "chatgpt-4"];

pub(super) fn body(request: &Request, effort: Option<Effort>) -> Result<Vec<u8>, serde_json::Error> {
    let reasons = !NEVER_REASON.iter().any(|family| request.model.starts_with(family));
    let body = Body {
        model: &request.model,
        instructions: &request.system,
        tools: request
            .tools
            .iter()
            .map(|tool| Tool {
                kind: "function",
                name: &tool.name,
                description: &tool.description,
                parameters: &tool.input_schema,
                strict: false,
            })
            .collect(),
        input: request.messages.iter().flat_map(items).collect(),
        max_output_tokens: request.max_tokens,
        reasoning: effort.map(|effort| Reasoning { effort: effort.as_str() }),
        // What nobody stores must be given back to be built on.
        include: if reasons { &["reasoning.encrypted_content"] } else { &[] },
        store: false,
        stream: true,
    };
    serde_json::to_vec(&body)
}

fn items(message: &Message) -> Vec<Item<'_>> {
    match message {
        Message::User(parts) => parts.iter().filter_map(user_item).collect(),
        Message::Assistant(parts) => {
            // Reasoning that led to nothing, since the answer was cut there, is refused.
            let end = parts.iter().rposition(|part| !matches!(part, Part::Opaque(_)));
            parts.iter().take(end.map_or(0, |last| last + 1)).filter_map(assistant_item).collect()
        }
    }
}

fn user_item(part: &UserPart) -> Option<Item<'_>> {
    match part {
        UserPart::Text(text) => message("user", "input_text", text),
        UserPart::Picture(picture) => Some(Item::Message { role: "user", content: [image(picture)] }),
        UserPart::ToolResult { id, content, pictures, is_error } => {
            let text = result_text(content, *is_error);
            Some(Item::FunctionCallOutput { call_id: id, output: output(text, pictures) })
        }
    }
}

fn assistant_item(part: &Part) -> Option<Item<'_>> {
    match part {
        Part::Text(text) => message("assistant", "output_text", text),
        Part::ToolUse { id, name, input } => {
            Some(Item::FunctionCall { call_id: id, name, arguments: input.to_string() })
        }
        // The items of other formats are not understood here.
        Part::Opaque(item) if item.get("type").and_then(Value::as_str) == Some("reasoning") => {
            Some(Item::Opaque(item))
        }
        Part::Opaque(_) => None,
    }
}

fn message<'a>(role: &'static str, kind: &'static str, text: &'a str) -> Option<Item<'a>> {
    let content = || [Content::Text { kind, text: text.into() }];
    (!text.trim().is_empty()).then(|| Item::Message { role, content: content() })
}

fn output(text: String, pictures: &[Picture]) -> Output<'_> {
    if pictures.is_empty() {
        return Output::Text(text);
    }
    let text = Some(text).filter(|text| !text.trim().is_empty());
    let text = text.map(|text| Content::Text { kind: "input_text", text: text.into() });
    Output::Content(text.into_iter().chain(pictures.iter().map(image)).collect())
}

fn image<'a>(picture: &Picture) -> Content<'a> {
    Content::Image { kind: "input_image", image_url: picture.url(), detail: "auto" }
}

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    instructions: &'a str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tool<'a>>,
    input: Vec<Item<'a>>,
    max_output_tokens: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning: Option<Reasoning>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    include: &'static [&'static str],
    store: bool,
    stream: bool,
}

#[derive(Serialize)]
struct Reasoning {
    effort: &'static str,
}

#[derive(Serialize)]
struct Tool<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    name: &'a str,
    description: &'a str,
    parameters: &'a Value,
    /// The strict form takes only a part of JSON Schema, and is the default.
    strict: bool,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Item<'a> {
    Message {
        role: &'static str,
        content: [Content<'a>; 1],
    },
    FunctionCall {
        call_id: &'a str,
        name: &'a str,
        arguments: String,
    },
    FunctionCallOutput {
        call_id: &'a str,
        output: Output<'a>,
    },
    #[serde(untagged)]
    Opaque(&'a Value),
}

#[derive(Serialize)]
#[serde(untagged)]
enum Output<'a> {
    Text(String),
    Content(Vec<Content<'a>>),
}

#[derive(Serialize)]
#[serde(untagged)]
enum Content<'a> {
    Text {
        #[serde(rename = "type")]
        kind: &'static str,
        text: Cow<'a, str>,
    },
    Image {
        #[serde(rename = "type")]
        kind: &'static str,
        image_url: String,
        detail: &'static str,
    },
}

#[cfg(test)]
mod tests;
