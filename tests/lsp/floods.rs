//! A whole team that streams at once: to a client that reads everything, and to one that reads nothing for a while.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use swarm_tests::script::{Script, WhenDone, call, reply, say};
use swarm_tests::{Caps, Editor, FakeModel, WAIT, World};

use crate::again::editor_with;
use crate::played;

const MEMBERS: usize = 20;
/// What each says: pages, which come in pieces of some thirty bytes.
const PAGES: usize = 10;
/// The most that the server may grow while all of them speak, in KiB; what they say is held once for each history.
const GROWTH_MAX: u64 = 32 << 10;

/// The most events of text that wait for a client, where each member's wait as one for as long as it holds 64 KiB.
const EVENTS_MAX: usize = 1_000;

/// A page of a member's own, as long for each.
fn page(number: usize) -> String {
    format!("{:02} herons. ", number).repeat(180)
}

fn flooded() -> (FakeModel, World) {
    let mut script = Script::new();
    for number in 0..MEMBERS {
        let pages = (0..PAGES).map(|_| say(page(number)));
        let list = [call("TaskList", json!({}))];
        let steps = [
            reply(pages.chain(list)).wait_for("begin"),
            reply([say("That is all.")]).wait_for("end"),
            reply([say("Well.")]),
        ];
        script = script.agent(format!("m{number}"), steps);
    }
    played(script.when_done(WhenDone::Say("Fine.".into())))
}

/// A team in which everybody waits for the first byte of an answer.
fn waiting_team(model: &FakeModel, world: &World) -> Editor {
    let settings = json!({ "maxMembers": MEMBERS + 1, "contextWindow": 10_000_000 });
    let mut editor = editor_with(world, &Caps::rich(), settings);
    for number in 0..MEMBERS {
        let name = format!("m{number}");
        let spawn = json!({ "name": name, "prompt": "Speak.", "callId": name });
        editor.request("swarm/teammate/spawn", spawn);
    }
    model.wait_at("begin", MEMBERS);
    editor
}

/// The most memory that a process had so far, and what it has now, in KiB.
fn memory(editor: &Editor) -> (u64, u64) {
    let status = std::fs::read_to_string(format!("/proc/{}/status", editor.pid())).unwrap();
    let figure = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        line.trim().trim_end_matches(" kB").parse().unwrap()
    };
    (figure("VmHWM:"), figure("VmRSS:"))
}

/// Lets everybody speak; how far the server grew meanwhile, in KiB.
fn speak(model: &FakeModel, editor: &Editor) -> u64 {
    let (_, before) = memory(editor);
    model.open("begin");
    model.wait_at("end", MEMBERS);
    memory(editor).0.saturating_sub(before)
}

/// What was said to the client since it was last asked, in events of text.
fn texts(editor: &mut Editor) -> Vec<Value> {
    let events =
        editor.take_notifications("swarm/event").into_iter().map(|mut params| params["event"].take());
    events.filter(|event| event["kind"] == "text").collect()
}

fn is_of(event: &Value, number: usize) -> bool {
    event["member"].as_str().unwrap().starts_with(&format!("m{number}@"))
}

/// Ends what everybody does, puts a prompt to one, and waits for the answer's first word.
fn answers_in_time(model: &FakeModel, editor: &mut Editor) {
    model.open("end");
    let started = Instant::now();
    editor.await_event_where("turnEnded", |event| is_of(event, 0));
    editor.request("swarm/prompt", json!({ "text": "Are you there?", "member": "m0" }));
    let answers = |event: &Value| is_of(event, 0) && event["text"].as_str().unwrap().starts_with("Wel");
    editor.await_event_where("text", answers);
    assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
}

#[test]
fn a_client_that_reads_gets_every_word_and_the_server_does_not_grow() {
    let (model, world) = flooded();
    let mut editor = waiting_team(&model, &world);
    let grown = speak(&model, &editor);
    assert!(grown < GROWTH_MAX, "it grew by {grown} KiB");
    let mut heard = vec![String::new(); MEMBERS];
    let deadline = Instant::now() + WAIT;
    // The last words are still on their way when the model has said them.
    while !(0..MEMBERS).all(|number| heard[number] == page(number).repeat(PAGES)) {
        assert!(Instant::now() < deadline, "{heard:?}");
        editor.sync();
        for event in texts(&mut editor) {
            let number = (0..MEMBERS).find(|number| is_of(&event, *number)).unwrap();
            heard[number].push_str(event["text"].as_str().unwrap());
        }
    }
    answers_in_time(&model, &mut editor);
}

#[test]
fn a_client_that_reads_nothing_for_a_while_gets_the_last_of_it_in_few_events_and_the_next_answer_in_time() {
    let (model, world) = flooded();
    let mut editor = waiting_team(&model, &world);
    editor.take_notifications("swarm/event");
    editor.without_reading(|editor| {
        let grown = speak(&model, editor);
        assert!(grown < GROWTH_MAX, "it grew by {grown} KiB");
    });
    editor.sync();
    let texts = texts(&mut editor);
    // Of more than ten thousand pieces.
    assert!(texts.len() < EVENTS_MAX, "{} events", texts.len());
    answers_in_time(&model, &mut editor);
}
