use serde_json::json;

use super::*;

fn run(events: &[Value]) -> (Stream, Result<Progress, Fault>, String) {
    let mut stream = Stream::default();
    let mut streamed = String::new();
    let mut outcome = Ok(Progress::More);
    for event in events {
        let event = Event { name: String::new(), data: event.to_string() };
        outcome = stream.event(&event, &mut |text| streamed.push_str(text));
        if outcome != Ok(Progress::More) {
            break;
        }
    }
    (stream, outcome, streamed)
}

fn done(events: &[Value]) -> Reply {
    match run(events).1 {
        Ok(Progress::Done(reply)) => reply,
        other => panic!("{other:?}"),
    }
}

fn item_done(index: u64, item: Value) -> Value {
    json!({"type": "response.output_item.done", "output_index": index, "item": item})
}

fn text_delta(index: u64, text: &str) -> Value {
    json!({"type": "response.output_text.delta", "output_index": index, "content_index": 0, "delta": text})
}

fn message(text: &str) -> Value {
    json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]})
}

fn function_call(id: &str, arguments: &str) -> Value {
    json!({"type": "function_call", "call_id": id, "name": "Read", "arguments": arguments})
}

fn completed(output: Value) -> Value {
    let usage =
        json!({"input_tokens": 110, "output_tokens": 9, "input_tokens_details": {"cached_tokens": 100}});
    json!({"type": "response.completed", "response": {"output": output, "usage": usage}})
}

fn call_part(id: &str, input: Value) -> Part {
    Part::ToolUse { id: id.into(), name: "Read".into(), input }
}

#[test]
fn an_answer_is_put_together_from_its_items() {
    let reasoning = json!({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "abc"});
    let events = [
        json!({"type": "response.created", "response": {"id": "r", "output": []}}),
        json!({"type": "response.output_item.added", "output_index": 0, "item": {"type": "reasoning"}}),
        item_done(0, reasoning.clone()),
        json!({"type": "response.output_item.added", "output_index": 1, "item": {"type": "message"}}),
        text_delta(1, "I lo"),
        text_delta(1, "ok."),
        item_done(1, message("I look.")),
        json!({"type": "response.function_call_arguments.delta", "output_index": 2, "delta": "{"}),
        item_done(2, function_call("c1", "{\"path\": \"x\"}")),
        item_done(3, function_call("c2", "")),
        completed(json!([])),
    ];
    let (_, _, streamed) = run(&events);
    assert_eq!(streamed, "I look.");
    let reply = done(&events);
    assert_eq!(reply.stop, Stop::ToolUse);
    assert_eq!(reply.usage, Usage { input: 10, written: 0, output: 9, cached: 100 });
    let expected = [
        Part::Opaque(reasoning),
        Part::Text("I look.".into()),
        call_part("c1", json!({"path": "x"})),
        call_part("c2", json!({})),
    ];
    assert_eq!(reply.content, expected);
}

#[test]
fn a_server_may_name_items_by_their_ids_alone() {
    let reasoning = json!({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "",
                           "content": [{"type": "reasoning_text", "text": "Hm."}]});
    let mut message = message("I look.");
    message["id"] = json!("msg_1");
    let events = [
        json!({"type": "response.created", "response": {"id": "r"}}),
        json!({"type": "response.output_item.added", "item": {"type": "reasoning", "id": "rs_1"}}),
        json!({"type": "response.output_item.added", "item": {"type": "message", "id": "msg_1"}}),
        json!({"type": "response.output_text.delta", "item_id": "msg_1", "delta": "I look."}),
        json!({"type": "response.output_item.added", "item": function_call("c1", "")}),
        json!({"type": "response.function_call_arguments.delta", "item_id": "c1", "delta": "{}"}),
        json!({"type": "response.output_item.done", "item": reasoning}),
        json!({"type": "response.output_item.done", "item": message}),
        json!({"type": "response.output_item.done", "item": function_call("c1", "{}")}),
        json!({"type": "response.completed", "response": {"output": [], "usage": {"input_tokens": 1, "output_tokens": 2}}}),
    ];
    let reply = done(&events);
    assert_eq!(
        reply.content,
        [Part::Opaque(reasoning), Part::Text("I look.".into()), call_part("c1", json!({}))]
    );
}

#[test]
fn a_server_may_keep_all_for_the_end() {
    let reply = done(&[completed(json!([message("Hi."), function_call("c1", "{}")]))]);
    assert_eq!(reply.content, [Part::Text("Hi.".into()), call_part("c1", json!({}))]);
}

#[test]
fn reasoning_that_names_only_an_id_is_not_kept() {
    let bare = json!({"type": "reasoning", "id": "rs_1", "summary": []});
    let open =
        json!({"type": "reasoning", "id": "rs_2", "content": [{"type": "reasoning_text", "text": "Hm."}]});
    let reply = done(&[item_done(0, bare), item_done(1, open.clone()), completed(json!([]))]);
    assert_eq!(reply.content, [Part::Opaque(open)]);
}

#[test]
fn each_end_has_its_meaning() {
    let incomplete = |reason: &str| json!({"type": "response.incomplete", "response": {"incomplete_details": {"reason": reason}}});
    let refusal = json!({"type": "message", "content": [{"type": "refusal", "refusal": "No."}]});
    let cut_call = json!({"type": "function_call", "call_id": "c", "name": "Read", "arguments": "{\"a", "status": "incomplete"});
    let cases = [
        (vec![item_done(0, message("Hi.")), completed(json!([]))], Stop::EndTurn),
        (vec![item_done(0, refusal), completed(json!([]))], Stop::Refusal),
        (vec![item_done(0, message("Hi.")), incomplete("max_output_tokens")], Stop::MaxTokens),
        (vec![item_done(0, cut_call), incomplete("max_output_tokens")], Stop::MaxTokens),
        (vec![incomplete("content_filter")], Stop::Refusal),
        (vec![incomplete("weather")], Stop::Other("weather".into())),
    ];
    for (events, stop) in cases {
        let reply = done(&events);
        assert_eq!(reply.stop, stop, "{events:?}");
        assert!(!reply.has_calls());
    }
}

#[test]
fn failures_are_told_in_each_of_their_forms() {
    let fault = |kind: &str| Fault::Reported { kind: Some(kind.into()), message: "why".into() };
    let error = json!({"code": "server_error", "message": "why"});
    let cases = [
        json!({"type": "response.failed", "response": {"error": error}}),
        json!({"type": "error", "code": "server_error", "message": "why"}),
        json!({"type": "error", "error": error}),
    ];
    for event in cases {
        assert_eq!(run(std::slice::from_ref(&event)).1, Err(fault("server_error")), "{event}");
    }
    // By the event's name, with a status for a code.
    let data = json!({"code": 500, "message": "why", "type": "server_error"}).to_string();
    let event = Event { name: "error".into(), data };
    assert_eq!(Stream::default().event(&event, &mut |_| {}), Err(fault("server_error")));
}

#[test]
fn only_the_formats_own_end_is_the_end() {
    let events = [text_delta(0, "Hi."), item_done(0, message("Hi."))];
    let (mut stream, outcome, _) = run(&events);
    assert_eq!(outcome, Ok(Progress::More));
    assert_eq!(
        stream.event(&Event { name: String::new(), data: "[DONE]".into() }, &mut |_| {}),
        Ok(Progress::More)
    );
    assert_eq!(stream.closed(), Err(Fault::Incomplete));
    assert_eq!(stream.finished().content, [Part::Text("Hi.".into())]);
}

#[test]
fn a_call_that_is_no_json_object_is_a_broken_stream() {
    for arguments in ["{\"a\":", "[1]", "null", "x"] {
        let events = [item_done(0, function_call("c1", arguments)), completed(json!([]))];
        let outcome = run(&events).1;
        assert!(matches!(outcome, Err(Fault::Malformed(_))), "{arguments}: {outcome:?}");
    }
}

#[test]
fn what_was_finished_before_the_break_is_kept() {
    let events = [
        text_delta(0, "I lo"),
        item_done(1, function_call("c1", "{}")),
        json!({"type": "response.output_item.added", "output_index": 2, "item": {"type": "function_call"}}),
    ];
    let kept = run(&events).0.finished();
    assert_eq!(kept.content, [Part::Text("I lo".into()), call_part("c1", json!({}))]);
}
