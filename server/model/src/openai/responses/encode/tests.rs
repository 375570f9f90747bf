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
        model: "gpt-5-test".into(),
        system: "You are Ada.".into(),
        tools: Arc::from([tool]),
        messages,
        max_tokens: 100,
        effort: None,
    }
}

fn encoded(request: &Request) -> Value {
    serde_json::from_slice(&body(request, request.effort).unwrap()).unwrap()
}

#[test]
fn a_request_is_the_body_that_the_format_documents() {
    let reasoning = json!({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "abc"});
    let request = request(vec![
        Message::User(vec![UserPart::Text("Go.".into())]),
        Message::Assistant(vec![
            Part::Opaque(reasoning.clone()),
            Part::Text("I look.".into()),
            Part::ToolUse { id: "c1".into(), name: "Read".into(), input: json!({"path": "x"}) },
            Part::Opaque(json!({"type": "thinking", "signature": "another format's"})),
        ]),
        Message::User(vec![
            UserPart::ToolResult {
                id: "c1".into(),
                content: "no".into(),
                pictures: Vec::new(),
                is_error: true,
            },
            UserPart::Text(" ".into()),
        ]),
    ]);
    assert_eq!(
        encoded(&request),
        json!({
            "model": "gpt-5-test",
            "instructions": "You are Ada.",
            "tools": [{"type": "function", "name": "Read", "description": "Reads.",
                       "parameters": {"type": "object"}, "strict": false}],
            "input": [
                {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Go."}]},
                reasoning,
                {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "I look."}]},
                {"type": "function_call", "call_id": "c1", "name": "Read", "arguments": "{\"path\":\"x\"}"},
                {"type": "function_call_output", "call_id": "c1", "output": "Error: no"},
            ],
            "max_output_tokens": 100,
            "include": ["reasoning.encrypted_content"],
            "store": false,
            "stream": true,
        })
    );
}

#[test]
fn effort_has_its_own_word() {
    let mut request = request(vec![Message::User(vec![UserPart::Text("Go.".into())])]);
    for (effort, word) in [(Effort::Low, "low"), (Effort::XHigh, "xhigh"), (Effort::Max, "max")] {
        request.effort = Some(effort);
        assert_eq!(encoded(&request)["reasoning"], json!({"effort": word}));
    }
}

#[test]
fn a_model_that_never_reasons_is_not_asked_for_its_reasoning() {
    let mut request = request(vec![Message::User(vec![UserPart::Text("Go.".into())])]);
    request.model = "gpt-4.1-mini".into();
    assert_eq!(encoded(&request).get("include"), None);
}

#[test]
fn reasoning_that_led_to_nothing_is_left_out() {
    let request = request(vec![
        Message::User(vec![UserPart::Text("Go.".into())]),
        Message::Assistant(vec![Part::Opaque(json!({"type": "reasoning", "encrypted_content": "x"}))]),
        Message::User(vec![UserPart::Text("Go on.".into())]),
    ]);
    assert_eq!(encoded(&request)["input"].as_array().unwrap().len(), 2);
}

#[test]
fn pictures_stand_in_outputs_and_beside_texts() {
    let picture = Picture::new("image/png", b"\x89PNG");
    let request = request(vec![
        Message::User(vec![UserPart::Text("Look.".into()), UserPart::Picture(picture.clone())]),
        Message::Assistant(vec![Part::ToolUse { id: "c1".into(), name: "Read".into(), input: json!({}) }]),
        Message::User(vec![UserPart::ToolResult {
            id: "c1".into(),
            content: "picture, 1×1 PNG".into(),
            pictures: vec![picture],
            is_error: false,
        }]),
    ]);
    let image =
        json!({"type": "input_image", "image_url": "data:image/png;base64,iVBORw==", "detail": "auto"});
    let input = encoded(&request)["input"].clone();
    assert_eq!(input[1], json!({"type": "message", "role": "user", "content": [image]}));
    assert_eq!(input[3]["output"], json!([{"type": "input_text", "text": "picture, 1×1 PNG"}, image]));
}
