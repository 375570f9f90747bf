use serde_json::json;

use super::*;

fn user(text: &str) -> Value {
    json!({"role": "user", "content": text})
}

fn called(ids: &[&str]) -> Value {
    let call =
        |id: &&str| json!({"id": id, "type": "function", "function": {"name": "Read", "arguments": "{}"}});
    json!({"role": "assistant", "content": null, "tool_calls": ids.iter().map(call).collect::<Vec<_>>()})
}

fn result(id: &str) -> Value {
    json!({"role": "tool", "tool_call_id": id, "content": "x"})
}

fn said(text: &str) -> Value {
    json!({"role": "assistant", "content": text})
}

fn request(messages: &[Value]) -> Value {
    let function = json!({"name": "Read", "parameters": {"type": "object"}});
    json!({
        "model": "m",
        "stream": true,
        "stream_options": {"include_usage": true},
        "tools": [{"type": "function", "function": function}],
        "messages": messages,
    })
}

fn refusal(request: &Value) -> String {
    match read(request.to_string().as_bytes()) {
        Ok(asked) => panic!("{request} was taken: {asked:?}"),
        Err(refused) => refused.message,
    }
}

#[test]
fn a_request_in_order_is_read() {
    let system = json!({"role": "system", "content": "You are Ada."});
    let messages = [system, user("Go."), called(&["a", "b"]), result("b"), result("a"), user("And?")];
    let asked = read(request(&messages).to_string().as_bytes()).unwrap();
    assert_eq!(asked.system, "You are Ada.");
    assert_eq!(asked.last_input, "x\nx\nAnd?");
    assert!(asked.stream && asked.wants_more);
    assert_eq!(asked.prompt.messages.len(), 6);
}

#[test]
fn messages_out_of_order_are_refused_with_their_place() {
    let go = || user("Go.");
    let cases = [
        (vec![], "the last must be"),
        (vec![said("Hi.")], "messages[0].role"),
        (vec![go(), said("a"), said("b"), go()], "messages[2].role"),
        (vec![go(), said("Hi.")], "the last must be"),
        (vec![go(), said("Hi."), json!({"role": "system", "content": "x"})], "can't stand here"),
        (vec![go(), called(&["a"])], "without a result: a"),
        (vec![go(), called(&["a", "b"]), result("a"), go()], "no result: b"),
        (vec![go(), result("a")], "waits for none"),
        (vec![go(), called(&["a"]), result("a"), result("a")], "waits for none"),
        (vec![go(), called(&["a"]), result("a"), called(&["a"]), result("a")], "used before"),
        (vec![go(), called(&[]), go()], "must not be empty"),
        (vec![go(), json!({"role": "assistant", "content": null}), go()], "messages[1].content"),
        (vec![json!({"role": "user"})], "messages[0].content"),
    ];
    for (messages, expected) in cases {
        let message = refusal(&request(&messages));
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn fields_are_held_to_the_format() {
    let good = request(&[user("Go.")]);
    let with = |field: &str, value: Value| {
        let mut request = good.clone();
        request[field] = value;
        request
    };
    let cases = [
        (with("model", Value::Null), "model: is missing"),
        (with("input", json!([])), "input: is no field"),
        (with("max_tokens", json!(0)), "max_tokens: must be at least 1"),
        (with("reasoning_effort", json!("max")), "reasoning_effort"),
        (with("stream", json!(false)), "stream_options"),
        (with("tools", json!([{"type": "function", "function": {"name": "a b"}}])), "tools[0].name"),
    ];
    for (request, expected) in cases {
        let message = refusal(&request);
        assert!(message.contains(expected), "{message}");
    }
}
