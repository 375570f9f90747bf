use serde_json::json;

use super::*;

fn text(role: &str, text: &str) -> Value {
    let kind = if role == "assistant" { "output_text" } else { "input_text" };
    json!({"type": "message", "role": role, "content": [{"type": kind, "text": text}]})
}

fn call(id: &str) -> Value {
    json!({"type": "function_call", "call_id": id, "name": "Read", "arguments": "{}"})
}

fn output(id: &str) -> Value {
    json!({"type": "function_call_output", "call_id": id, "output": "x"})
}

fn reasoning(encrypted: Value) -> Value {
    json!({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": encrypted})
}

fn request(input: &[Value]) -> Value {
    let tools =
        json!([{"type": "function", "name": "Read", "parameters": {"type": "object"}, "strict": false}]);
    json!({"model": "m", "stream": true, "instructions": "You are Ada.", "tools": tools, "input": input})
}

fn refusal(request: &Value) -> String {
    match read(request.to_string().as_bytes()) {
        Ok(asked) => panic!("{request} was taken: {asked:?}"),
        Err(refused) => refused.message,
    }
}

#[test]
fn a_request_in_order_is_read() {
    let input = [
        text("developer", "Be kind."),
        text("user", "Go."),
        reasoning(signature::seal("Hm.").into()),
        text("assistant", "I look."),
        call("c1"),
        output("c1"),
        json!({"role": "user", "content": "And?"}),
    ];
    let mut request = request(&input);
    request["include"] = json!(["reasoning.encrypted_content"]);
    let asked = read(request.to_string().as_bytes()).unwrap();
    assert_eq!(asked.system, "You are Ada.\nBe kind.");
    assert_eq!(asked.last_input, "x\nAnd?");
    assert!(asked.stream && asked.wants_more);
    assert_eq!(asked.prompt.messages.len(), 7);
    let plain = json!({"model": "m", "input": "Go."});
    assert_eq!(read(plain.to_string().as_bytes()).unwrap().last_input, "Go.");
}

#[test]
fn items_out_of_order_are_refused_with_their_place() {
    let go = || text("user", "Go.");
    let cases = [
        (vec![], "must not be empty"),
        (vec![go(), text("assistant", "Hi.")], "the last must be"),
        (vec![go(), call("c1"), go()], "without an output: c1"),
        (vec![go(), output("c1")], "input[1]: an output for c1"),
        (vec![go(), call("c1"), output("c1"), output("c1")], "a second output"),
        (vec![go(), call("c1"), call("c1"), output("c1")], "used before"),
        (vec![go(), reasoning(Value::Null), call("c1"), output("c1")], "rs_1 is not found"),
        (vec![go(), reasoning("changed".into()), call("c1"), output("c1")], "can't be decrypted"),
        (vec![go(), reasoning(signature::seal("Hm.").into()), go()], "must follow it"),
        (
            vec![json!({"role": "user", "content": [{"type": "output_text", "text": "x"}]})],
            "does not go with the role",
        ),
        (
            vec![go(), json!({"type": "function_call", "call_id": "c", "name": "Fly", "arguments": "{}"})],
            "there is no tool \"Fly\"",
        ),
        (
            vec![go(), json!({"type": "function_call", "call_id": "c", "name": "Read", "arguments": "{"})],
            "the text of a JSON object",
        ),
        (vec![json!({"type": "dream"})], "\"dream\" is not known"),
    ];
    for (input, expected) in cases {
        let message = refusal(&request(&input));
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn fields_are_held_to_the_format() {
    let good = request(&[text("user", "Go.")]);
    let with = |field: &str, value: Value| {
        let mut request = good.clone();
        request[field] = value;
        request
    };
    let cases = [
        (with("model", json!("")), "model: is missing"),
        (with("messages", json!([])), "messages: is no field"),
        (with("max_output_tokens", json!(15)), "at least 16"),
        (with("reasoning", json!({"effort": "max"})), "reasoning.effort"),
        (with("instructions", json!([])), "instructions"),
        (with("tools", json!([{"type": "function", "name": "a b"}])), "tools[0].name"),
        (with("input", json!(7)), "input: must be a list"),
    ];
    for (request, expected) in cases {
        let message = refusal(&request);
        assert!(message.contains(expected), "{message}");
    }
}
