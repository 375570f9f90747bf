use serde_json::json;

use super::*;

/// Feeds events, and gives the outcome of the last with all text that was streamed.
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

fn start(index: u64, block: Value) -> Value {
    json!({"type": "content_block_start", "index": index, "content_block": block})
}

fn delta(index: u64, delta: Value) -> Value {
    json!({"type": "content_block_delta", "index": index, "delta": delta})
}

fn stop(index: u64) -> Value {
    json!({"type": "content_block_stop", "index": index})
}

fn ends(reason: &str) -> [Value; 2] {
    [
        json!({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 9}}),
        json!({"type": "message_stop"}),
    ]
}

fn call_block(index: u64, id: &str, pieces: &[&str]) -> Vec<Value> {
    let mut events = vec![start(index, json!({"type": "tool_use", "id": id, "name": "Read", "input": {}}))];
    let piece = |text: &&str| delta(index, json!({"type": "input_json_delta", "partial_json": text}));
    events.extend(pieces.iter().map(piece));
    events.push(stop(index));
    events
}

fn done(events: Vec<Value>) -> Reply {
    match run(&events).1 {
        Ok(Progress::Done(reply)) => reply,
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_answer_is_put_together_from_its_pieces() {
    let mut events = vec![
        json!({"type": "message_start", "message": {"usage":
            {"input_tokens": 5, "cache_creation_input_tokens": 7, "cache_read_input_tokens": 100, "output_tokens": 1}}}),
        json!({"type": "ping"}),
        start(0, json!({"type": "thinking", "thinking": "", "signature": ""})),
        delta(0, json!({"type": "thinking_delta", "thinking": "Hm"})),
        delta(0, json!({"type": "thinking_delta", "thinking": "m."})),
        delta(0, json!({"type": "signature_delta", "signature": "c2ln"})),
        stop(0),
        start(1, json!({"type": "redacted_thinking", "data": "xyz"})),
        stop(1),
        start(2, json!({"type": "text", "text": ""})),
        delta(2, json!({"type": "text_delta", "text": "I lo"})),
        json!({"type": "of_a_later_day", "x": 1}),
        delta(2, json!({"type": "of_a_later_day"})),
        delta(2, json!({"type": "text_delta", "text": "ok."})),
        stop(2),
    ];
    events.extend(call_block(3, "t1", &["", "{\"path\":", "\"x\"}"]));
    events.extend(call_block(4, "t2", &[]));
    events.extend(ends("tool_use"));
    let (_, outcome, streamed) = run(&events);
    assert_eq!(streamed, "I look.");
    let Ok(Progress::Done(reply)) = outcome else { panic!("{outcome:?}") };
    assert_eq!(reply.stop, Stop::ToolUse);
    assert_eq!(reply.usage, Usage { input: 12, written: 7, output: 9, cached: 100 });
    let call = |id: &str, input| Part::ToolUse { id: id.into(), name: "Read".into(), input };
    assert_eq!(
        reply.content,
        [
            Part::Opaque(json!({"type": "thinking", "thinking": "Hmm.", "signature": "c2ln"})),
            Part::Opaque(json!({"type": "redacted_thinking", "data": "xyz"})),
            Part::Text("I look.".into()),
            call("t1", json!({"path": "x"})),
            call("t2", json!({})),
        ]
    );
}

#[test]
fn each_reason_to_stop_has_its_meaning() {
    let text = || vec![start(0, json!({"type": "text", "text": "Hi."})), stop(0)];
    let cases = [
        ("end_turn", Stop::EndTurn),
        ("tool_use", Stop::EndTurn),
        ("max_tokens", Stop::MaxTokens),
        ("model_context_window_exceeded", Stop::MaxTokens),
        ("refusal", Stop::Refusal),
        ("pause_turn", Stop::Other("pause_turn".into())),
    ];
    for (reason, expected) in cases {
        assert_eq!(done([text(), ends(reason).to_vec()].concat()).stop, expected, "{reason}");
    }
    let called = done([call_block(0, "t1", &["{}"]), ends("end_turn").to_vec()].concat());
    assert_eq!(called.stop, Stop::ToolUse, "calls want results, whatever the server says");
}

#[test]
fn a_call_that_is_no_json_object_is_a_broken_stream_and_never_empty() {
    for pieces in
        [&["{\"a\":"][..], &["{\"a\": \"\\ud800\"}"], &["[1]"], &["null"], &["\"text\""], &["{} {}"]]
    {
        let events = [call_block(0, "t1", pieces), ends("tool_use").to_vec()].concat();
        let (stream, outcome, _) = run(&events);
        assert!(matches!(outcome, Err(Fault::Malformed(_))), "{pieces:?}: {outcome:?}");
        assert_eq!(stream.finished().content, []);
    }
    let mut open = call_block(0, "t1", &["{}"]);
    open.pop();
    open.extend(ends("tool_use"));
    assert!(matches!(run(&open).1, Err(Fault::Malformed(_))));
}

#[test]
fn a_call_that_the_limit_cut_is_dropped() {
    let text = || vec![start(0, json!({"type": "text", "text": "Hi."})), stop(0)];
    for pieces in [&["{\"a\":"][..], &[]] {
        let events = [text(), call_block(1, "t1", pieces), ends("max_tokens").to_vec()].concat();
        let reply = done(events);
        assert_eq!(reply.content, [Part::Text("Hi.".into())]);
        assert_eq!(reply.stop, Stop::MaxTokens);
    }
    let whole = done([call_block(0, "t1", &["{\"a\":1}"]), ends("max_tokens").to_vec()].concat());
    assert_eq!(whole.content.len(), 1, "a whole call stays");
}

#[test]
fn only_message_stop_is_the_end() {
    let events = [vec![start(0, json!({"type": "text", "text": "Hi."})), stop(0)], ends("end_turn").to_vec()];
    let events = events.concat();
    for end in 0..events.len() {
        let (mut stream, outcome, _) = run(&events[..end]);
        assert_eq!(outcome, Ok(Progress::More));
        assert_eq!(stream.closed(), Err(Fault::Incomplete));
    }
    let no_reason = [json!({"type": "message_stop"})];
    assert!(matches!(run(&no_reason).1, Err(Fault::Malformed(_))));
}

#[test]
fn what_was_finished_before_the_break_is_kept() {
    let mut events = vec![
        start(0, json!({"type": "thinking", "thinking": "Hm.", "signature": "s"})),
        stop(0),
        start(1, json!({"type": "text", "text": "I lo"})),
    ];
    events.extend(call_block(2, "t1", &["{}"]));
    events.push(start(3, json!({"type": "tool_use", "id": "t2", "name": "Read", "input": {}})));
    events.push(start(4, json!({"type": "thinking", "thinking": "half"})));
    let kept = run(&events).0.finished();
    assert_eq!(kept.content.len(), 3, "{:?}", kept.content);
    assert!(kept.has_calls());
}

#[test]
fn events_out_of_place_are_a_broken_stream() {
    let text = || start(0, json!({"type": "text", "text": ""}));
    let cases = [
        vec![delta(0, json!({"type": "text_delta", "text": "x"}))],
        vec![stop(0)],
        vec![text(), text()],
        vec![text(), stop(0), delta(0, json!({"type": "text_delta", "text": "x"}))],
        vec![text(), delta(0, json!({"type": "input_json_delta", "partial_json": "x"}))],
        vec![start(0, json!({"type": "tool_use", "name": "Read"}))],
        vec![start(0, json!("text"))],
        vec![json!({"no": "type"})],
    ];
    for events in cases {
        let outcome = run(&events).1;
        assert!(matches!(outcome, Err(Fault::Malformed(_))), "{events:?}: {outcome:?}");
    }
}

#[test]
fn an_error_in_the_stream_is_told() {
    let event = json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}});
    let expected = Fault::Reported { kind: Some("overloaded_error".into()), message: "Overloaded".into() };
    assert_eq!(run(&[event]).1, Err(expected.clone()));
    let bare = Event {
        name: "error".into(),
        data: json!({"code": 503, "type": "overloaded_error", "message": "Overloaded"}).to_string(),
    };
    assert_eq!(Stream::default().event(&bare, &mut |_| {}), Err(expected));
}
