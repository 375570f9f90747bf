//! What an agent's commands may do, and that they end with all they started.

use std::fs::File;
use std::io::Read as _;
use std::process::Command;

use serde_json::{Value, json};
use swarm_tests::script::{Script, call, reply, say};
use swarm_tests::{Caps, Editor, FakeModel, World};

use crate::{asked, played, prompt};

/// Sleeps and its like under a name that no other test has; one ignores signals, one leaves its group, one stops itself.
const STUBBORN: &str =
    "trap '' TERM INT HUP; sleep 4711 & setsid sleep 4711 & (sleep 4711 & kill -STOP $BASHPID) & ";

/// A leader that runs one command, which is allowed, and then says that it is done.
fn running(input: Value) -> (FakeModel, World, Editor) {
    let script = Script::new().agent("team-lead", [reply([call("Bash", input)]), reply([say("Done.")])]);
    let (model, world) = played(script);
    let editor = world.editor(Caps::rich());
    (model, world, editor)
}

fn allow(editor: &mut Editor) {
    prompt(editor, "Run it.");
    let request = asked(editor);
    editor.request("swarm/permission/resolve", json!({ "ids": [request["id"]], "decision": "allow" }));
}

/// Waits until the command has written to this pipe, which says that all of it runs.
fn await_word(pipe: &std::path::Path) {
    let mut word = String::new();
    File::open(pipe).unwrap().read_to_string(&mut word).unwrap();
    assert_eq!(word, "ready\n");
}

fn pipe(world: &World) -> std::path::PathBuf {
    let path = world.path("pipe");
    assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
    path
}

#[test]
fn a_command_that_takes_too_long_is_ended_with_all_it_started() {
    let command = format!("{STUBBORN} echo begun; sleep 4711");
    let (model, _world, mut editor) = running(json!({ "command": command, "timeout": 1 }));
    allow(&mut editor);
    let finished = editor.await_event("toolFinished");
    assert_eq!(finished["event"]["isError"], true);
    let content = finished["event"]["content"].as_str().unwrap();
    assert!(content.starts_with("begun\n") && content.contains("its time was up"), "{content}");
    editor.await_gone("sleep 4711");
    editor.await_event("turnEnded");
    assert!(model.last_message().contains("its time was up"));
}

#[test]
fn an_interrupt_ends_the_command_with_all_it_started() {
    let command = format!("{STUBBORN} echo ready > pipe; sleep 4711");
    let (_model, world, mut editor) = running(json!({ "command": command }));
    let pipe = pipe(&world);
    allow(&mut editor);
    await_word(&pipe);
    assert_eq!(editor.request("swarm/interrupt", json!({}))["interrupted"], true);
    editor.await_event_where("turnEnded", |event| event["reason"] == "interrupted");
    editor.await_gone("sleep 4711");
}

#[test]
fn a_killed_server_takes_its_commands_with_it() {
    let command = format!("{STUBBORN} echo ready > pipe; sleep 4711");
    let (_model, world, mut editor) = running(json!({ "command": command }));
    let pipe = pipe(&world);
    allow(&mut editor);
    await_word(&pipe);
    editor.kill();
}

#[test]
fn what_goes_on_in_the_background_holds_up_no_result() {
    let (_model, _world, mut editor) = running(json!({ "command": "sleep 4711 & touch made; echo begun" }));
    allow(&mut editor);
    let finished = editor.await_event("toolFinished");
    assert_eq!(finished["event"]["content"], "begun\n[exit code 0]");
    editor.await_gone("sleep 4711");
    editor.await_event("turnEnded");
}

#[test]
fn output_that_is_too_much_is_cut_and_its_whole_can_be_read() {
    let command = "touch made; for i in $(seq 20000); do echo \"line $i of a long output\"; done";
    let read = json!({ "path": "${whole}", "offset": 10000, "limit": 1 });
    let script = Script::new().agent(
        "team-lead",
        [
            reply([call("Bash", json!({ "command": command }))]),
            reply([call("Read", read)]).expect("bytes left out; Read ").capture(
                "whole",
                "; Read ",
                " for the whole",
            ),
            reply([say("Done.")]).expect("10000\tline 10000 of a long output"),
        ],
    );
    let (_model, world) = played(script);
    let mut editor = world.editor(Caps::rich());
    allow(&mut editor);
    let ended = editor.await_event("turnEnded");
    assert_eq!(ended["event"]["reason"], "completed", "{ended}");
}

#[test]
fn a_background_command_is_listed_read_and_ended() {
    let job = |input: Value| reply([call("BashJobs", input)]);
    let command = "echo begun; echo ready > pipe; sleep 4711";
    let script = Script::new().agent(
        "team-lead",
        [
            reply([call("Bash", json!({ "command": command, "background": true }))]),
            job(json!({})).expect("in the background as job 1").wait_for("it runs"),
            job(json!({ "job": 1 })).expect("1: echo begun").expect("[still running]"),
            job(json!({ "job": 1, "end": true })).expect("begun\n[still running]"),
            job(json!({ "job": 1 })).expect("begun\n[ended from outside]"),
            reply([say("Done.")]).expect("There is no background command 1."),
        ],
    );
    let (model, world) = played(script);
    let mut editor = world.editor(Caps::rich());
    let pipe = pipe(&world);
    allow(&mut editor);
    await_word(&pipe);
    model.open("it runs");
    editor.await_event("turnEnded");
    editor.await_gone("sleep 4711");
}

#[test]
fn a_background_command_ends_with_the_server() {
    let (_model, world, mut editor) = running(
        json!({ "command": format!("{STUBBORN} echo ready > pipe; sleep 4711"), "background": true }),
    );
    let pipe = pipe(&world);
    allow(&mut editor);
    await_word(&pipe);
    editor.await_event("turnEnded");
    editor.close();
}

#[test]
fn a_command_sees_neither_the_state_nor_the_key_and_writes_only_in_the_workspace() {
    let command =
        "ls -A \"$STATE\" ; env | grep -c API_KEY; echo x > inside; echo x > \"$HOME/outside\"; true";
    let script = Script::new()
        .agent("team-lead", [reply([call("Bash", json!({ "command": command }))]), reply([say("Done.")])]);
    let (_model, mut world) = played(script);
    let state = world.swarm_home().display().to_string();
    world.env("STATE", state.clone());
    let mut editor = world.editor(Caps::rich());
    allow(&mut editor);
    let finished = editor.await_event("toolFinished");
    let content = finished["event"]["content"].as_str().unwrap();
    assert!(content.contains(&format!("cannot access '{state}'")), "{content}");
    assert!(content.contains("\n0\n"), "{content}");
    assert!(content.contains("outside: "), "{content}");
    assert_eq!(world.read("inside"), "x\n");
    editor.await_event("turnEnded");
}
