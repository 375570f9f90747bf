use serde_json::json;

use super::*;

fn event(data: &str) -> Event {
    Event { name: String::new(), data: data.into() }
}

fn run(chunks: &[Value]) -> (Stream, Result<Progress, Fault>, String) {
    let mut stream = Stream::default();
    let mut streamed = String::new();
    let mut outcome = Ok(Progress::More);
    for chunk in chunks {
        outcome = stream.event(&event(&chunk.to_string()), &mut |text| streamed.push_str(text));
        if outcome.is_err() {
            break;
        }
    }
    (stream, outcome, streamed)
}

/// The answer when the mark of the end follows.
fn done(chunks: &[Value]) -> Reply {
    let (mut stream, outcome, _) = run(chunks);
    assert_eq!(outcome, Ok(Progress::More));
    match stream.event(&event("[DONE]"), &mut |_| {}) {
        Ok(Progress::Done(reply)) => reply,
        other => panic!("{other:?}"),
    }
}

fn delta(delta: Value) -> Value {
    json!({"choices": [{"index": 0, "delta": delta, "finish_reason": null}]})
}

fn finish(reason: &str) -> Value {
    json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
}

fn calls(calls: Value) -> Value {
    delta(json!({"tool_calls": calls}))
}

fn call_part(id: &str, input: Value) -> Part {
    Part::ToolUse { id: id.into(), name: "Read".into(), input }
}

#[test]
fn an_answer_is_put_together_from_its_chunks() {
    let chunks = [
        delta(json!({"role": "assistant", "content": null})),
        delta(json!({"reasoning_content": "Hm"})),
        delta(json!({"reasoning_content": "m."})),
        delta(json!({"content": "I lo"})),
        delta(json!({"content": "ok."})),
        calls(
            json!([{"index": 0, "id": "c1", "type": "function", "function": {"name": "Read", "arguments": ""}}]),
        ),
        calls(json!([{"index": 0, "function": {"arguments": "{\"path\":"}}])),
        calls(json!([{"index": 0, "function": {"arguments": "\"x\"}"}}])),
        calls(json!([{"index": 1, "id": "c2", "function": {"name": "Read", "arguments": ""}}])),
        finish("tool_calls"),
        json!({"choices": [], "usage": {"prompt_tokens": 110, "completion_tokens": 9,
               "prompt_tokens_details": {"cached_tokens": 100}}}),
    ];
    let (_, _, streamed) = run(&chunks);
    assert_eq!(streamed, "I look.");
    let reply = done(&chunks);
    assert_eq!(reply.stop, Stop::ToolUse);
    assert_eq!(reply.usage, Usage { input: 10, written: 0, output: 9, cached: 100 });
    let expected = [
        Part::Opaque(json!({"reasoning_content": "Hmm."})),
        Part::Text("I look.".into()),
        call_part("c1", json!({"path": "x"})),
        call_part("c2", json!({})),
    ];
    assert_eq!(reply.content, expected);
}

#[test]
fn each_servers_way_with_calls_is_understood() {
    let whole = |index: Value, id: &str| json!({"index": index, "id": id, "function": {"name": "Read", "arguments": "{}"}});
    let cases = [
        (
            "the same index for all",
            vec![calls(json!([whole(json!(0), "a")])), calls(json!([whole(json!(0), "b")]))],
        ),
        ("no index", vec![calls(json!([whole(Value::Null, "a"), whole(Value::Null, "b")]))]),
        (
            "the id and name again in each chunk",
            vec![
                calls(json!([{"index": 0, "id": "a", "function": {"name": "Read", "arguments": "{"}}])),
                calls(json!([{"index": 0, "id": "a", "function": {"name": "Read", "arguments": "}"}}])),
                calls(json!([whole(json!(1), "b")])),
            ],
        ),
        (
            "arguments that are an object",
            vec![calls(
                json!([{"id": "a", "function": {"name": "Read", "arguments": {}}}, whole(json!(1), "b")]),
            )],
        ),
        (
            "empty ids behind the first chunk",
            vec![
                calls(json!([{"index": 0, "id": "a", "function": {"name": "Read", "arguments": "{"}}])),
                calls(json!([{"index": 0, "id": "", "function": {"name": "", "arguments": "}"}}])),
                calls(json!([whole(json!(1), "b")])),
            ],
        ),
    ];
    for (what, mut chunks) in cases {
        chunks.push(finish("tool_calls"));
        assert_eq!(done(&chunks).content, [call_part("a", json!({})), call_part("b", json!({}))], "{what}");
    }
}

#[test]
fn a_call_without_an_id_gets_one_of_its_own() {
    let call = || json!({"function": {"name": "Read", "arguments": "{}"}});
    let reply = done(&[calls(json!([call()])), finish("stop")]);
    let again = done(&[calls(json!([call()])), finish("stop")]);
    let id = |reply: &Reply| match &reply.content[0] {
        Part::ToolUse { id, .. } => id.clone(),
        other => panic!("{other:?}"),
    };
    assert_ne!(id(&reply), id(&again));
    assert_eq!(reply.stop, Stop::ToolUse);
}

#[test]
fn each_reason_to_finish_has_its_meaning() {
    let cases = [
        ("stop", Stop::EndTurn),
        ("tool_calls", Stop::EndTurn),
        ("length", Stop::MaxTokens),
        ("content_filter", Stop::Refusal),
        ("weather", Stop::Other("weather".into())),
    ];
    for (reason, stop) in cases {
        assert_eq!(done(&[delta(json!({"content": "Hi."})), finish(reason)]).stop, stop, "{reason}");
    }
    assert_eq!(done(&[delta(json!({"refusal": "No."})), finish("stop")]).stop, Stop::Refusal);
}

#[test]
fn a_finish_reason_is_the_end_and_done_alone_is_not() {
    let text = delta(json!({"content": "Hi."}));
    let (mut stream, ..) = run(std::slice::from_ref(&text));
    assert_eq!(stream.event(&event("[DONE]"), &mut |_| {}), Err(Fault::Incomplete));
    assert_eq!(stream.closed(), Err(Fault::Incomplete));
    assert_eq!(stream.finished().content, [Part::Text("Hi.".into())]);
    let (mut stream, outcome, _) = run(&[text, finish("stop")]);
    assert_eq!(outcome, Ok(Progress::More), "the usage may follow");
    assert!(stream.closed().is_ok(), "but needs not");
}

#[test]
fn a_call_that_the_limit_cut_is_dropped_and_any_other_is_a_broken_stream() {
    let cut = calls(json!([{"index": 0, "id": "a", "function": {"name": "Read", "arguments": "{\"a"}}]));
    let reply = done(&[delta(json!({"content": "Hi."})), cut.clone(), finish("length")]);
    assert_eq!((reply.content.len(), reply.stop), (1, Stop::MaxTokens));
    let (mut stream, ..) = run(&[cut, finish("tool_calls")]);
    assert!(matches!(stream.closed(), Err(Fault::Malformed(_))));
    assert_eq!(stream.finished().content, []);
}

#[test]
fn what_was_finished_before_the_break_is_kept() {
    let first =
        calls(json!([{"index": 0, "id": "a", "function": {"name": "Read", "arguments": "{\"p\": 1}"}}]));
    let second =
        calls(json!([{"index": 1, "id": "b", "function": {"name": "Read", "arguments": "{\"p\": "}}]));
    let expected = [call_part("a", json!({"p": 1}))];
    assert_eq!(run(std::slice::from_ref(&first)).0.finished().content, expected);
    assert_eq!(run(&[first, second]).0.finished().content, expected);
    let nothing_yet = calls(json!([{"index": 0, "id": "a", "function": {"name": "Read", "arguments": ""}}]));
    assert_eq!(run(&[nothing_yet]).0.finished().content, []);
}

#[test]
fn errors_are_told_in_each_of_their_forms() {
    let cases = [
        (
            json!({"error": {"message": "why", "type": "server_error", "code": null}}),
            Some("server_error"),
            "why",
        ),
        (
            json!({"error": {"message": "why", "code": "insufficient_quota"}}),
            Some("insufficient_quota"),
            "why",
        ),
        (json!({"error": {"message": "why", "code": 502}}), None, "why"),
        (
            json!({"error": {"message": "why", "code": 500, "type": "server_error"}}),
            Some("server_error"),
            "why",
        ),
        (json!({"error": "why"}), None, "why"),
    ];
    for (chunk, kind, message) in cases {
        let expected = Fault::Reported { kind: kind.map(Into::into), message: message.into() };
        assert_eq!(run(std::slice::from_ref(&chunk)).1, Err(expected), "{chunk}");
    }
}

#[test]
fn reasoning_is_kept_as_each_server_wants_it_back() {
    let details = |entries: Value| delta(json!({"reasoning": "Hm", "reasoning_details": entries}));
    let chunks = [
        details(json!([{"type": "reasoning.text", "text": "H", "index": 0}])),
        details(json!([{"type": "reasoning.text", "text": "m", "index": 0}])),
        details(json!([{"type": "reasoning.text", "signature": "sig", "index": 0}])),
        details(json!([{"type": "reasoning.encrypted", "data": "x", "index": 1, "id": "r"}])),
        finish("stop"),
    ];
    let entries = json!([
        {"type": "reasoning.text", "text": "Hm", "signature": "sig", "index": 0},
        {"type": "reasoning.encrypted", "data": "x", "index": 1, "id": "r"},
    ]);
    assert_eq!(done(&chunks).content, [Part::Opaque(json!({"reasoning_details": entries}))]);
    let plain = done(&[delta(json!({"reasoning": "Hm.", "reasoning_content": ""})), finish("stop")]);
    assert_eq!(plain.content, [Part::Opaque(json!({"reasoning": "Hm."}))]);
}
