//! `--trace-out`: a file of spans that nest, a track a member, whole enough whenever the server goes.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use swarm_script::{Script, call, reply, say, status, wait};
use swarm_tests::{Caps, FakeModel, World};

#[derive(Debug)]
struct Span {
    who: String,
    name: String,
    from: u64,
    /// None while it is open.
    to: Option<u64>,
    args: Value,
}

impl Span {
    fn has(&self, other: &Span) -> bool {
        self.who == other.who && self.from <= other.from && self.end() >= other.end()
    }

    fn end(&self) -> u64 {
        self.to.unwrap_or(u64::MAX)
    }
}

/// The events of a file, which may lack its end as the format permits.
fn events(path: &Path) -> Vec<Value> {
    let mut text = std::fs::read_to_string(path).unwrap();
    if !text.ends_with("\n]\n") {
        text.push(']');
    }
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn who(events: &[Value], of: &Value) -> String {
    let is_it = |event: &&Value| event["name"] == "thread_name" && event["tid"] == of["tid"];
    events.iter().find(is_it).unwrap()["args"]["name"].as_str().unwrap().to_owned()
}

/// All spans; fails where two of one track overlap without one being in the other.
fn spans(events: &[Value]) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    for event in events {
        let text = |name: &str| event[name].as_str().unwrap_or_default().to_owned();
        let ts = || event["ts"].as_u64().unwrap();
        let who = || who(events, event);
        match event["ph"].as_str().unwrap() {
            "B" => spans.push(Span {
                who: who(),
                name: text("name"),
                from: ts(),
                to: None,
                args: event["args"].clone(),
            }),
            "E" => {
                let is_open = |span: &&mut Span| span.who == who() && span.to.is_none();
                let open = spans.iter_mut().rev().find(is_open).unwrap();
                open.to = Some(ts());
                let args = event["args"].as_object().unwrap();
                open.args.as_object_mut().unwrap().extend(args.clone());
            }
            "X" => spans.push(Span {
                who: who(),
                name: text("name"),
                from: ts(),
                to: Some(ts() + event["dur"].as_u64().unwrap()),
                args: event["args"].clone(),
            }),
            _ => {}
        }
    }
    for (at, one) in spans.iter().enumerate() {
        for other in spans[at + 1..].iter().filter(|other| other.who == one.who) {
            let apart = one.end() <= other.from || other.end() <= one.from;
            assert!(apart || one.has(other) || other.has(one), "{one:?} and {other:?}");
        }
    }
    spans
}

#[test]
fn the_demo_has_a_track_a_member_with_turns_requests_calls_and_waits() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace.json");
    let done = Command::new(env!("CARGO_BIN_EXE_swarm-ls"))
        .args(["demo", "--yes", "--trace-out", path.to_str().unwrap()])
        .env("TMPDIR", folder.path())
        .env("HOME", folder.path())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(done.status.success(), "{done:?}");
    let events = events(&path);
    let spans = spans(&events);
    assert!(spans.iter().all(|span| span.to.is_some()), "{spans:#?}");
    assert!(std::fs::read_to_string(&path).unwrap().ends_with("\n]\n"));
    // Files that are read at once have lines of their own.
    let name_of = |span: &Span| span.who.trim_end_matches(", beside").to_owned();
    let mut named: Vec<String> = spans.iter().map(name_of).collect();
    named.sort_unstable();
    named.dedup();
    assert_eq!(named, ["ada", "ben", "cleo", "team-lead"]);
    for name in named {
        let turn = spans.iter().find(|span| span.who == name && span.name == "turn").unwrap();
        assert_eq!(turn.args["end"], "completed");
        let request = spans.iter().find(|span| span.name == "model request" && turn.has(span)).unwrap();
        let count = |what: &str| request.args[what].as_u64().unwrap();
        assert!(count("input") > 0 && count("output") > 0 && count("attempts") == 1, "{request:?}");
    }
    let calls: Vec<&Span> = spans.iter().filter(|span| !span.args["failed"].is_null()).collect();
    let waits: Vec<&Span> = spans.iter().filter(|span| span.name == "waits for a person").collect();
    assert_eq!(waits.len(), 4, "{waits:?}");
    for wait in waits {
        assert_eq!(wait.args["allowed"], true);
        let call = calls.iter().find(|call| call.has(wait)).unwrap();
        assert!(["Edit", "Write", "Bash"].contains(&call.name.as_str()), "{call:?}");
    }
    // What a call is about is nobody's business who is only sent the file.
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(!text.contains(".sh") && !text.contains("README"), "{text}");
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_killed_servers_file_tells_of_attempts_mail_a_summary_and_a_teammate_in_its_own_process() {
    let send = call("SendMessage", json!({ "to": "team-lead", "text": "The word is heron." }));
    let script = Script::new().agent("ada", [status(529), reply([send]), reply([say("Done.")])]).agent(
        "team-lead",
        [
            reply([say("Hi.")]),
            reply([say("We met.")]),
            reply([say("Yes.")]),
            reply([say("Thanks.")]).expect("heron"),
            reply([say("I think"), wait("for ever")]),
        ],
    );
    let model = FakeModel::start(script);
    model.expect_breaks(1);
    let mut world = World::new(env!("CARGO_BIN_EXE_swarm-ls"));
    world.model(&model);
    let path = world.path("trace.json");
    let mut editor = world.unshaken_with(&["--trace-out", path.to_str().unwrap()]);
    editor.initialize(&Caps::rich(), Some(world.workspace()));
    let turn = |editor: &mut swarm_tests::Editor, text: &str| {
        editor.request("swarm/prompt", json!({ "text": text }));
        editor.await_event("turnEnded");
    };
    turn(&mut editor, "Hello.");
    editor.request("swarm/conversation/compact", json!({}));
    turn(&mut editor, "Again.");
    let spawn = json!({ "name": "ada", "prompt": "Write to me.", "backend": "hidden" });
    editor.request("swarm/teammate/spawn", spawn);
    let of = |name: &'static str| {
        move |event: &Value| event["member"].as_str().unwrap().split('@').next() == Some(name)
    };
    editor.await_event_where("turnEnded", of("team-lead"));
    editor.await_event_where("turnEnded", of("ada"));
    editor.request("swarm/teammate/stop", json!({ "member": "ada", "force": true }));
    editor.await_event("memberEnded");
    editor.request("swarm/prompt", json!({ "text": "Think." }));
    // It is written beside what clients are sent.
    let turns = || spans(&events(&path)).iter().filter(|span| span.name == "turn").count();
    editor.until_state(|_| turns() == 5);
    editor.kill();

    let events = events(&path);
    let spans = spans(&events);
    let of = |who: &str, name: &str| -> Vec<&Span> {
        spans.iter().filter(|span| span.who == who && span.name == name).collect()
    };
    let turns = of("team-lead", "turn");
    assert_eq!(turns.len(), 4);
    assert_eq!(turns[3].to, None, "the last runs still");
    let compaction = of("team-lead", "compaction");
    assert!(turns[1].has(compaction[0]) && compaction[0].args["before"].is_u64(), "{compaction:?}");
    assert_eq!(of("ada", "model request")[0].args["attempts"], 2);
    let sent = of("ada", "SendMessage");
    let arrow = |ph: &str| events.iter().find(|event| event["ph"] == ph).unwrap();
    let (from, to) = (arrow("s"), arrow("f"));
    assert_eq!(from["id"], to["id"]);
    assert_eq!((who(&events, from), who(&events, to)), ("ada".to_owned(), "team-lead".to_owned()));
    let at = |event: &Value| event["ts"].as_u64().unwrap();
    assert!((sent[0].from..=sent[0].end()).contains(&at(from)), "{from} {sent:?}");
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(!text.contains("heron"), "{text}");
}

#[test]
fn a_file_that_cannot_be_written_is_named_and_nothing_is_begun() {
    let world = World::new(env!("CARGO_BIN_EXE_swarm-ls"));
    let path = world.path("none/trace.json");
    for arguments in [&["--trace-out"][..], &["run", "Hello.", "--trace-out"]] {
        let mut command = world.command(arguments);
        let done = command.arg(&path).stdin(Stdio::null()).output().unwrap();
        let said = String::from_utf8(done.stderr).unwrap();
        assert!(said.contains(path.to_str().unwrap()), "{said}");
        assert_eq!(done.status.code(), Some(1));
    }
}
