//! Teammates in processes of their own: how their end is seen, what is left of them, and who can read their keys.

use std::fs;
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};
use swarm_tests::{Caps, Editor, World};

use crate::again::editor_with;
use crate::backends::{ada, bash, done, ended, spawn};
use crate::{asked, of};

/// The process that ada runs in.
fn process_of_ada(world: &World) -> String {
    world.wait_for_process("swarm-ls teammate");
    world.running("swarm-ls teammate").remove(0).split(' ').next().unwrap_or_default().to_owned()
}

fn kill(process: &str) {
    assert!(Command::new("kill").args(["-KILL", process]).status().unwrap().success());
}

/// Waits until ada's process works on a command that takes long.
fn at_work(world: &World, editor: &mut Editor) -> String {
    spawn(editor, "hidden");
    world.wait_for_process("sleep 4711");
    process_of_ada(world)
}

#[test]
fn a_process_that_was_killed_is_shown_and_restarts_with_its_history() {
    let (_model, world) = ada([
        swarm_tests::script::reply([bash("sleep 4711")]),
        done().expect("The server ended in the middle of your turn"),
        done().expect("Once more."),
    ]);
    let mut editor = world.editor(Caps::rich());
    let process = at_work(&world, &mut editor);
    kill(&process);
    let end = editor.await_event("memberEnded");
    assert_eq!(end["event"]["outcome"], "gone", "{end}");
    editor.await_gone("sleep 4711");
    editor.request("swarm/teammate/restart", json!({ "member": "ada" }));
    assert_eq!(ended(&mut editor), "completed", "the turn that was cut off goes on");
    editor.request("swarm/prompt", json!({ "text": "Once more.", "member": "ada" }));
    assert_eq!(ended(&mut editor), "completed");
    let history = editor.request("swarm/transcript", json!({ "member": "ada" }));
    assert!(history.to_string().contains("sleep 4711"), "{history}");
}

#[test]
fn what_was_allowed_for_its_session_holds_when_it_is_started_again() {
    let (_model, world) = ada([
        swarm_tests::script::reply([bash("touch made")]),
        done(),
        swarm_tests::script::reply([bash("touch made")]),
        done(),
    ]);
    let mut editor = world.editor(Caps::rich());
    spawn(&mut editor, "hidden");
    let request = asked(&mut editor);
    let mut rule = request["permissionSuggestions"][0].clone();
    rule["scope"] = json!("session");
    let params = json!({ "ids": [request["id"]], "decision": "allow", "remember": rule });
    editor.request("swarm/permission/resolve", params);
    assert_eq!(ended(&mut editor), "completed");
    fs::remove_file(world.path("made")).unwrap();

    kill(&process_of_ada(&world));
    editor.await_event("memberEnded");
    editor.request("swarm/teammate/restart", json!({ "member": "ada" }));
    editor.request("swarm/prompt", json!({ "text": "Again.", "member": "ada" }));
    // Asked, it would wait for ever.
    assert_eq!(ended(&mut editor), "completed");
    assert!(world.path("made").exists());
}

#[test]
fn a_server_that_is_killed_leaves_no_process() {
    let (_model, world) = ada([swarm_tests::script::reply([bash("sleep 4711")])]);
    let mut editor = editor_with(&world, &Caps::rich(), json!({ "leaderlessSeconds": 0 }));
    at_work(&world, &mut editor);
    editor.crash();
    world.none_left(Duration::from_secs(4));
}

#[test]
fn a_server_that_ends_takes_its_teammates_along() {
    let (_model, world) = ada([swarm_tests::script::reply([bash("sleep 4711")])]);
    let mut editor = world.editor(Caps::rich());
    at_work(&world, &mut editor);
    editor.close();
    world.none_left(Duration::from_secs(2));
}

/// Waits until ada, in a terminal of the editor, works on a command that takes long.
fn at_work_in_a_terminal(world: &World, editor: &mut Editor) -> u32 {
    spawn(editor, "editor-terminal");
    world.wait_for_process("sleep 4711");
    editor.process_in("terminal-1").unwrap()
}

fn in_a_terminal() -> (swarm_tests::FakeModel, World) {
    ada([swarm_tests::script::reply([bash("sleep 4711")])])
}

#[test]
fn a_terminal_that_is_closed_ends_its_teammate() {
    let (_model, world) = in_a_terminal();
    let mut editor = world.editor(Caps::with_terminals());
    let process = at_work_in_a_terminal(&world, &mut editor);
    assert!(Command::new("kill").args(["-HUP", &process.to_string()]).status().unwrap().success());
    let end = editor.await_event("memberEnded");
    assert_eq!(end["event"]["outcome"], "gone", "{end}");
    editor.await_gone("sleep 4711");
    editor.await_gone("swarm-ls teammate");
}

#[test]
fn a_server_that_is_killed_leaves_no_process_in_a_terminal() {
    let (_model, world) = in_a_terminal();
    let mut editor = editor_with(&world, &Caps::with_terminals(), json!({ "leaderlessSeconds": 0 }));
    at_work_in_a_terminal(&world, &mut editor);
    editor.crash();
    world.none_left(Duration::from_secs(4));
}

#[test]
fn a_server_that_ends_closes_its_terminals() {
    let (_model, world) = in_a_terminal();
    let mut editor = world.editor(Caps::with_terminals());
    at_work_in_a_terminal(&world, &mut editor);
    editor.close();
    world.none_left(Duration::from_secs(2));
}

#[test]
fn a_terminal_is_shown_and_hidden_and_is_in_the_team_file() {
    let (_model, world) = in_a_terminal();
    let mut editor = world.editor(Caps::with_terminals());
    at_work_in_a_terminal(&world, &mut editor);
    editor.request("swarm/teammate/hide", json!({ "member": "ada" }));
    editor.request("swarm/teammate/show", json!({ "member": "ada" }));
    let told = ["swarm/terminal/hide terminal-1", "swarm/terminal/show terminal-1"];
    assert_eq!(editor.shown(), told);
    let error = editor.try_request("swarm/teammate/show", json!({ "member": "team-lead" })).unwrap_err();
    assert!(error.message.contains("runs as `in-process`"), "{}", error.message);
    let teams = world.swarm_home().join("teams");
    let file = fs::read_dir(teams).unwrap().map(|item| item.unwrap().path());
    let file = file.into_iter().find(|path| path.extension().is_some_and(|end| end == "json")).unwrap();
    let file: Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
    assert_eq!(file["members"][1]["tmuxPaneId"], "terminal-1", "{file}");
}

#[test]
fn auto_takes_the_editors_terminals_where_there_are_some() {
    for (caps, backend) in [(Caps::with_terminals(), "editor-terminal"), (Caps::rich(), "in-process")] {
        let (_model, world) = ada([done()]);
        let mut editor = world.editor(caps);
        let params = json!({ "name": "ada", "prompt": "Go.", "backend": "auto" });
        assert_eq!(editor.request("swarm/teammate/spawn", params)["backend"], backend);
        ended(&mut editor);
    }
}

#[test]
fn the_next_server_starts_it_again_when_it_hears_from_someone() {
    let (_model, world) = ada([done(), done().expect("Hello again.")]);
    let mut first = world.editor(Caps::rich());
    spawn(&mut first, "hidden");
    ended(&mut first);
    first.await_event_where("turnEnded", |event| of(event, "team-lead"));
    first.close();
    let mut editor = world.editor(Caps::rich());
    editor.request("swarm/prompt", json!({ "text": "Hello again.", "member": "ada" }));
    assert_eq!(ended(&mut editor), "completed");
    process_of_ada(&world);
}

#[test]
fn the_key_is_in_no_argument_no_environment_and_no_file() {
    let (_model, world) = ada([swarm_tests::script::reply([bash("sleep 4711")])]);
    let mut editor = world.editor(Caps::rich());
    let process = at_work(&world, &mut editor);
    for part in ["cmdline", "environ"] {
        let bytes = fs::read(format!("/proc/{process}/{part}")).unwrap();
        assert!(!String::from_utf8_lossy(&bytes).contains("test-key"), "{part}");
    }
    let found = Command::new("grep").args(["-rlaF", "test-key"]).arg(world.swarm_home()).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&found.stdout), "");
}

#[test]
fn a_backend_that_cannot_be_had_is_refused_with_what_can() {
    let (_model, world) = ada([]);
    let mut editor = world.editor(Caps::rich());
    for (backend, help) in [
        ("iterm2", "`pip install it2`"),
        ("editor-terminal", "the extensions for VS Code and Neovim do"),
        ("screen", "there are: `auto`, `in-process`"),
    ] {
        let params = json!({ "name": "ada", "prompt": "Go.", "backend": backend });
        let error = editor.try_request("swarm/teammate/spawn", params).unwrap_err();
        assert!(error.message.contains("backend") && error.message.contains(help), "{}", error.message);
    }
    let members = editor.request("swarm/state", json!({}))["members"].take();
    assert!(!members.to_string().contains("ada@"), "{members}");
}
