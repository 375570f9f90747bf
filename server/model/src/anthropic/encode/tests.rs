use std::sync::Arc;

use serde_json::json;

use super::*;
use crate::request::Effort;

fn tool(name: &str) -> ToolSpec {
    ToolSpec {
        name: name.into(),
        description: format!("Does {name}."),
        input_schema: json!({"type": "object", "properties": {"b": {}, "a": {}}}),
    }
}

fn request(messages: Vec<Message>) -> Request {
    Request {
        model: "claude-test".into(),
        system: "You are Ada.".into(),
        tools: Arc::from([tool("Read"), tool("Edit")]),
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

fn result(id: &str, is_error: bool) -> UserPart {
    UserPart::ToolResult { id: id.into(), content: "found".into(), pictures: Vec::new(), is_error }
}

fn encoded(request: &Request) -> Value {
    serde_json::from_slice(&body(request, request.effort).unwrap()).unwrap()
}

#[test]
fn a_request_is_the_body_that_the_provider_documents() {
    let request = request(vec![
        user("Go."),
        Message::Assistant(vec![Part::Opaque(json!({"type": "thinking", "signature": "s"})), call("t1")]),
        Message::User(vec![result("t1", true), UserPart::Text("And?".into())]),
    ]);
    let mark = json!({"type": "ephemeral"});
    let schema = json!({"type": "object", "properties": {"b": {}, "a": {}}});
    assert_eq!(
        encoded(&request),
        json!({
            "model": "claude-test",
            "max_tokens": 100,
            "stream": true,
            "tools": [
                {"name": "Read", "description": "Does Read.", "input_schema": schema},
                {"name": "Edit", "description": "Does Edit.", "input_schema": schema, "cache_control": mark},
            ],
            "system": [{"type": "text", "text": "You are Ada.", "cache_control": mark}],
            "messages": [
                {"role": "user", "content": [{"type": "text", "text": "Go.", "cache_control": mark}]},
                {"role": "assistant", "content": [
                    {"type": "thinking", "signature": "s"},
                    {"type": "tool_use", "id": "t1", "name": "Read", "input": {"path": "x"}},
                ]},
                {"role": "user", "content": [
                    {"type": "tool_result", "tool_use_id": "t1", "content": "found", "is_error": true},
                    {"type": "text", "text": "And?", "cache_control": mark},
                ]},
            ],
        })
    );
}

#[test]
fn effort_lets_the_model_think() {
    let mut request = request(vec![user("Go.")]);
    request.effort = Some(Effort::XHigh);
    let body = encoded(&request);
    assert_eq!(body["thinking"], json!({"type": "adaptive"}));
    assert_eq!(body["output_config"], json!({"effort": "xhigh"}));
}

#[test]
fn what_the_provider_would_refuse_is_not_sent() {
    let mut request = request(vec![
        user("Go."),
        Message::Assistant(vec![Part::Text("\n\n".into()), call("t1")]),
        Message::User(vec![UserPart::Text("Mail.".into())]),
        Message::User(vec![result("t1", false), UserPart::Text(String::new())]),
        Message::Assistant(vec![Part::Text(" ".into())]),
        user("More."),
    ]);
    request.system = "".into();
    request.tools = Arc::from([]);
    let body = encoded(&request);
    assert_eq!(body.get("system"), None);
    assert_eq!(body.get("tools"), None);
    assert_eq!(body["messages"][1]["content"].as_array().unwrap().len(), 1);
    let last = &body["messages"][2]["content"];
    let kinds: Vec<_> =
        last.as_array().unwrap().iter().map(|block| block["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["tool_result", "text", "text"], "results first, one message: {last}");
    assert_eq!(body["messages"].as_array().unwrap().len(), 3);
}

#[test]
fn a_longer_history_begins_with_the_same_bytes() {
    let text = |request: &Request| {
        let body = String::from_utf8(body(request, request.effort).unwrap()).unwrap();
        body.replace(r#","cache_control":{"type":"ephemeral"}"#, "")
    };
    let mut history = vec![user("Go.")];
    let mut before = text(&request(history.clone()));
    for turn in 0..5 {
        let id = format!("t{turn}");
        history.push(Message::Assistant(vec![Part::Text("I look.".into()), call(&id)]));
        history.push(Message::User(vec![result(&id, false)]));
        let now = text(&request(history.clone()));
        let prefix = before.strip_suffix("]}").unwrap();
        assert!(now.starts_with(prefix), "{prefix}\n{now}");
        before = now;
    }
}

#[test]
fn a_mark_stands_where_the_request_before_ended() {
    let mut history = vec![user("Go.")];
    for turn in 0..3 {
        let id = format!("t{turn}");
        history.push(Message::Assistant(vec![call(&id)]));
        history.push(Message::User(vec![result(&id, false)]));
    }
    let messages = encoded(&request(history))["messages"].clone();
    let marked: Vec<_> =
        (0..7).filter(|index| messages[*index]["content"][0].get("cache_control").is_some()).collect();
    assert_eq!(marked, [4, 6], "{messages}");
}

#[test]
fn a_thought_that_led_to_nothing_and_the_items_of_other_formats_are_left_out() {
    let thought = || Part::Opaque(json!({"type": "thinking", "signature": "s"}));
    let foreign = [json!({"type": "reasoning", "id": "rs"}), json!({"reasoning_content": "Hm."})];
    let mut parts: Vec<_> = foreign.into_iter().map(Part::Opaque).collect();
    parts.extend([thought(), Part::Text("Hi.".into()), thought()]);
    let request = request(vec![
        user("Go."),
        Message::Assistant(vec![thought()]),
        user("Go on."),
        Message::Assistant(parts),
        user("And?"),
    ]);
    let messages = encoded(&request)["messages"].clone();
    assert_eq!(messages.as_array().unwrap().len(), 3, "{messages}");
    let kinds: Vec<_> =
        messages[1]["content"].as_array().unwrap().iter().map(|block| &block["type"]).collect();
    assert_eq!(kinds, ["thinking", "text"]);
}

#[test]
fn pictures_are_blocks_in_their_results_and_beside_texts() {
    let picture = Picture::new("image/png", b"\x89PNG");
    let shown = UserPart::ToolResult {
        id: "t1".into(),
        content: "picture, 1×1 PNG".into(),
        pictures: vec![picture.clone()],
        is_error: false,
    };
    let request = request(vec![
        Message::User(vec![UserPart::Text("Look.".into()), UserPart::Picture(picture)]),
        Message::Assistant(vec![call("t1")]),
        Message::User(vec![shown]),
    ]);
    let image =
        json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw=="}});
    let messages = encoded(&request)["messages"].clone();
    assert_eq!(messages[0]["content"][1]["source"], image["source"]);
    assert_eq!(
        messages[2]["content"][0]["content"],
        json!([{"type": "text", "text": "picture, 1×1 PNG"}, image])
    );
}
