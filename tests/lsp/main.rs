//! The promise of the LSP side, kept by the built binary over its stdin and stdout.

#![expect(clippy::unwrap_used, reason = "a test that finds no value fails")]

mod again;
mod always;
mod backends;
mod checkpoints;
mod commands;
mod conversation;
mod conversations;
mod documents;
mod edits;
mod ending;
mod floods;
mod forgery;
mod framing;
mod handing;
mod healing;
mod iterm2;
mod killed;
mod kinds;
mod knowledge;
mod many;
mod models;
mod permissions;
mod pictures;
mod planning;
mod plans;
mod processes;
mod questions;
mod requests;
mod secrets;
mod seen;
mod teams;
mod terminals;
mod tmux;
mod together;
mod turns;
mod views;
mod web;
mod worktrees;

use serde_json::{Value, json};
use swarm_tests::script::Script;
use swarm_tests::{Editor, FakeModel, World};

/// A world around the binary under test.
fn world() -> World {
    World::new(env!("CARGO_BIN_EXE_swarm-ls"))
}

/// A world whose leader is played by `script`.
fn played(script: Script) -> (FakeModel, World) {
    let model = FakeModel::start(script);
    let mut world = world();
    world.model(&model);
    (model, world)
}

fn prompt(editor: &mut Editor, text: &str) -> Value {
    editor.request("swarm/prompt", json!({ "text": text }))["turnId"].clone()
}

/// Waits for the next question of an agent, as the event that a rich client draws it from.
fn asked(editor: &mut Editor) -> Value {
    editor.await_event("permissionRequested")["event"]["request"].take()
}

/// Whether an event is of the member of this name.
fn of(event: &Value, name: &str) -> bool {
    event["member"].as_str().is_some_and(|agent| agent.split('@').next() == Some(name))
}

/// Executes a command of ours.
fn execute(editor: &mut Editor, command: &str, argument: Value) -> Value {
    editor.request("workspace/executeCommand", json!({ "command": command, "arguments": [argument] }))
}

/// The code actions at a line of a document.
fn actions(editor: &mut Editor, uri: &str, line: u32) -> Vec<Value> {
    let at = json!({ "line": line, "character": 0 });
    let params = json!({
        "textDocument": { "uri": uri },
        "range": { "start": at, "end": at },
        "context": { "diagnostics": [] },
    });
    match editor.request("textDocument/codeAction", params) {
        Value::Array(actions) => actions,
        other => panic!("no list of actions: {other}"),
    }
}

/// Executes the command of the one action whose title holds `words`.
fn choose(editor: &mut Editor, actions: &[Value], words: &str) -> Value {
    let found: Vec<&Value> = actions.iter().filter(|action| title(action).contains(words)).collect();
    let [action] = found[..] else { panic!("not one action with {words:?} in {actions:#?}") };
    let command = &action["command"];
    let params = json!({ "command": command["command"], "arguments": command["arguments"] });
    editor.request("workspace/executeCommand", params)
}

fn title(action: &Value) -> &str {
    action["title"].as_str().unwrap_or_default()
}
