//! Messages that are broken, split, huge or out of place, and the server that goes on.

use serde_json::{Value, json};
use swarm_tests::{Caps, Editor};

use crate::world;

fn lives_on(editor: &mut Editor) {
    assert!(editor.request("swarm/state", json!({}))["teams"].is_array());
}

#[test]
fn a_message_that_is_no_json_is_answered_and_the_next_one_served() {
    let mut editor = world().editor(Caps::plain());
    for (body, code) in [("{bad}", -32700), ("[]", -32600), ("17", -32600), ("{\"jsonrpc\":\"2.0\"}", -32600)]
    {
        editor.send_bytes(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
        let error = editor.await_nameless_error();
        assert_eq!(error.code, code, "{body}: {error:?}");
        lives_on(&mut editor);
    }
}

#[test]
fn a_batch_is_refused_whole() {
    let mut editor = world().editor(Caps::plain());
    let state = json!({ "jsonrpc": "2.0", "id": 900, "method": "swarm/state" });
    editor.send(&json!([state, state]));
    assert!(editor.await_nameless_error().message.contains("batch"));
    lives_on(&mut editor);
}

#[test]
fn a_broken_header_costs_no_message_behind_it() {
    let mut editor = world().editor(Caps::plain());
    for junk in ["Content-Length: many\r\n\r\n", "{\"jsonrpc\": \"2.0\"}\n", "X-Odd: 1\r\n\r\n{}", "\r\n\r\n"]
    {
        editor.send_bytes(junk.as_bytes());
        assert_eq!(editor.try_request("swarm/state", json!({})).map(drop), Ok(()), "{junk:?}");
        assert_eq!(editor.await_nameless_error().code, -32700, "{junk:?}");
    }
}

#[test]
fn a_length_beyond_reason_is_refused_at_once() {
    let mut editor = world().editor(Caps::plain());
    editor.send_bytes(b"Content-Length: 999999999999999\r\n\r\n");
    assert!(editor.await_nameless_error().message.contains("999999999999999"));
    lives_on(&mut editor);
}

#[test]
fn a_request_may_come_byte_by_byte() {
    let mut editor = world().editor(Caps::plain());
    let body = r#"{"jsonrpc":"2.0","id":500,"method":"swarm/state"}"#;
    for byte in format!("Content-Length: {}\r\n\r\n{body}", body.len()).bytes() {
        editor.send_bytes(&[byte]);
    }
    assert!(editor.answer_to(500).is_ok());
}

#[test]
fn requests_before_initialize_are_told_so() {
    let mut editor = world().unshaken();
    let error = editor.try_request("swarm/state", json!({})).unwrap_err();
    assert_eq!(error.code, -32002);
    editor.open("file:///too/early", "ignored");
    editor.initialize(&Caps::plain(), None);
    lives_on(&mut editor);
}

#[test]
fn an_unknown_method_is_refused_and_an_unknown_notification_ignored() {
    let mut editor = world().editor(Caps::plain());
    assert_eq!(editor.try_request("swarm/no/such", json!({})).unwrap_err().code, -32601);
    assert_eq!(editor.try_request("textDocument/hover", json!(5)).unwrap_err().code, -32602);
    editor.notify("swarm/no/such", json!({}));
    editor.notify("$/setTrace", json!({ "value": "off" }));
    editor.notify("textDocument/didOpen", json!({ "textDocument": "wrong" }));
    lives_on(&mut editor);
}

#[test]
fn null_params_are_as_good_as_none() {
    let mut editor = world().editor(Caps::plain());
    assert!(editor.request("swarm/state", Value::Null).is_object());
    // Emacs sends `shutdown` so, and closing this editor does too.
    editor.close();
}

#[test]
fn answers_to_nothing_are_dropped() {
    let mut editor = world().editor(Caps::plain());
    for answer in [
        json!({ "jsonrpc": "2.0", "id": 1, "result": { "title": "yes" } }),
        json!({ "jsonrpc": "2.0", "id": 1, "result": { "title": "yes" } }),
        json!({ "jsonrpc": "2.0", "id": "strange", "result": null }),
        json!({ "jsonrpc": "2.0", "id": null, "error": { "code": -1, "message": "no", "more": 1 } }),
        json!({ "jsonrpc": "2.0", "id": 7, "error": "not even an object" }),
    ] {
        editor.send(&answer);
    }
    lives_on(&mut editor);
}
