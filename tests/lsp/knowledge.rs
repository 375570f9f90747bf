//! What the editor's other language servers know of the code, as agents' tools.

use serde_json::json;
use swarm_tests::script::{Script, call, reply, say};
use swarm_tests::{Caps, Editor};

use crate::{of, played, prompt};

/// The texts that the member's tools gave back, in order.
fn results(editor: &mut Editor, member: &str) -> Vec<String> {
    let page = editor.request("swarm/transcript", json!({ "member": member }));
    let entries = page["entries"].as_array().unwrap();
    let results = entries.iter().filter_map(|entry| entry["results"].as_array()).flatten();
    results.map(|result| result["content"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn what_the_editor_finds_wrong_is_told_by_severity_without_our_own_marks_and_secrets() {
    let look = call("Diagnostics", json!({}));
    let (_model, world) = played(Script::new().agent("team-lead", [reply([look]), reply([say("I see.")])]));
    world.write("a.rs", "fn main() {}\n");
    let mut editor = world.editor(Caps::rich());
    prompt(&mut editor, "What is wrong?");
    let asked = editor.await_request("swarm/editor/diagnostics");
    assert_eq!(asked.params, json!({}));
    let at = |line| json!({ "line": line, "character": 3 });
    let found = json!([
        { "uri": world.uri("b.rs"), "start": at(4), "severity": "warning", "message": "unused\nnever read" },
        { "uri": world.uri("a.rs"), "start": at(0), "severity": "error", "message": "no such thing", "source": "rustc" },
        { "uri": world.uri("a.rs"), "start": at(0), "severity": "information", "message": "ada asks", "source": "swarm" },
        { "uri": world.uri(".env"), "start": at(0), "severity": "error", "message": "TOKEN=1 is odd" },
        { "uri": "untitled:one", "start": at(0), "severity": "error", "message": "nowhere" },
    ]);
    editor.reply(&asked, json!({ "diagnostics": found }));
    editor.await_event("turnEnded");
    let told = "a.rs:1: error: no such thing [rustc]\nb.rs:5: warning: unused\n    never read\n";
    assert_eq!(results(&mut editor, "team-lead"), [told]);
}

#[test]
fn a_teammate_of_its_own_process_finds_where_a_name_is_defined_and_used() {
    let place = json!({ "path": "a.rs", "line": 2, "name": "total" });
    let spawn = call("SpawnTeammate", json!({ "name": "ada", "prompt": "Find it.", "backend": "hidden" }));
    let absent = json!({ "path": "a.rs", "line": 1, "name": "total" });
    let script = Script::new()
        .agent("team-lead", [reply([spawn]), reply([say("She looks.")]), reply([say("Fine.")])])
        .agent(
            "ada",
            [
                reply([call("Definition", place.clone())]),
                reply([call("References", place)]),
                reply([call("Definition", absent)]),
                reply([say("Found.")]),
            ],
        );
    let (_model, world) = played(script);
    world.write("a.rs", "use b::*;\nlet x = \"😀\"; total();\n");
    world.write("b.rs", "\npub fn total() {}\n");
    let mut editor = world.editor(Caps::rich());
    prompt(&mut editor, "Get ada.");
    let asked = editor.await_request("swarm/editor/definition");
    assert_eq!(asked.params, json!({ "uri": world.uri("a.rs"), "position": { "line": 1, "character": 14 } }));
    let there = json!({ "uri": world.uri("b.rs"), "start": { "line": 1, "character": 7 } });
    let far = json!({ "uri": "file:///zz/far.rs", "start": { "line": 8, "character": 0 } });
    editor.reply(&asked, json!({ "locations": [there, far, there] }));
    let asked = editor.await_request("swarm/editor/references");
    editor.fail(&asked, -32603, "the server still reads the project");
    editor.await_event_where("turnEnded", |event| of(event, "ada"));
    let told = results(&mut editor, "ada");
    assert_eq!(told[0], "b.rs:2: pub fn total() {}\n/zz/far.rs:9\n");
    assert!(told[1].contains("still reads the project"), "{told:?}");
    assert!(told[2].contains("Line 1 has no `total`"), "{told:?}");
}

#[test]
fn an_editor_that_answers_nothing_of_the_kind_gives_agents_no_such_tools() {
    let (model, world) = played(Script::new().agent("team-lead", [reply([say("Hello.")])]));
    let mut editor = world.editor(Caps::listening());
    prompt(&mut editor, "Hello?");
    editor.await_event("turnEnded");
    let asked = model.wait_for(1).pop().unwrap();
    let tools: Vec<&str> =
        asked.body["tools"].as_array().unwrap().iter().map(|t| t["name"].as_str().unwrap()).collect();
    assert!(tools.contains(&"Read") && !tools.contains(&"Definition"), "{tools:?}");
}
