//! One behaviour, however a teammate runs: in the server's process, in a hidden one of its own, in a terminal of the
//! editor, or in a pane of tmux.

use serde_json::{Value, json};
use swarm_tests::script::{ReplyPart, Script, Step, call, reply, say, wait};
use swarm_tests::{Caps, Editor, World};

use crate::{asked, of, played};

/// Each promise, kept by every backend.
macro_rules! kept_by_all {
    ($($promise:ident)*) => {
        mod in_process {
            $(#[test] fn $promise() { super::$promise("in-process"); })*
        }
        mod hidden {
            $(#[test] fn $promise() { super::$promise("hidden"); })*
        }
        mod editor_terminal {
            $(#[test] fn $promise() { super::$promise("editor-terminal"); })*
        }
        mod tmux {
            $(#[test] fn $promise() { super::$promise("tmux"); })*
        }
    };
}

pub(crate) use kept_by_all;

kept_by_all! {
    questions_are_allowed_rejected_and_allowed_with_another_input
    it_reads_what_is_unsaved_and_changes_it_through_the_editor
    streamed_text_comes_whole_in_order_and_before_the_end_of_its_turn
    an_interrupt_ends_the_turn_and_not_the_teammate
    it_refuses_to_end_with_a_reason_and_agrees_the_next_time
    a_kill_ends_it_with_all_that_it_started
    a_change_of_mode_decides_what_waits
    an_approved_plan_sets_the_mode_before_the_teammate_goes_on
    the_model_that_is_chosen_later_holds_from_the_next_request
}

pub(crate) fn spawn(editor: &mut Editor, backend: &str) -> Value {
    let params = json!({ "name": "ada", "prompt": "Go.", "backend": backend });
    let member = editor.request("swarm/teammate/spawn", params);
    assert_eq!(member["backend"], backend, "{member}");
    member
}

pub(crate) fn bash(command: &str) -> ReplyPart {
    call("Bash", json!({ "command": command }))
}

pub(crate) fn done() -> Step {
    reply([say("Done.")])
}

/// A world in which ada is played by these steps.
pub(crate) fn ada(steps: impl IntoIterator<Item = Step>) -> (swarm_tests::FakeModel, World) {
    played(Script::new().agent("ada", steps))
}

/// Waits for the end of ada's turn; how it ended.
pub(crate) fn ended(editor: &mut Editor) -> Value {
    let mut event = editor.await_event_where("turnEnded", |event| of(event, "ada"));
    event["reason"].take()
}

pub(crate) fn resolve(editor: &mut Editor, request: &Value, decision: Value) {
    let mut params = json!({ "ids": [request["id"]] });
    params.as_object_mut().unwrap().extend(decision.as_object().unwrap().clone());
    let resolved = editor.request("swarm/permission/resolve", params);
    assert_eq!(resolved["results"][0]["outcome"], "resolved", "{resolved}");
}

fn prompt(editor: &mut Editor, text: &str) {
    editor.request("swarm/prompt", json!({ "text": text, "member": "ada" }));
}

fn questions_are_allowed_rejected_and_allowed_with_another_input(backend: &str) {
    let (_model, world) = ada([
        reply([bash("touch one")]),
        reply([bash("touch two")]).expect("exit code 0"),
        reply([bash("touch three")]).expect("The user rejected this call. They said: Not two."),
        done().expect("touch four"),
    ]);
    let mut editor = world.editor(Caps::with_terminals());
    spawn(&mut editor, backend);
    let one = asked(&mut editor);
    assert_eq!((&one["workerName"], &one["toolName"]), (&json!("ada"), &json!("Bash")), "{one}");
    assert!(!one["why"].as_str().unwrap().is_empty(), "{one}");
    resolve(&mut editor, &one, json!({ "decision": "allow" }));
    let two = asked(&mut editor);
    resolve(&mut editor, &two, json!({ "decision": "reject", "feedback": "Not two." }));
    let three = asked(&mut editor);
    let wrong = json!({ "ids": [three["id"]], "decision": "allow", "updatedInput": { "comand": "ls" } });
    assert!(editor.try_request("swarm/permission/resolve", wrong).is_err(), "an input that is none");
    let other = json!({ "command": "touch four" });
    resolve(&mut editor, &three, json!({ "decision": "allow", "updatedInput": other }));
    assert_eq!(ended(&mut editor), "completed");
    let there = ["one", "two", "three", "four"].map(|name| world.path(name).exists());
    assert_eq!(there, [true, false, false, true]);
}

fn it_reads_what_is_unsaved_and_changes_it_through_the_editor(backend: &str) {
    let edit = json!({ "path": "a.txt", "old_string": "unsaved", "new_string": "changed" });
    let (_model, world) = ada([
        reply([call("Read", json!({ "path": "a.txt" }))]),
        reply([call("Edit", edit)]).expect("unsaved"),
        done(),
    ]);
    world.write("a.txt", "on disk\n");
    let uri = world.uri("a.txt");
    let mut editor = world.editor(Caps::with_terminals());
    editor.open(&uri, "unsaved\n");
    spawn(&mut editor, backend);
    let request = asked(&mut editor);
    assert_eq!(request["change"]["before"], "unsaved\n", "{request}");
    resolve(&mut editor, &request, json!({ "decision": "allow" }));
    let apply = editor.await_request("workspace/applyEdit");
    let edits = &apply.params["edit"]["documentChanges"][0]["edits"];
    editor.change_with(&uri, 2, json!([{ "range": edits[0]["range"], "text": edits[0]["newText"] }]));
    editor.reply(&apply, json!({ "applied": true }));
    let save = editor.await_request("swarm/editor/save");
    world.write("a.txt", "changed\n");
    editor.reply(&save, json!({ "saved": true }));
    assert_eq!(ended(&mut editor), "completed");
}

/// What ada says until it ends with these words.
fn streamed(editor: &mut Editor, last: &str) -> String {
    let mut text = String::new();
    while !text.ends_with(last) {
        let event = editor.await_event_where("text", |event| of(event, "ada"));
        text.push_str(event["text"].as_str().unwrap());
    }
    text
}

fn streamed_text_comes_whole_in_order_and_before_the_end_of_its_turn(backend: &str) {
    let words: Vec<String> = (0..60).map(|number| format!("word{number} ")).collect();
    let parts = words.iter().map(|word| say(word.as_str()));
    let (model, world) = ada([reply(parts.chain([wait("rest"), say("last")]))]);
    let mut editor = world.editor(Caps::with_terminals());
    spawn(&mut editor, backend);
    assert_eq!(streamed(&mut editor, "word59 "), words.concat(), "it comes while the model still speaks");
    model.open("rest");
    assert_eq!(streamed(&mut editor, "last"), "last");
    assert_eq!(ended(&mut editor), "completed");
}

fn an_interrupt_ends_the_turn_and_not_the_teammate(backend: &str) {
    let (_model, world) = ada([reply([bash("sleep 4711")]), done().expect("Go on.")]);
    let mut editor = world.editor(Caps::with_terminals());
    spawn(&mut editor, backend);
    world.wait_for_process("sleep 4711");
    let interrupted = editor.request("swarm/interrupt", json!({ "member": "ada" }));
    assert_eq!(interrupted["interrupted"], true);
    assert_eq!(ended(&mut editor), "interrupted");
    editor.await_gone("sleep 4711");
    prompt(&mut editor, "Go on.");
    assert_eq!(ended(&mut editor), "completed");
}

fn it_refuses_to_end_with_a_reason_and_agrees_the_next_time(backend: &str) {
    let answer = |approve: bool| {
        let input = json!({ "request_id": "${id}", "approve": approve, "reason": "I am not done." });
        reply([call("ShutdownReply", input)]).capture("id", "request_id `", "`")
    };
    let (_model, world) = ada([done(), answer(false), done(), answer(true)]);
    let mut editor = world.editor(Caps::with_terminals());
    spawn(&mut editor, backend);
    ended(&mut editor);
    let stop = json!({ "member": "ada" });
    assert_eq!(editor.request("swarm/teammate/stop", stop.clone())["outcome"], "asked");
    let refused = editor.await_event("shutdownRefused");
    assert_eq!(refused["event"]["reason"], "I am not done.");
    ended(&mut editor);
    assert_eq!(editor.request("swarm/teammate/stop", stop)["outcome"], "asked");
    let end = editor.await_event("memberEnded");
    assert_eq!(end["event"]["outcome"], "completed", "{end}");
    editor.await_gone("swarm-ls teammate");
}

fn a_kill_ends_it_with_all_that_it_started(backend: &str) {
    let (_model, world) = ada([reply([bash("setsid sleep 4711 & sleep 4712")])]);
    let mut editor = world.editor(Caps::with_terminals());
    spawn(&mut editor, backend);
    world.wait_for_process("sleep 4711");
    world.wait_for_process("sleep 4712");
    let stop = json!({ "member": "ada", "force": true });
    assert_eq!(editor.request("swarm/teammate/stop", stop)["outcome"], "stopped");
    let end = editor.await_event("memberEnded");
    assert_eq!(end["event"]["outcome"], "killed", "{end}");
    editor.await_gone("sleep 471");
    editor.await_gone("swarm-ls teammate");
}

fn a_change_of_mode_decides_what_waits(backend: &str) {
    let write = call("Write", json!({ "path": "a.txt", "content": "x" }));
    let (_model, world) = ada([reply([write]), done()]);
    let mut editor = world.editor(Caps::with_terminals());
    spawn(&mut editor, backend);
    let request = asked(&mut editor);
    let modes = json!({ "modes": [{ "member": "ada", "mode": "acceptEdits" }] });
    editor.request("swarm/teammate/setModes", modes);
    let resolved = editor.await_event("permissionResolved");
    assert_eq!(resolved["event"]["id"], request["id"]);
    assert_eq!(resolved["event"]["allowed"], Value::Null, "{resolved}");
    assert_eq!(ended(&mut editor), "completed");
    assert_eq!(world.read("a.txt"), "x");
}

fn an_approved_plan_sets_the_mode_before_the_teammate_goes_on(backend: &str) {
    let (_model, world) = ada([
        reply([call("ExitPlanMode", json!({ "plan": "# Plan\n\nWrite it.\n" }))]),
        reply([call("Write", json!({ "path": "a.txt", "content": "x" }))]),
        done(),
    ]);
    let mut editor = world.editor(Caps::with_terminals());
    let params = json!({ "name": "ada", "prompt": "Go.", "backend": backend, "planModeRequired": true });
    editor.request("swarm/teammate/spawn", params);
    let plan = editor.await_event("planRequested")["event"]["plan"].take();
    let approve = json!({ "id": plan["id"], "approve": true, "mode": "acceptEdits" });
    editor.request("swarm/plan/resolve", approve);
    assert_eq!(ended(&mut editor), "completed");
    assert_eq!(world.read("a.txt"), "x", "nothing was asked");
}

fn the_model_that_is_chosen_later_holds_from_the_next_request(backend: &str) {
    let (model, world) = ada([done(), done().expect("Again.")]);
    let mut editor = world.editor(Caps::with_terminals());
    spawn(&mut editor, backend);
    ended(&mut editor);
    editor.request("swarm/member/configure", json!({ "member": "ada", "model": "another-model" }));
    prompt(&mut editor, "Again.");
    ended(&mut editor);
    let asked = model.wait_for(2);
    assert!(asked.iter().any(|request| request.body["model"] == "another-model"), "{asked:#?}");
}
