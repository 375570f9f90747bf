//! A server that is gone while teammates run in processes of their own: they wait for the next one, which finds them.

use std::fs::File;
use std::process::Command;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};
use swarm_tests::script::reply;
use swarm_tests::{Caps, Editor, World};

use crate::backends::{ada, bash, done, ended, resolve, spawn};

/// An editor whose server has these settings.
pub(crate) fn editor_with(world: &World, caps: &Caps, settings: Value) -> Editor {
    let mut editor = world.unshaken();
    let folder = format!("file://{}", world.workspace().display());
    editor.initialize_with(json!({
        "processId": std::process::id(),
        "capabilities": caps.json(),
        "rootUri": folder,
        "workspaceFolders": [{ "uri": folder, "name": "workspace" }],
        "initializationOptions": settings,
    }));
    editor
}

/// Kills the server with a question open, and answers it under the next one.
fn goes_on_under_the_next_server(backend: &str) {
    let (_model, world) = ada([reply([bash("touch made")]), done().expect("exit code 0")]);
    let mut first = world.editor(Caps::with_terminals());
    spawn(&mut first, backend);
    let asked = first.await_event("permissionRequested")["event"]["request"].take();
    let process = world.running("swarm-ls teammate");
    first.crash();
    let mut second = world.editor(Caps::with_terminals());
    let state = second.until_state(|state| !state["permissions"][0].is_null());
    assert_eq!(state["permissions"][0]["id"], asked["id"]);
    assert_eq!(state["permissions"].as_array().map(Vec::len), Some(1), "{state:#}");
    assert_eq!(world.running("swarm-ls teammate"), process, "it is the same process");
    resolve(&mut second, &asked, json!({ "decision": "allow" }));
    assert_eq!(ended(&mut second), "completed");
    assert!(world.path("made").exists());
    second.close();
    world.none_left(Duration::from_secs(2));
}

#[test]
fn a_hidden_teammate_is_found_by_the_next_server_and_its_question_is_still_open() {
    goes_on_under_the_next_server("hidden");
}

#[test]
fn one_in_a_terminal_is_found_by_the_next_server_and_its_question_is_still_open() {
    goes_on_under_the_next_server("editor-terminal");
}

#[test]
fn a_teammate_without_a_leader_says_so_and_ends_after_a_while() {
    let (_model, world) = ada([reply([bash("sleep 4711")])]);
    let mut editor = editor_with(&world, &Caps::with_terminals(), json!({ "leaderlessSeconds": 2 }));
    spawn(&mut editor, "editor-terminal");
    world.wait_for_process("sleep 4711");
    editor.crash();
    editor
        .await_screen("terminal-1", |screen| screen.contains("the leader is gone; waiting 2 s for another"));
    world.none_left(Duration::from_secs(6));
}

#[test]
fn one_that_died_without_a_leader_is_shown_as_gone() {
    let (_model, world) = ada([reply([bash("sleep 4711")])]);
    let mut first = world.editor(Caps::rich());
    spawn(&mut first, "hidden");
    world.wait_for_process("sleep 4711");
    let process = world.running("swarm-ls teammate").remove(0);
    first.crash();
    let process = process.split(' ').next().unwrap_or_default();
    assert!(Command::new("kill").args(["-KILL", process]).status().unwrap().success());
    world.none_left(Duration::from_secs(2));
    // Longer ago than a reload takes, after which the team goes on by itself.
    let seen = world.swarm_home().join("teams/workspace/leader.seen");
    let seen = File::options().write(true).open(seen).unwrap();
    seen.set_modified(SystemTime::now() - Duration::from_secs(3600)).unwrap();
    let mut second = world.editor(Caps::rich());
    let state = second.request("swarm/state", json!({}));
    let ada = state["members"].as_array().unwrap().iter().find(|member| member["name"] == "ada").unwrap();
    assert_eq!(ada["state"], "gone", "{ada}");
}

#[test]
fn a_terminal_that_is_kept_waits_for_the_next_server() {
    let (_model, world) = ada([done(), done().expect("Hello again.")]);
    let mut first = editor_with(&world, &Caps::with_terminals(), json!({ "keepTerminals": true }));
    spawn(&mut first, "editor-terminal");
    ended(&mut first);
    let process = world.running("swarm-ls teammate");
    first.leave();
    first.await_screen("terminal-1", |screen| {
        screen.contains("the leader is gone; waiting 10 min for another")
    });
    let mut second = world.editor(Caps::with_terminals());
    second.request("swarm/prompt", json!({ "text": "Hello again.", "member": "ada" }));
    assert_eq!(ended(&mut second), "completed");
    assert_eq!(world.running("swarm-ls teammate"), process, "it is the same process");
    second.close();
    world.none_left(Duration::from_secs(2));
}
