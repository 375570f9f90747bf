//! A request as the body of `POST /v1/chat/completions`.
//!
//! The templates of many models want one text a message and roles that alternate, so the texts between two
//! answers become one message, behind the results. Pictures of results stand in it too, since a result is text alone.

use serde::Serialize;
use serde_json::{Map, Value};

use super::LimitField;
use crate::openai::result_text;
use crate::request::{Effort, Message, Part, Picture, Request, UserPart};

/// The fields of an answer that hold reasoning, by one server or the other.
pub(super) const REASONING_FIELDS: [&str; 3] = ["reasoning_content", "reasoning", "reasoning_details"];

pub(super) fn body(
    request: &Request,
    effort: Option<Effort>,
    limit_field: LimitField,
) -> Result<Vec<u8>, serde_json::Error> {
    let limit = |field| (limit_field == field).then_some(request.max_tokens);
    let body = Body {
        model: &request.model,
        max_tokens: limit(LimitField::MaxTokens),
        max_completion_tokens: limit(LimitField::MaxCompletionTokens),
        reasoning_effort: effort.map(Effort::as_str),
        stream: true,
        stream_options: StreamOptions { include_usage: true },
        tools: request
            .tools
            .iter()
            .map(|tool| Tool {
                kind: "function",
                function: Function {
                    name: &tool.name,
                    description: &tool.description,
                    parameters: &tool.input_schema,
                },
            })
            .collect(),
        messages: messages(request),
    };
    serde_json::to_vec(&body)
}

fn messages(request: &Request) -> Vec<WireMessage<'_>> {
    let mut messages = Vec::with_capacity(request.messages.len() + 1);
    if !request.system.trim().is_empty() {
        messages.push(WireMessage::System { content: &request.system });
    }
    for run in request.messages.chunk_by(|one, next| is_user(one) == is_user(next)) {
        if run.first().is_some_and(is_user) {
            user_messages(run, &mut messages);
        } else {
            messages.extend(assistant_message(run));
        }
    }
    messages
}

fn is_user(message: &Message) -> bool {
    matches!(message, Message::User(_))
}

fn user_messages<'a>(run: &'a [Message], messages: &mut Vec<WireMessage<'a>>) {
    let parts = run.iter().flat_map(|message| match message {
        Message::User(parts) => parts.as_slice(),
        Message::Assistant(_) => &[],
    });
    let mut content = UserContent::default();
    for part in parts {
        match part {
            UserPart::Text(text) if text.trim().is_empty() => {}
            UserPart::Text(text) => content.text(text),
            UserPart::Picture(picture) => content.picture(picture),
            UserPart::ToolResult { id, content: result, pictures, is_error } => {
                messages
                    .push(WireMessage::Tool { tool_call_id: id, content: result_text(result, *is_error) });
                if !pictures.is_empty() {
                    content.text(&format!("What the result of the call {id} shows:"));
                    pictures.iter().for_each(|picture| content.picture(picture));
                }
            }
        }
    }
    messages.extend(content.message());
}

/// What a user's message says; pictures can stand in no other.
#[derive(Default)]
struct UserContent {
    parts: Vec<ContentPart>,
}

impl UserContent {
    /// Texts with no picture between them are one.
    fn text(&mut self, more: &str) {
        match self.parts.last_mut() {
            Some(ContentPart::Text { text }) => {
                text.push_str("\n\n");
                text.push_str(more);
            }
            _ => self.parts.push(ContentPart::Text { text: more.to_owned() }),
        }
    }

    fn picture(&mut self, picture: &Picture) {
        self.parts.push(ContentPart::ImageUrl { image_url: ImageUrl { url: picture.url() } });
    }

    fn message<'a>(mut self) -> Option<WireMessage<'a>> {
        let content = match self.parts.as_mut_slice() {
            [] => return None,
            [ContentPart::Text { text }] => Content::Text(std::mem::take(text)),
            _ => Content::Parts(self.parts),
        };
        Some(WireMessage::User { content })
    }
}

fn assistant_message(run: &[Message]) -> Option<WireMessage<'_>> {
    let parts = run.iter().flat_map(|message| match message {
        Message::Assistant(parts) => parts.as_slice(),
        Message::User(_) => &[],
    });
    let (mut content, mut tool_calls, mut reasoning) = (String::new(), Vec::new(), Map::new());
    for part in parts {
        match part {
            Part::Text(text) => content.push_str(text),
            Part::ToolUse { id, name, input } => tool_calls.push(ToolCall {
                id,
                kind: "function",
                function: CalledFunction { name, arguments: input.to_string() },
            }),
            Part::Opaque(item) => reasoning.extend(reasoning_fields(item)),
        }
    }
    let content = Some(content).filter(|text| !text.trim().is_empty());
    if content.is_none() && tool_calls.is_empty() {
        return None;
    }
    Some(WireMessage::Assistant { content, tool_calls, reasoning })
}

/// The items of other formats have none of these fields.
fn reasoning_fields(item: &Value) -> impl Iterator<Item = (String, Value)> {
    REASONING_FIELDS.iter().filter_map(|field| Some(((*field).to_owned(), item.get(*field)?.clone())))
}

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_effort: Option<&'static str>,
    stream: bool,
    stream_options: StreamOptions,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tool<'a>>,
    messages: Vec<WireMessage<'a>>,
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

#[derive(Serialize)]
struct Tool<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    function: Function<'a>,
}

#[derive(Serialize)]
struct Function<'a> {
    name: &'a str,
    description: &'a str,
    parameters: &'a Value,
}

#[derive(Serialize)]
#[serde(tag = "role", rename_all = "snake_case")]
enum WireMessage<'a> {
    System {
        content: &'a str,
    },
    User {
        content: Content,
    },
    Assistant {
        /// `null` beside calls alone, as the format wants it.
        content: Option<String>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<ToolCall<'a>>,
        #[serde(flatten)]
        reasoning: Map<String, Value>,
    },
    Tool {
        tool_call_id: &'a str,
        content: String,
    },
}

#[derive(Serialize)]
#[serde(untagged)]
enum Content {
    Text(String),
    Parts(Vec<ContentPart>),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum ContentPart {
    Text { text: String },
    ImageUrl { image_url: ImageUrl },
}

#[derive(Serialize)]
struct ImageUrl {
    url: String,
}

#[derive(Serialize)]
struct ToolCall<'a> {
    id: &'a str,
    #[serde(rename = "type")]
    kind: &'static str,
    function: CalledFunction<'a>,
}

#[derive(Serialize)]
struct CalledFunction<'a> {
    name: &'a str,
    arguments: String,
}

#[cfg(test)]
mod tests;
