//! Every question is seen: by whom, how soon, and until when; and no answer harms.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use swarm_tests::script::{ReplyPart, Script, Step, call, reply, say, wait};
use swarm_tests::{Caps, Editor, FakeModel};

use crate::{asked, execute, of, played, prompt};

/// From the model's word to the question in the editor.
const SOON: Duration = Duration::from_secs(1);

/// Ada makes these calls once the gate `ask` is open.
fn ada_wants(calls: Vec<ReplyPart>) -> [Step; 2] {
    let held = std::iter::once(wait("ask")).chain(calls);
    [reply(held), reply([say("Done.")])]
}

fn spawn(editor: &mut Editor, name: &str) {
    editor.request("swarm/teammate/spawn", json!({ "name": name, "prompt": "Go.", "callId": name }));
}

fn open(editor: &mut Editor) -> Vec<Value> {
    let listed = editor.request("swarm/permission/list", json!({}));
    listed["requests"].as_array().unwrap().clone()
}

fn reject_all(editor: &mut Editor) {
    let ids: Vec<Value> = open(editor).into_iter().map(|mut request| request["id"].take()).collect();
    editor.request("swarm/permission/resolve", json!({ "ids": ids, "decision": "reject" }));
}

/// How long it took from the model's answer to ada's question, which is checked.
fn time_to_see(editor: &mut Editor, model: &FakeModel, tool: &str, input: &Value) -> Duration {
    editor.await_event_where("memberChanged", |event| event["member"]["name"] == "ada");
    let started = Instant::now();
    model.open("ask");
    let request = asked(editor);
    let took = started.elapsed();
    assert_eq!((&request["workerName"], &request["toolName"]), (&json!("ada"), &json!(tool)));
    assert_eq!(&request["input"], input, "the whole input");
    took
}

#[test]
fn a_teammates_question_is_seen_at_once_with_its_whole_input_whatever_the_tool() {
    let text = "a line of text that goes on ⌘ \u{202e}\n".repeat(4_000);
    for (tool, input) in [
        ("Bash", json!({ "command": format!("touch made\n# {}", "x".repeat(10_000)) })),
        ("Write", json!({ "path": "new.txt", "content": text })),
        ("Read", json!({ "path": "/etc/hostname" })),
    ] {
        let script = Script::new()
            .agent("team-lead", [reply([say("I see.")]).times(3)])
            .agent("ada", ada_wants(vec![call(tool, input.clone())]));
        let (model, world) = played(script);
        let mut editor = world.editor(Caps::rich());
        spawn(&mut editor, "ada");
        let took = time_to_see(&mut editor, &model, tool, &input);
        assert!(took < SOON, "{tool}: {took:?}");
        reject_all(&mut editor);
        editor.await_event("turnEnded");
    }
}

#[test]
fn a_busy_leader_holds_up_no_question_of_a_teammate() {
    let input = json!({ "command": "touch made" });
    let script = Script::new()
        .agent("team-lead", [reply([say("Thinking"), wait("never"), say(".")])])
        .agent("ada", ada_wants(vec![call("Bash", input.clone())]));
    let (model, world) = played(script);
    let mut editor = world.editor(Caps::rich());
    prompt(&mut editor, "Think.");
    editor.await_event("text");
    spawn(&mut editor, "ada");
    let took = time_to_see(&mut editor, &model, "Bash", &input);
    assert!(took < SOON, "{took:?}");
    let request = open(&mut editor).remove(0);
    let allow = json!({ "ids": [request["id"]], "decision": "allow" });
    editor.request("swarm/permission/resolve", allow);
    editor.await_event_where("turnEnded", |event| of(event, "ada"));
    assert!(world.path("made").exists(), "and its answer waits for nobody either");
    editor.request("swarm/interrupt", json!({}));
    editor.await_event_where("turnEnded", |event| of(event, "team-lead"));
}

#[test]
fn two_questions_of_one_step_are_both_there_and_each_has_its_own_answer() {
    let touch = |name: &str| call("Bash", json!({ "command": format!("touch {name}") }));
    let script = Script::new().agent("team-lead", [reply([touch("a"), touch("b")]), reply([say("Done.")])]);
    let (_model, world) = played(script);
    let mut editor = world.editor(Caps::rich());
    prompt(&mut editor, "Go.");
    for (name, decision) in [("a", "reject"), ("b", "allow")] {
        let request = asked(&mut editor);
        assert_eq!(request["input"]["command"], format!("touch {name}"));
        editor.request("swarm/permission/resolve", json!({ "ids": [request["id"]], "decision": decision }));
    }
    editor.await_event("turnEnded");
    assert!(!world.path("a").exists() && world.path("b").exists());
}

#[test]
fn a_client_that_attaches_after_a_crash_hears_of_the_open_question_and_is_asked_anew() {
    let touch = || reply([call("Bash", json!({ "command": "touch made" }))]);
    let script = Script::new()
        .agent("team-lead", [touch(), touch().expect("ended in the middle"), reply([say("Done.")])]);
    let (_model, world) = played(script);
    let mut first = world.editor(Caps::rich());
    prompt(&mut first, "Go.");
    let lost = asked(&mut first);
    first.kill();

    let mut second = world.editor(Caps::rich());
    let told = second.await_notification("window/showMessage", |_| true);
    assert!(told["message"].as_str().unwrap().contains("touch made"), "{told}");
    // The server was away for a moment only, so the turn goes on, and asks again.
    let request = asked(&mut second);
    assert_ne!(request["id"], lost["id"]);
    assert_eq!(request["input"]["command"], "touch made");
    let late = json!({ "ids": [lost["id"]], "decision": "allow" });
    let late = second.request("swarm/permission/resolve", late);
    assert_eq!(late["results"][0]["outcome"], "alreadyResolved");
    assert_eq!(open(&mut second).len(), 1, "a late answer answers nothing else");
    assert!(!world.path("made").exists());
    second.request("swarm/permission/resolve", json!({ "ids": [request["id"]], "decision": "allow" }));
    second.await_event("turnEnded");
    assert!(world.path("made").exists());
}

#[test]
fn an_ended_turn_and_an_ended_member_take_their_questions_with_them() {
    for end in ["swarm/interrupt", "swarm/teammate/stop"] {
        let script = Script::new()
            .agent("team-lead", [reply([say("I see.")]).times(3)])
            .agent("ada", [reply([call("Bash", json!({ "command": "touch made" }))])]);
        let (_model, world) = played(script);
        let mut editor = world.editor(Caps::rich());
        spawn(&mut editor, "ada");
        let request = asked(&mut editor);
        let uri = world.uri("any.txt");
        assert!(!crate::actions(&mut editor, &uri, 0).is_empty());
        editor.request(end, json!({ "member": "ada", "force": true }));
        let taken_back = editor.await_event_where("permissionResolved", |event| event["id"] == request["id"]);
        assert_eq!(taken_back["allowed"], Value::Null, "{end}");
        assert_eq!(open(&mut editor), Vec::<Value>::new(), "{end}");
        assert!(crate::actions(&mut editor, &uri, 0).is_empty(), "{end}");
        let late = json!({ "ids": [request["id"], request["id"]], "decision": "allow" });
        let late = editor.request("swarm/permission/resolve", late);
        for result in late["results"].as_array().unwrap() {
            assert_eq!(result["outcome"], "alreadyResolved", "{end}");
        }
        editor.sync();
        assert!(!world.path("made").exists(), "{end}");
    }
}

#[test]
fn answers_that_cannot_be_are_refused_by_field_and_the_question_stays() {
    let script = Script::new()
        .agent("team-lead", [reply([call("Bash", json!({ "command": "touch made" }))]), reply([say("Ok.")])]);
    let (model, world) = played(script);
    let mut editor = world.editor(Caps::rich());
    prompt(&mut editor, "Go.");
    let id = asked(&mut editor)["id"].take();
    let remember = |rules: Value, scope: &str| json!({ "rules": rules, "behavior": "allow", "scope": scope });
    for (params, field) in [
        (json!({ "ids": id, "decision": "allow" }), "ids"),
        (json!({ "ids": [], "decision": "allow" }), "ids"),
        (json!({ "ids": [7], "decision": "allow" }), "ids"),
        (json!({ "ids": [id] }), "decision"),
        (json!({ "ids": [id], "decision": "ALLOW" }), "decision"),
        (json!({ "ids": [id], "decision": true }), "decision"),
        (json!({ "ids": [id], "decision": "allow", "updatedInput": "touch made" }), "updatedInput"),
        (json!({ "ids": [id], "decision": "allow", "updatedInput": { "command": 5 } }), "updatedInput"),
        (json!({ "ids": [id], "decision": "reject", "updatedInput": {} }), "updatedInput"),
        (json!({ "ids": [id, id], "decision": "allow", "updatedInput": {} }), "updatedInput"),
        (json!({ "ids": [id], "decision": "allow", "remember": remember(json!([]), "user") }), "remember"),
        (
            json!({ "ids": [id], "decision": "allow", "remember": remember(json!(["Bash(x"]), "user") }),
            "remember",
        ),
        (
            json!({ "ids": [id], "decision": "allow", "remember": remember(json!(["Bash"]), "world") }),
            "remember",
        ),
        (json!({ "ids": [id], "decision": "allow", "feedback": ["x"] }), "feedback"),
        (json!("allow"), ""),
    ] {
        let error = editor.try_request("swarm/permission/resolve", params.clone()).unwrap_err();
        assert_eq!(error.code, -32602, "{params}: {error:?}");
        assert!(error.message.contains(field), "{params}: {error:?}");
    }
    for stranger in ["perm-0-zzzzzz", "", "../../../team", "perm-0-zzzzzz/../x", "\u{0}", "*"] {
        let params = json!({ "ids": [stranger], "decision": "allow" });
        // No such question, or no such id at all: either way nothing is decided.
        if let Ok(answer) = editor.try_request("swarm/permission/resolve", params) {
            assert_eq!(answer["results"][0]["outcome"], "unknown", "{stranger:?}");
        }
    }
    let still = open(&mut editor);
    assert_eq!((still.len(), &still[0]["id"]), (1, &id));
    assert!(!world.path("made").exists());
    execute(&mut editor, "swarm.permission.reject", json!({ "id": id }));
    editor.await_event("turnEnded");
    assert!(model.last_message().contains("rejected"), "{}", model.last_message());
}
