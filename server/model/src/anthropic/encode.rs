//! A request as the body of `POST /v1/messages`.
//!
//! There are four cache marks, as many as the provider takes: on the last tool (which members share whose system
//! text differs), the system text, and the last block of the last two user messages. The earlier of these is where
//! the request before ended: the provider looks back from a mark for some twenty blocks only, and one turn may
//! have more. Everything else depends on its own part of the request alone.

use serde::Serialize;
use serde_json::Value;

use crate::effort::thinks_adaptively;
use crate::request::{Effort, Message, Part, Picture, Request, ToolSpec, UserPart};

pub(super) fn body(request: &Request, effort: Option<Effort>) -> Result<Vec<u8>, serde_json::Error> {
    let mut messages = messages(&request.messages);
    for message in messages.iter_mut().rev().filter(|message| message.role == "user").take(2) {
        if let Some(last) = message.content.last_mut() {
            last.mark();
        }
    }
    let last_tool = request.tools.len().saturating_sub(1);
    let body = Body {
        model: &request.model,
        max_tokens: request.max_tokens,
        stream: true,
        thinking: effort.filter(|_| thinks_adaptively(&request.model)).map(|_| Thinking { kind: "adaptive" }),
        output_config: effort.map(|effort| OutputConfig { effort: effort.as_str() }),
        tools: request
            .tools
            .iter()
            .enumerate()
            .map(|(index, tool)| Tool::new(tool, (index == last_tool).then_some(EPHEMERAL)))
            .collect(),
        system: Some(request.system.as_ref())
            .filter(|text| !text.trim().is_empty())
            .map(|text| [Block::Text { text, cache_control: Some(EPHEMERAL) }]),
        messages,
    };
    serde_json::to_vec(&body)
}

/// Neighbours of one role become one message, results first, since every call must be answered at the head of
/// the very next one. Text of white space alone is refused by the provider, so it is left out.
fn messages(history: &[Message]) -> Vec<WireMessage<'_>> {
    let mut messages: Vec<WireMessage<'_>> = Vec::with_capacity(history.len());
    for message in history {
        let (role, blocks): (_, Vec<Block<'_>>) = match message {
            Message::User(parts) => ("user", parts.iter().filter_map(user_block).collect()),
            Message::Assistant(parts) => {
                let parts = without_trailing_thought(parts);
                ("assistant", parts.iter().filter_map(assistant_block).collect())
            }
        };
        match messages.last_mut() {
            _ if blocks.is_empty() => {}
            Some(last) if last.role == role => last.content.extend(blocks),
            _ => messages.push(WireMessage { role, content: blocks }),
        }
    }
    for message in messages.iter_mut().filter(|message| message.role == "user") {
        message.content.sort_by_key(|block| !matches!(block, Block::ToolResult { .. }));
    }
    messages
}

/// Thinking that led to nothing, since the answer was cut there, is refused at the end of a message.
fn without_trailing_thought(parts: &[Part]) -> &[Part] {
    let end = parts.iter().rposition(|part| !matches!(part, Part::Opaque(_))).map_or(0, |last| last + 1);
    parts.get(..end).unwrap_or_default()
}

fn user_block(part: &UserPart) -> Option<Block<'_>> {
    match part {
        UserPart::Text(text) => text_block(text),
        UserPart::Picture(picture) => Some(image_block(picture)),
        UserPart::ToolResult { id, content, pictures, is_error } => Some(Block::ToolResult {
            tool_use_id: id,
            content: result_content(content, pictures),
            is_error: *is_error,
            cache_control: None,
        }),
    }
}

fn result_content<'a>(content: &'a str, pictures: &'a [Picture]) -> ResultContent<'a> {
    if pictures.is_empty() {
        return ResultContent::Text(content);
    }
    ResultContent::Blocks(text_block(content).into_iter().chain(pictures.iter().map(image_block)).collect())
}

fn image_block(picture: &Picture) -> Block<'_> {
    let source = Source { kind: "base64", media_type: picture.media_type, data: &picture.data };
    Block::Image { source, cache_control: None }
}

fn assistant_block(part: &Part) -> Option<Block<'_>> {
    match part {
        Part::Text(text) => text_block(text),
        Part::ToolUse { id, name, input } => Some(Block::ToolUse { id, name, input, cache_control: None }),
        // The items of other formats are not understood here.
        Part::Opaque(item)
            if matches!(item.get("type").and_then(Value::as_str), None | Some("reasoning")) =>
        {
            None
        }
        Part::Opaque(item) => Some(Block::Opaque(item)),
    }
}

fn text_block(text: &str) -> Option<Block<'_>> {
    (!text.trim().is_empty()).then_some(Block::Text { text, cache_control: None })
}

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    max_tokens: u32,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking: Option<Thinking>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_config: Option<OutputConfig>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tool<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    system: Option<[Block<'a>; 1]>,
    messages: Vec<WireMessage<'a>>,
}

/// The model thinks as much as `output_config.effort` lets it; without this it would not think at all.
#[derive(Serialize)]
struct Thinking {
    #[serde(rename = "type")]
    kind: &'static str,
}

#[derive(Serialize)]
struct OutputConfig {
    effort: &'static str,
}

#[derive(Serialize, Clone, Copy)]
struct CacheControl {
    #[serde(rename = "type")]
    kind: &'static str,
}

const EPHEMERAL: CacheControl = CacheControl { kind: "ephemeral" };

#[derive(Serialize)]
struct Tool<'a> {
    name: &'a str,
    description: &'a str,
    input_schema: &'a Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_control: Option<CacheControl>,
}

impl<'a> Tool<'a> {
    fn new(spec: &'a ToolSpec, cache_control: Option<CacheControl>) -> Self {
        let ToolSpec { name, description, input_schema } = spec;
        Self { name, description, input_schema, cache_control }
    }
}

#[derive(Serialize)]
struct WireMessage<'a> {
    role: &'static str,
    content: Vec<Block<'a>>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Block<'a> {
    Text {
        text: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        cache_control: Option<CacheControl>,
    },
    ToolUse {
        id: &'a str,
        name: &'a str,
        input: &'a Value,
        #[serde(skip_serializing_if = "Option::is_none")]
        cache_control: Option<CacheControl>,
    },
    ToolResult {
        tool_use_id: &'a str,
        content: ResultContent<'a>,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        is_error: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        cache_control: Option<CacheControl>,
    },
    Image {
        source: Source<'a>,
        #[serde(skip_serializing_if = "Option::is_none")]
        cache_control: Option<CacheControl>,
    },
    #[serde(untagged)]
    Opaque(&'a Value),
}

#[derive(Serialize)]
#[serde(untagged)]
enum ResultContent<'a> {
    Text(&'a str),
    Blocks(Vec<Block<'a>>),
}

#[derive(Serialize)]
struct Source<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    media_type: &'static str,
    data: &'a str,
}

impl Block<'_> {
    /// An opaque block carries its own signature and takes no mark.
    fn mark(&mut self) {
        match self {
            Self::Text { cache_control, .. }
            | Self::Image { cache_control, .. }
            | Self::ToolUse { cache_control, .. }
            | Self::ToolResult { cache_control, .. } => *cache_control = Some(EPHEMERAL),
            Self::Opaque(_) => {}
        }
    }
}

#[cfg(test)]
mod tests;
