use std::sync::Arc;

use serde_json::json;

use super::*;
use crate::request::{Effort, ToolSpec};

fn request(messages: Vec<Message>) -> Request {
    let tool = ToolSpec {
        name: "Read".into(),
        description: "Reads.".into(),
        input_schema: json!({"type": "object"}),
    };
    Request {
        model: "test".into(),
        system: "You are Ada.".into(),
        tools: Arc::from([tool]),
        messages,
        max_tokens: 100,
        effort: None,
    }
}

fn user(text: &str) -> Message {
    Message::User(vec![UserPart::Text(text.into())])
}

fn call(id: &str) -> Part {
    Part::ToolUse { id: id.into(), name: "Read".into(), input: json!({"path": "x"}) }
}

fn encoded(request: &Request) -> Value {
    serde_json::from_slice(&body(request, request.effort, LimitField::MaxTokens).unwrap()).unwrap()
}

#[test]
fn a_request_is_the_body_that_the_format_documents() {
    let request = request(vec![
        user("Go."),
        Message::Assistant(vec![
            Part::Opaque(json!({"reasoning_content": "Hm.", "unknown": 1})),
            Part::Text("I look.".into()),
            call("c1"),
        ]),
        Message::User(vec![
            UserPart::Text("And?".into()),
            UserPart::ToolResult {
                id: "c1".into(),
                content: "no".into(),
                pictures: Vec::new(),
                is_error: true,
            },
        ]),
        Message::User(vec![UserPart::Text("Mail.".into())]),
    ]);
    let call = json!({"id": "c1", "type": "function",
                      "function": {"name": "Read", "arguments": "{\"path\":\"x\"}"}});
    assert_eq!(
        encoded(&request),
        json!({
            "model": "test",
            "max_tokens": 100,
            "stream": true,
            "stream_options": {"include_usage": true},
            "tools": [{"type": "function", "function":
                {"name": "Read", "description": "Reads.", "parameters": {"type": "object"}}}],
            "messages": [
                {"role": "system", "content": "You are Ada."},
                {"role": "user", "content": "Go."},
                {"role": "assistant", "content": "I look.", "tool_calls": [call], "reasoning_content": "Hm."},
                {"role": "tool", "tool_call_id": "c1", "content": "Error: no"},
                {"role": "user", "content": "And?\n\nMail."},
            ],
        })
    );
}

#[test]
fn what_templates_would_refuse_is_not_sent() {
    let request = request(vec![
        user("Go."),
        Message::Assistant(vec![Part::Text("\n".into()), call("c1")]),
        Message::User(vec![UserPart::ToolResult {
            id: "c1".into(),
            content: "x".into(),
            pictures: Vec::new(),
            is_error: false,
        }]),
        Message::Assistant(vec![Part::Text(" ".into())]),
        Message::Assistant(vec![Part::Opaque(json!({"type": "thinking"}))]),
        user(" "),
    ]);
    let messages = encoded(&request)["messages"].clone();
    assert_eq!(messages.as_array().unwrap().len(), 4, "{messages}");
    assert_eq!(messages[2]["content"], Value::Null);
}

#[test]
fn effort_and_the_limit_have_their_own_words() {
    let mut request = request(vec![user("Go.")]);
    request.effort = Some(Effort::Max);
    let body = body(&request, request.effort, LimitField::MaxCompletionTokens).unwrap();
    let body: Value = serde_json::from_slice(&body).unwrap();
    assert_eq!(body["reasoning_effort"], "max");
    assert_eq!((body.get("max_tokens"), &body["max_completion_tokens"]), (None, &json!(100)));
}

#[test]
fn pictures_of_results_stand_behind_all_results_with_the_calls_that_they_belong_to() {
    let shown = |id: &str| UserPart::ToolResult {
        id: id.into(),
        content: "picture, 1×1 PNG".into(),
        pictures: vec![Picture::new("image/png", b"\x89PNG")],
        is_error: false,
    };
    let request = request(vec![
        user("Go."),
        Message::Assistant(vec![call("c1"), call("c2")]),
        Message::User(vec![shown("c1"), shown("c2"), UserPart::Text("And?".into())]),
    ]);
    let image = json!({"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw=="}});
    let messages = encoded(&request)["messages"].clone();
    assert_eq!(messages[4], json!({"role": "tool", "tool_call_id": "c2", "content": "picture, 1×1 PNG"}));
    assert_eq!(
        messages[5],
        json!({"role": "user", "content": [
            {"type": "text", "text": "What the result of the call c1 shows:"},
            image,
            {"type": "text", "text": "What the result of the call c2 shows:"},
            image,
            {"type": "text", "text": "And?"},
        ]})
    );
}
