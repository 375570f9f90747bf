use serde_json::json;

use super::*;

fn call(id: &str) -> Value {
    json!({"type": "tool_use", "id": id, "name": "Read", "input": {}})
}

fn result(id: &str) -> Value {
    json!({"type": "tool_result", "tool_use_id": id, "content": "x"})
}

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn user(content: &[Value]) -> Value {
    json!({"role": "user", "content": content})
}

fn assistant(content: &[Value]) -> Value {
    json!({"role": "assistant", "content": content})
}

fn request(messages: &[Value]) -> Value {
    let tools = json!([{"name": "Read", "description": "", "input_schema": {"type": "object"}}]);
    json!({"model": "m", "max_tokens": 1, "stream": true, "tools": tools, "messages": messages})
}

fn refusal(request: &Value) -> String {
    match read(request.to_string().as_bytes()) {
        Ok(asked) => panic!("{request} was taken: {asked:?}"),
        Err(refused) => {
            assert_eq!(refused.status, 400);
            refused.message
        }
    }
}

#[test]
fn a_request_in_order_is_read() {
    let thinking = "Hm.";
    let mut request = request(&[
        json!({"role": "user", "content": "Go."}),
        assistant(&[
            json!({"type": "thinking", "thinking": thinking, "signature": crate::signature::of(thinking)}),
            json!({"type": "redacted_thinking", "data": "x"}),
            text("I look."),
            call("t1"),
            call("t2"),
        ]),
        user(&[result("t2"), result("t1"), text("And?")]),
    ]);
    request["system"] = json!([{"type": "text", "text": "You are Ada."}]);
    let asked = read(request.to_string().as_bytes()).unwrap();
    assert_eq!(asked.system, "You are Ada.");
    assert_eq!(asked.last_input, "x\nx\nAnd?");
    assert!(asked.stream);
    assert_eq!(asked.prompt.messages.len(), 3);
}

#[test]
fn instructions_may_stand_behind_a_users_message() {
    let system = || json!({"role": "system", "content": "Be kind."});
    let go = || user(&[text("Go.")]);
    let good = [go(), system(), assistant(&[call("t1")]), user(&[result("t1")]), system()];
    let asked = read(request(&good).to_string().as_bytes()).unwrap();
    assert_eq!(asked.last_input, "x\nBe kind.");
    for bad in [vec![system(), go()], vec![go(), assistant(&[text("Hi.")]), system(), go()]] {
        assert!(refusal(&request(&bad)).contains(".role"));
    }
}

#[test]
fn messages_out_of_order_are_refused_with_their_place() {
    let go = || user(&[text("Go.")]);
    let cases = [
        (vec![], "messages: must not be empty"),
        (vec![assistant(&[text("Hi.")])], "messages.0.role"),
        (vec![go(), go()], "messages.1.role"),
        (vec![go(), assistant(&[text("Hi.")])], "the last must be of the user"),
        (vec![user(&[])], "messages.0.content"),
        (vec![json!({"role": "user"})], "messages.0.content"),
        (vec![user(&[text(" \n")])], "messages.0.content.0: a text"),
        (vec![json!({"role": "user", "content": ""})], "messages.0.content.0: a text"),
        (vec![user(&[call("t1")])], "is no block of a user"),
        (vec![go(), assistant(&[result("t1")]), go()], "is no block of an assistant"),
        (vec![go(), assistant(&[call("t1")]), go()], "have no result here: t1"),
        (vec![go(), assistant(&[call("t1"), call("t2")]), user(&[result("t1")])], "no result here: t2"),
        (vec![user(&[result("t1")])], "does not call"),
        (vec![go(), assistant(&[text("Hi.")]), user(&[result("t1")])], "does not call"),
        (vec![go(), assistant(&[call("t1")]), user(&[result("t1"), result("t1")])], "a second result"),
        (vec![go(), assistant(&[call("t1")]), user(&[text("x"), result("t1")])], "must stand before"),
        (
            vec![go(), assistant(&[call("t1")]), user(&[result("t1")]), assistant(&[call("t1")]), go()],
            "was used before",
        ),
        (vec![go(), assistant(&[call("t1"), call("t1")]), user(&[result("t1")])], "was used before"),
        (vec![go(), assistant(&[call("a b")]), go()], "does not match"),
        (
            vec![
                go(),
                assistant(&[json!({"type": "tool_use", "id": "t", "name": "Fly", "input": {}})]),
                go(),
            ],
            "there is no tool \"Fly\"",
        ),
        (
            vec![
                go(),
                assistant(&[json!({"type": "tool_use", "id": "t", "name": "Read", "input": "x"})]),
                go(),
            ],
            "input: must be an object",
        ),
        (
            vec![
                go(),
                assistant(&[json!({"type": "thinking", "thinking": "changed", "signature": "script-0"})]),
                go(),
            ],
            "does not fit the thinking",
        ),
        (
            vec![go(), assistant(&[text("Hi."), json!({"type": "redacted_thinking", "data": "x"})]), go()],
            "must not be thinking",
        ),
    ];
    for (messages, expected) in cases {
        let message = refusal(&request(&messages));
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn fields_are_held_to_the_format() {
    let good = request(&[user(&[text("Go.")])]);
    let with = |field: &str, value: Value| {
        let mut request = good.clone();
        request[field] = value;
        request
    };
    let without = |field: &str| {
        let mut request = good.clone();
        request.as_object_mut().unwrap().remove(field);
        request
    };
    let tool = |name: &str, schema: Value| json!({"name": name, "input_schema": schema});
    let object = || json!({"type": "object"});
    let cases = [
        (without("model"), "model: is missing"),
        (with("model", json!("")), "model: is missing"),
        (without("max_tokens"), "max_tokens: is missing"),
        (with("max_tokens", json!(0)), "max_tokens: must be at least 1"),
        (with("max_tokens", json!("9")), "max_tokens: must be at least 1"),
        (without("messages"), "messages: is missing"),
        (with("prompt", json!("x")), "prompt: is no field"),
        (with("system", json!([text("")])), "system.0"),
        (with("system", json!(7)), "system: must be"),
        (with("tools", json!([tool("a b", object())])), "tools.0.name"),
        (with("tools", json!([tool("a", json!({}))])), "tools.0.input_schema.type"),
        (with("tools", json!([tool("a", object()), tool("a", object())])), "used twice"),
        (with("thinking", json!({"type": "deep"})), "thinking.type"),
        (with("output_config", json!({"effort": "huge"})), "output_config.effort"),
        (json!([]), "is not an object"),
    ];
    for (request, expected) in cases {
        let message = refusal(&request);
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn bytes_that_are_no_text_are_refused() {
    for body in [&b"{\"model\": \"\xff\"}"[..], b"{\"model\": \"\\ud800\"}", b"{", b""] {
        assert!(read(body).unwrap_err().message.contains("not valid JSON"), "{body:?}");
    }
}

#[test]
fn more_than_four_cache_marks_are_refused() {
    let marked = |count: usize| {
        let block = json!({"type": "text", "text": "x", "cache_control": {"type": "ephemeral"}});
        request(&[user(&vec![block; count])])
    };
    assert!(read(marked(4).to_string().as_bytes()).is_ok());
    assert!(refusal(&marked(5)).contains("at most 4 marks"));
}
