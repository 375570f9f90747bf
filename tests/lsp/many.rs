//! Much at once: hundreds of open questions, floods of requests, a client that does not read.

use std::io::Write;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use swarm_tests::Caps;
use swarm_tests::script::{Script, WhenDone, call, reply, say};

use crate::{played, prompt, world};

#[test]
fn with_a_whole_team_waiting_everything_else_is_still_answered() {
    // As many as a team can have.
    const MEMBERS: usize = 15;
    let spawn = |number| call("SpawnTeammate", json!({ "name": format!("m{number}"), "prompt": "Go." }));
    let ask = reply([call("Bash", json!({ "command": "touch never" }))]);
    let mut ask = ask;
    ask.times = Some(MEMBERS as u32);
    let script = Script::new()
        .agent("team-lead", [reply((0..MEMBERS).map(spawn)), reply([say("Started.")])])
        .agent("*", [ask])
        .when_done(WhenDone::Say("Done.".into()));
    let (_model, world) = played(script);
    let mut editor = world.editor(Caps::listening());
    prompt(&mut editor, "Start them.");
    for _ in 0..MEMBERS {
        editor.await_event("permissionRequested");
    }
    let state = editor.request("swarm/state", json!({}));
    editor.await_request("window/showMessageRequest");

    let started = Instant::now();
    let requests: Vec<i64> =
        (0..400).map(|_| editor.send_request("swarm/permission/list", json!({}))).collect();
    let uri = world.uri("a.txt");
    editor.open(&uri, "");
    for version in 2..402 {
        editor.change(&uri, version, "typing");
    }
    editor.notify("$/cancelRequest", json!({ "id": requests[399] }));
    for id in requests {
        // Answered, or cancelled in time: answered either way.
        let _ = editor.answer_to(id);
    }
    assert!(started.elapsed() < Duration::from_secs(15), "{:?}", started.elapsed());

    let ids: Vec<&Value> =
        state["permissions"].as_array().unwrap().iter().map(|request| &request["id"]).collect();
    let rejected = editor.request("swarm/permission/resolve", json!({ "ids": ids, "decision": "reject" }));
    assert_eq!(rejected["results"].as_array().unwrap().len(), MEMBERS);
    // The leader's turn, and one of each of them.
    for _ in 0..MEMBERS + 1 {
        editor.await_event("turnEnded");
    }
}

#[test]
fn with_three_hundred_requests_open_at_the_client_the_server_still_answers() {
    const OPEN: usize = 300;
    let world = world();
    let caps = Caps::plain().with("workspace", json!({ "configuration": true }));
    let mut editor = world.editor(caps);
    for _ in 1..OPEN {
        editor.notify("workspace/didChangeConfiguration", json!({ "settings": null }));
    }
    let mut open: Vec<_> = (0..OPEN).map(|_| editor.await_request("workspace/configuration")).collect();
    let id = editor.send_request("swarm/state", json!({}));
    editor.notify("$/cancelRequest", json!({ "id": id }));
    let _ = editor.answer_to(id);
    let uri = world.uri("a.txt");
    editor.open(&uri, "");
    for version in 2..402 {
        editor.change(&uri, version, "typing");
    }
    editor.sync();
    // The newest is answered first; only this one is wrong.
    open.reverse();
    for (index, question) in open.iter().enumerate() {
        editor.reply(question, json!([{ "trust": if index == 0 { "blindly" } else { "ask" } }]));
    }
    let shown = editor.await_notification("window/showMessage", |_| true);
    assert!(shown["message"].as_str().unwrap().contains("trust"), "{shown}");
    editor.sync();
}

#[test]
fn a_client_that_does_not_read_stalls_no_agent() {
    // Far more text than all pipes and queues hold.
    let page = "0123456789abcdef".repeat(4096);
    let step = |_| reply([say(page.clone()), call("Read", json!({ "path": "large.txt" }))]);
    let (model, world) = played(Script::new().agent("team-lead", (0..20).map(step)));
    world.write("large.txt", &page);
    let mut child = world.command(&[]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut send = |message: Value| {
        let body = message.to_string();
        write!(stdin, "Content-Length: {}\r\n\r\n{body}", body.len()).unwrap();
    };
    let caps = json!({ "experimental": { "swarm": { "events": true, "permissions": true } } });
    send(json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "capabilities": caps, "rootUri": world.uri("").trim_end_matches('/'),
        // All of it is to stay in the history.
        "initializationOptions": { "contextWindow": 100_000_000 },
    } }));
    // Its answer is not read, but it has to be there before more may be asked.
    let mut first = [0; 1];
    std::io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut first).unwrap();
    send(json!({ "jsonrpc": "2.0", "method": "initialized", "params": {} }));
    send(json!({ "jsonrpc": "2.0", "id": 2, "method": "swarm/prompt", "params": { "text": "Read." } }));
    // The agent goes on to its last step all the same.
    model.wait_for(21);
    send(json!({ "jsonrpc": "2.0", "method": "exit" }));
    child.wait().unwrap();
}

#[test]
fn a_cancelled_request_is_answered_all_the_same() {
    let mut editor = world().editor(Caps::plain());
    for _ in 0..50 {
        let id = editor.send_request("swarm/state", json!({}));
        editor.notify("$/cancelRequest", json!({ "id": id }));
        match editor.answer_to(id) {
            Ok(state) => assert!(state["teams"].is_array()),
            Err(error) => assert_eq!(error.code, -32800),
        }
    }
    editor.notify("$/cancelRequest", json!({ "id": "never sent" }));
    editor.sync();
}
