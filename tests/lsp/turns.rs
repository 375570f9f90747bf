//! A prompt and what comes of it: text, tools, transcript, progress, interruption.

use serde_json::{Value, json};
use swarm_tests::Caps;
use swarm_tests::script::{Script, call, reply, say, wait};

use crate::{played, prompt, world};

#[test]
fn a_prompt_is_answered_at_once_and_its_text_comes_as_events() {
    let (_model, world) = played(Script::new().agent("team-lead", [reply([say("Hello there.")])]));
    let mut editor = world.editor(Caps::rich());
    let turn = prompt(&mut editor, "Say hello.");
    let mut text = String::new();
    while text != "Hello there." {
        let event = editor.await_event_where("text", |_| true);
        assert_eq!(event["turnId"], turn);
        text.push_str(event["text"].as_str().unwrap());
    }
    let ended = editor.await_event_where("turnEnded", |_| true);
    assert_eq!((&ended["turnId"], &ended["reason"]), (&turn, &json!("completed")));
    let state = editor.request("swarm/state", json!({}));
    assert_eq!(state["members"][0]["name"], "team-lead");
    let transcript = editor.request("swarm/transcript", json!({}));
    assert!(transcript["entries"].to_string().contains("Hello there."), "{transcript}");
}

#[test]
fn events_are_counted_without_a_gap() {
    let (_model, world) = played(Script::new().agent("team-lead", [reply([say("one")])]));
    let mut editor = world.editor(Caps::listening());
    prompt(&mut editor, "Go.");
    let mut last = 0;
    loop {
        let params = editor.await_notification("swarm/event", |params| params["seq"] == last + 1);
        last += 1;
        if params["event"]["kind"] == "turnEnded" {
            break;
        }
    }
    let state = editor.request("swarm/state", json!({}));
    assert!(state["seq"].as_u64().unwrap() >= last, "{state}");
}

#[test]
fn a_client_that_asked_for_no_events_gets_none() {
    let (model, world) = played(Script::new().agent("team-lead", [reply([say("hello")])]));
    let mut editor = world.editor(Caps::plain());
    prompt(&mut editor, "Go.");
    model.wait_for(1);
    editor.until_state(|state| state["members"][0]["state"] == "idle");
    assert!(!editor.has_seen("swarm/event"));
}

#[test]
fn an_attached_range_is_of_the_text_in_the_editor() {
    let (model, world) = played(Script::new().agent("team-lead", [reply([say("ok")])]));
    world.write("a.txt", "on disk\n");
    let mut editor = world.editor(Caps::plain());
    let uri = world.uri("a.txt");
    editor.open(&uri, "first\nsecond 😀 line\nthird\n");
    let range = json!({ "start": { "line": 1, "character": 0 }, "end": { "line": 1, "character": 9 } });
    editor
        .request("swarm/prompt", json!({ "text": "Look.", "attachments": [{ "uri": uri, "range": range }] }));
    model.wait_for(1);
    let message = model.last_message();
    assert!(message.contains("second 😀") && !message.contains("😀 line"), "{message}");
    editor.until_state(|state| state["members"][0]["state"] == "idle");
}

#[test]
fn twenty_thousand_changes_are_applied_in_the_order_they_came() {
    let (model, world) = played(Script::new().agent("team-lead", [reply([say("ok")])]));
    let mut editor = world.editor(Caps::plain());
    let uri = world.uri("many.txt");
    editor.open(&uri, "");
    // Each change goes behind the one before it, so that one out of order shows.
    for number in 0..20_000_u32 {
        let at = json!({ "line": 0, "character": number });
        let digit = char::from(b'0' + (number % 10) as u8).to_string();
        editor.change_with(
            &uri,
            number as i32 + 2,
            json!([{ "range": { "start": at, "end": at }, "text": digit }]),
        );
        // A flood each time, and no wait that is for all of them.
        if number % 4_000 == 3_999 {
            editor.sync();
        }
    }
    editor.request("swarm/prompt", json!({ "text": "Look.", "attachments": [{ "uri": uri }] }));
    model.wait_for(1);
    assert!(model.last_message().contains(&"0123456789".repeat(2_000)));
    editor.until_state(|state| state["members"][0]["state"] == "idle");
}

#[test]
fn an_interrupt_ends_the_turn() {
    let (model, world) = played(Script::new().agent("team-lead", [reply([say("Thinking"), wait("never")])]));
    let mut editor = world.editor(Caps::rich());
    prompt(&mut editor, "Think.");
    model.wait_for(1);
    editor.await_event("text");
    assert_eq!(editor.request("swarm/interrupt", json!({}))["interrupted"], true);
    assert_eq!(editor.await_event_where("turnEnded", |_| true)["reason"], "interrupted");
}

#[test]
fn progress_shows_a_turn_and_cancelling_it_interrupts() {
    let (_model, world) = played(Script::new().agent("team-lead", [reply([say("Thinking"), wait("never")])]));
    let mut editor = world.editor(Caps::listening().progress());
    prompt(&mut editor, "Think.");
    let create = editor.await_request("window/workDoneProgress/create");
    editor.reply(&create, Value::Null);
    let token = create.params["token"].clone();
    let progress = |kind: &'static str| {
        let token = token.clone();
        move |params: &Value| params["token"] == token && params["value"]["kind"] == kind
    };
    let begin = editor.await_notification("$/progress", progress("begin"));
    assert!(begin["value"]["title"].as_str().unwrap().contains("team-lead"), "{begin}");
    editor.notify("window/workDoneProgress/cancel", json!({ "token": token }));
    assert_eq!(editor.await_event_where("turnEnded", |_| true)["reason"], "interrupted");
    editor.await_notification("$/progress", progress("end"));
}

#[test]
fn without_a_key_a_prompt_says_what_to_set() {
    let world = world();
    let mut editor = world.editor(Caps::plain());
    let error = editor.try_request("swarm/prompt", json!({ "text": "Go." })).unwrap_err();
    assert_eq!(error.code, -32803);
    assert!(error.message.contains("ANTHROPIC_API_KEY"), "{error:?}");
}

#[test]
fn without_a_workspace_a_prompt_is_refused_with_the_reason() {
    let (_model, world) = played(Script::new());
    let mut editor = world.unshaken();
    editor.initialize(&Caps::plain(), None);
    let error = editor.try_request("swarm/prompt", json!({ "text": "Go." })).unwrap_err();
    assert_eq!(error.code, -32803);
    assert!(error.message.contains("folder") || error.message.contains("workspace"), "{error:?}");
}

#[test]
fn a_prompt_to_nobody_says_who_is_there() {
    let (_model, world) = played(Script::new().agent("team-lead", [reply([say("ok")])]));
    let mut editor = world.editor(Caps::rich());
    prompt(&mut editor, "Go.");
    editor.await_event("turnEnded");
    for method in ["swarm/prompt", "swarm/message", "swarm/transcript", "swarm/interrupt"] {
        let params = json!({ "text": "x", "member": "nobody", "to": "nobody" });
        let error = editor.try_request(method, params).unwrap_err();
        assert_eq!(error.code, -32803, "{method}: {error:?}");
        assert!(error.message.contains("team-lead"), "{method}: {error:?}");
    }
}

#[test]
fn a_prompt_can_be_given_by_a_command() {
    let (model, world) = played(Script::new().agent("team-lead", [reply([say("ok")])]));
    let mut editor = world.editor(Caps::rich());
    let params = json!({ "command": "swarm.prompt", "arguments": ["From a command."] });
    assert!(editor.request("workspace/executeCommand", params)["turnId"].is_string());
    model.wait_for(1);
    assert!(model.last_message().contains("From a command."));
    editor.await_event("turnEnded");
}

#[test]
fn tools_start_and_finish_as_events() {
    let read = call("Read", json!({ "path": "a.txt" }));
    let (model, world) = played(Script::new().agent("team-lead", [reply([read]), reply([say("Seen.")])]));
    world.write("a.txt", "on disk\n");
    let mut editor = world.editor(Caps::rich());
    editor.open(&world.uri("a.txt"), "not saved yet\n");
    prompt(&mut editor, "Read it.");
    assert_eq!(editor.await_event_where("toolStarted", |_| true)["name"], "Read");
    assert_eq!(editor.await_event_where("toolFinished", |_| true)["isError"], false);
    editor.await_event("turnEnded");
    assert!(model.last_message().contains("not saved yet"), "{}", model.last_message());
}

#[test]
fn calls_that_only_read_run_side_by_side_and_all_others_in_their_turn() {
    let bash = |command: &str| call("Bash", json!({ "command": command }));
    let edit = call("Edit", json!({ "path": "a.txt", "old_string": "one", "new_string": "two" }));
    let script = Script::new().agent(
        "team-lead",
        [
            reply([
                bash("sleep 0.3; echo first"),
                bash("sleep 0.3; echo second"),
                call("Read", json!({ "path": "a.txt" })),
                // Made from what the call before it read.
                edit,
                bash("cat a.txt"),
            ]),
            reply([say("Done.")]).expect("two\n[exit code 0]"),
        ],
    );
    let (model, world) = played(script);
    world.write("a.txt", "one\n");
    let mut editor = world.editor(Caps::rich());
    editor.notify(
        "workspace/didChangeConfiguration",
        json!({ "settings": { "swarm": { "trust": "workspace" } } }),
    );
    prompt(&mut editor, "Look.");
    let mut order = Vec::new();
    while order.len() < 10 {
        let params = editor.await_notification("swarm/event", |params| {
            params["event"]["kind"].as_str().is_some_and(|kind| kind.starts_with("tool"))
        });
        order.push(params["event"]["kind"].as_str().unwrap().to_owned());
    }
    assert_eq!(order[..3], ["toolStarted", "toolStarted", "toolStarted"]);
    assert_eq!(order[6..], ["toolStarted", "toolFinished", "toolStarted", "toolFinished"]);
    assert_eq!(editor.await_event("turnEnded")["event"]["reason"], "completed");
    // The results stand in the order of the calls.
    let told = model.wait_for(2)[1].body["messages"].to_string();
    assert!(told.find("first").unwrap() < told.find("second").unwrap());
}
