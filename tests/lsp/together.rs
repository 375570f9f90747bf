//! Two editors on one team: both show it and decide, and the second leads when the first is gone.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};
use swarm_tests::script::{Script, Step, call, reply, say};
use swarm_tests::{Caps, Editor, FakeModel, World};

use crate::backends::{ada, bash, done, ended, resolve, spawn};
use crate::{asked, played, prompt};

fn lead(steps: impl IntoIterator<Item = Step>) -> (FakeModel, World) {
    played(Script::new().agent("team-lead", steps))
}

/// Two editors, of which the first leads.
fn two(world: &World) -> (Editor, Editor) {
    let mut first = world.editor(Caps::rich());
    prompt(&mut first, "Hello.");
    first.await_event("turnEnded");
    let second = world.editor(Caps::rich());
    (first, second)
}

fn warned(editor: &mut Editor, words: &str) {
    editor.await_notification("window/showMessage", |params| {
        params["message"].as_str().is_some_and(|message| message.contains(words))
    });
}

/// The state but for what belongs to the connection.
fn shown(editor: &mut Editor) -> Value {
    without_seq(editor.request("swarm/state", json!({})))
}

fn without_seq(mut state: Value) -> Value {
    state.as_object_mut().unwrap().remove("seq");
    state
}

/// Waits until one editor shows what the other does, of a team at rest.
fn same(one: &mut Editor, other: &mut Editor) {
    other.until_state(|state| state["members"][0]["state"] == "idle");
    let shown = shown(other);
    one.until_state(|state| without_seq(state.clone()) == shown);
}

#[test]
fn a_second_editor_knows_the_team_before_its_first_answer_and_says_who_leads() {
    let (_model, world) = lead([reply([say("Hello.")])]);
    let (mut first, mut second) = two(&world);
    warned(&mut second, "that another editor leads");
    same(&mut second, &mut first);
    assert_eq!(shown(&mut second)["members"].as_array().map(Vec::len), Some(1));
    second.leave();
    first.close();
}

#[test]
fn what_the_first_user_is_asked_the_second_may_decide_and_each_sees_it() {
    let (_model, world) = lead([
        reply([say("Hello.")]),
        reply([bash("touch one")]),
        reply([bash("touch two")]).expect("exit code 0"),
        done().expect("not this"),
    ]);
    let (mut first, mut second) = two(&world);
    prompt(&mut first, "Run it.");
    let question = asked(&mut second);
    resolve(&mut second, &question, json!({ "decision": "allow" }));
    first.await_event_where("permissionResolved", |event| event["id"] == question["id"]);
    let question = asked(&mut second);
    resolve(&mut first, &question, json!({ "decision": "reject", "feedback": "not this" }));
    let late = json!({ "ids": [question["id"]], "decision": "allow" });
    second.await_event_where("permissionResolved", |event| event["id"] == question["id"]);
    let late = second.request("swarm/permission/resolve", late);
    assert_eq!(late["results"][0]["outcome"], "alreadyResolved", "{late}");
    second.await_event("turnEnded");
    assert!(world.path("one").exists() && !world.path("two").exists());
    same(&mut second, &mut first);
    second.leave();
    first.close();
}

#[test]
fn the_second_user_prompts_writes_spawns_and_reads_through_the_first() {
    let (_model, world) = played(
        Script::new()
            .agent("team-lead", [reply([say("Hello.")]), reply([say("You too.")])])
            .agent("ada", [done()]),
    );
    let (mut first, mut second) = two(&world);
    let turn = prompt(&mut second, "And me?");
    second.await_event_where("turnEnded", |event| event["turnId"] == turn);
    spawn(&mut second, "in-process");
    assert_eq!(ended(&mut first), "completed");
    let read = second.request("swarm/transcript", json!({ "member": "ada" }));
    assert_eq!(read, first.request("swarm/transcript", json!({ "member": "ada" })));
    let wrong = second.try_request("swarm/prompt", json!({ "text": " " })).unwrap_err();
    assert_eq!((wrong.code, wrong.data["which"].as_str()), (-32602, Some("text")));
    let nobody = second.try_request("swarm/prompt", json!({ "text": "x", "member": "bob" })).unwrap_err();
    assert!(nobody.message.contains("ada"), "{}", nobody.message);
    second.leave();
    first.close();
}

#[test]
fn who_opened_the_project_before_there_was_a_team_joins_the_one_that_the_other_makes() {
    let (_model, world) = lead([reply([say("Hello.")]), reply([say("You too.")])]);
    let mut second = world.editor(Caps::rich());
    let mut first = world.editor(Caps::rich());
    prompt(&mut first, "Hello.");
    // Without a word of its user.
    second.await_event("teamChanged");
    let turn = prompt(&mut second, "And me?");
    first.await_event_where("turnEnded", |event| event["turnId"] == turn);
    second.leave();
    first.close();
}

#[test]
fn a_prompt_right_after_the_other_made_the_team_goes_to_it() {
    let (_model, world) = lead([reply([say("Hello.")]), reply([say("You too.")])]);
    let mut second = world.editor(Caps::rich());
    let mut first = world.editor(Caps::rich());
    let one = prompt(&mut first, "Hello.");
    let two = prompt(&mut second, "And me?");
    for turn in [one, two] {
        first.await_event_where("turnEnded", |event| event["turnId"] == turn);
    }
    second.leave();
    first.close();
}

#[test]
fn the_second_leads_when_the_first_is_closed_and_the_third_follows_it() {
    let (model, world) = lead([reply([say("Hello.")]), reply([say("Still here.")]), reply([say("And I.")])]);
    let (mut first, mut second) = two(&world);
    let mut third = world.editor(Caps::rich());
    first.leave();
    for editor in [&mut second, &mut third] {
        let turn = prompt(editor, "Still there?");
        editor.await_event_where("turnEnded", |event| event["turnId"] == turn);
    }
    assert!(model.requests().last().unwrap().body.to_string().contains("Hello."), "its history is there");
    same(&mut second, &mut third);
    third.leave();
    // Whoever of the two led: the other goes on.
    let turn = prompt(&mut second, "Alone?");
    second.await_event_where("turnEnded", |event| event["turnId"] == turn);
    second.close();
}

#[test]
fn the_second_leads_when_the_first_is_killed_in_a_turn_and_nothing_runs_twice() {
    let (_model, world) = lead([
        reply([say("Hello.")]),
        reply([bash("echo once >> ran; exec sleep 4711")]),
        reply([say("I was cut off.")]),
    ]);
    let (mut first, mut second) = two(&world);
    prompt(&mut first, "Run it.");
    let question = asked(&mut second);
    resolve(&mut second, &question, json!({ "decision": "allow" }));
    world.wait_for_process("sleep 4711");
    first.crash();
    warned(&mut second, "this one leads now");
    second.await_gone("sleep 4711");
    let turn = prompt(&mut second, "What came of it?");
    second.await_event_where("turnEnded", |event| event["turnId"] == turn);
    assert_eq!(world.read("ran"), "once\n");
    second.close();
    world.none_left(Duration::from_secs(2));
}

#[test]
fn a_process_teammate_goes_on_under_the_second_editor_with_its_question() {
    let (_model, world) = ada([reply([bash("touch made")]), done().expect("exit code 0")]);
    let mut first = world.editor(Caps::rich());
    spawn(&mut first, "hidden");
    let question = asked(&mut first);
    let process = world.running("swarm-ls teammate");
    let mut second = world.editor(Caps::rich());
    first.crash();
    warned(&mut second, "this one leads now");
    second.until_state(|state| state["permissions"][0]["id"] == question["id"]);
    assert_eq!(world.running("swarm-ls teammate"), process, "it is the same process");
    resolve(&mut second, &question, json!({ "decision": "allow" }));
    assert_eq!(ended(&mut second), "completed");
    assert!(world.path("made").exists());
    second.close();
    world.none_left(Duration::from_secs(2));
}

#[test]
fn what_the_second_editor_has_open_and_unsaved_is_read_and_changed_there() {
    let edit = json!({ "path": "a.txt", "old_string": "unsaved", "new_string": "changed" });
    let (_model, world) = lead([
        reply([say("Hello.")]),
        reply([call("Read", json!({ "path": "a.txt" }))]),
        reply([call("Edit", edit)]).expect("unsaved"),
        done(),
    ]);
    world.write("a.txt", "on disk\n");
    let uri = world.uri("a.txt");
    let (mut first, mut second) = two(&world);
    second.open(&uri, "unsaved\n");
    second.sync();
    prompt(&mut first, "Mend it.");
    let question = asked(&mut first);
    assert_eq!(question["change"]["before"], "unsaved\n", "{question}");
    resolve(&mut first, &question, json!({ "decision": "allow" }));
    let apply = second.await_request("workspace/applyEdit");
    let edits = &apply.params["edit"]["documentChanges"][0]["edits"];
    second.change_with(&uri, 2, json!([{ "range": edits[0]["range"], "text": edits[0]["newText"] }]));
    second.reply(&apply, json!({ "applied": true }));
    let save = second.await_request("swarm/editor/save");
    world.write("a.txt", "changed\n");
    second.reply(&save, json!({ "saved": true }));
    second.await_event("turnEnded");
    second.leave();
    first.close();
}

#[test]
fn a_second_server_that_hangs_holds_nobody_up_and_heals() {
    let read = || reply([call("Read", json!({ "path": "a.txt" }))]);
    let (_model, world) =
        lead([reply([say("Hello.")]), read(), read().expect("words"), done().expect("words")]);
    world.write("a.txt", "words\n");
    let (mut first, mut second) = two(&world);
    signal("-STOP", &second);
    let turn = prompt(&mut first, "Read it twice.");
    first.await_event_where("turnEnded", |event| event["turnId"] == turn);
    signal("-CONT", &second);
    second.await_event_where("turnEnded", |event| event["turnId"] == turn);
    same(&mut second, &mut first);
    second.leave();
    first.close();
}

#[test]
fn a_leader_that_hangs_is_told_of_and_what_was_wanted_of_it_is_done_once_it_goes_on() {
    let (_model, world) = lead([reply([say("Hello.")]), reply([say("Awake.")])]);
    let (first, mut second) = two(&world);
    signal("-STOP", &first);
    let asked = second.send_request("swarm/prompt", json!({ "text": "Awake?" }));
    warned(&mut second, "does not answer");
    signal("-CONT", &first);
    let turn = second.answer_to(asked).unwrap()["turnId"].take();
    second.await_event_where("turnEnded", |event| event["turnId"] == turn);
    second.leave();
    first.close();
}

fn signal(signal: &str, editor: &Editor) {
    let sent = Command::new("kill").args([signal, &editor.pid().to_string()]).status();
    assert!(sent.unwrap().success());
}

#[test]
fn nobody_comes_in_without_the_token() {
    let (_model, world) = lead([reply([say("Hello.")])]);
    let (first, mut second) = two(&world);
    let teams = world.swarm_home().join("teams");
    let socket = std::fs::read_dir(teams).unwrap().filter_map(|team| {
        let socket = team.ok()?.path().join("leader.sock");
        socket.exists().then_some(socket)
    });
    let socket = socket.collect::<Vec<_>>().remove(0);
    for hello in ["{\"version\":1,\"token\":\"\"}", "{\"version\":2,\"token\":\"\"}", "GET / HTTP/1.1", ""] {
        let mut stream = UnixStream::connect(&socket).unwrap();
        writeln!(stream, "{hello}").unwrap();
        let mut answer = String::new();
        BufReader::new(stream).read_line(&mut answer).unwrap();
        let answer: Value = serde_json::from_str(&answer).unwrap_or(json!({ "kind": "refused" }));
        assert_eq!(answer["kind"], "refused", "{hello}: {answer}");
    }
    second.leave();
    first.close();
    assert!(!socket.exists());
}
