//! Every way to end the server, each within two seconds and with nothing left behind.

use std::process::{Command, Stdio};

use serde_json::{Value, json};
use swarm_tests::Caps;

use crate::world;

#[test]
fn exit_ends_it_though_stdin_stays_open() {
    let mut editor = world().editor(Caps::plain());
    editor.request("shutdown", Value::Null);
    editor.notify("exit", Value::Null);
    assert_eq!(editor.await_end(), 0);
}

#[test]
fn exit_without_shutdown_is_not_clean() {
    let mut editor = world().editor(Caps::plain());
    editor.notify("exit", json!(null));
    assert_eq!(editor.await_end(), 1);
}

#[test]
fn a_closed_stdin_ends_it() {
    let mut editor = world().editor(Caps::plain());
    editor.close_stdin();
    assert_eq!(editor.await_end(), 1);
    let mut silent = world().unshaken();
    silent.close_stdin();
    silent.await_end();
}

#[test]
fn what_was_asked_before_the_end_is_still_answered() {
    let mut editor = world().editor(Caps::plain());
    let id = editor.send_request("swarm/state", json!({}));
    let last = editor.send_request("shutdown", Value::Null);
    editor.notify("exit", Value::Null);
    assert!(editor.answer_to(id).is_ok());
    assert!(editor.answer_to(last).is_ok());
    assert_eq!(editor.await_end(), 0);
}

#[test]
fn a_dead_editor_ends_it_though_its_pipes_stay_open() {
    let world = world();
    let mut parent = Command::new("sleep").arg("600").stdin(Stdio::null()).spawn().unwrap();
    let mut editor = world.unshaken();
    editor.initialize_with(json!({ "processId": parent.id(), "capabilities": {} }));
    editor.sync();
    parent.kill().unwrap();
    editor.await_end();
    parent.wait().unwrap();
}

#[test]
fn requests_after_shutdown_are_refused() {
    let mut editor = world().editor(Caps::plain());
    editor.request("shutdown", Value::Null);
    assert_eq!(editor.try_request("swarm/state", json!({})).unwrap_err().code, -32600);
    editor.notify("exit", Value::Null);
    assert_eq!(editor.await_end(), 0);
}

#[test]
fn a_client_that_never_reads_still_ends_it() {
    let world = world();
    let mut child = world.command(&["--stdio"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    use std::io::Write;
    let mut send = |message: Value| {
        let body = message.to_string();
        write!(stdin, "Content-Length: {}\r\n\r\n{body}", body.len()).unwrap();
    };
    send(json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": { "capabilities": {} } }));
    // Far more than what the pipe and the library hold of answers.
    for id in 1..5_000 {
        send(json!({ "jsonrpc": "2.0", "id": id, "method": format!("no/such/{}", "x".repeat(200)) }));
    }
    send(json!({ "jsonrpc": "2.0", "method": "exit" }));
    let started = std::time::Instant::now();
    child.wait().unwrap();
    assert!(started.elapsed().as_secs() < 10);
}
