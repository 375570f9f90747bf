//! Every way to end the server, each within two seconds and with nothing left behind.

use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Instant;

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
fn a_signal_ends_it_and_its_pages_with_it() {
    for signal in ["TERM", "INT", "HUP"] {
        let world = world();
        let mut editor = world.editor(Caps::plain());
        let status = json!({ "command": "swarm.status" });
        let uri = editor.request("workspace/executeCommand", status)["uri"].clone();
        editor.await_request("window/showDocument");
        let page = uri.as_str().unwrap().strip_prefix("file://").unwrap().to_owned();
        assert!(std::fs::exists(&page).unwrap());
        let sent = Command::new("kill").arg(format!("-{signal}")).arg(editor.pid().to_string()).status();
        assert!(sent.unwrap().success());
        assert_eq!(editor.await_end(), 1);
        assert!(!std::fs::exists(&page).unwrap(), "{page}");
    }
}

#[test]
fn a_closed_stdout_ends_it() {
    let world = world();
    let mut child = world
        .command(&[])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": { "capabilities": {} } });
    let mut stdin = child.stdin.take().unwrap();
    write!(stdin, "Content-Length: {}\r\n\r\n{body}", body.to_string().len()).unwrap();
    let started = Instant::now();
    child.wait().unwrap();
    assert!(started.elapsed().as_secs() < 5, "stdin stayed open");
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
    let started = Instant::now();
    child.wait().unwrap();
    assert!(started.elapsed().as_secs() < 10);
}
