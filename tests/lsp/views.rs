//! Documents that show: the diff, what waits, the state of the team.

use serde_json::{Value, json};
use swarm_tests::script::{Script, call, reply, say};
use swarm_tests::{Caps, Editor};

use crate::{actions, asked, choose, execute, played, prompt, world};

/// Executes a command and gives the text of the document that it opens.
fn shown(editor: &mut Editor, command: &str, argument: Value) -> String {
    let result = execute(editor, command, argument);
    let question = editor.await_request("window/showDocument");
    editor.reply(&question, json!({ "success": true }));
    assert_eq!(question.params["uri"], result["uri"]);
    let path = result["uri"].as_str().unwrap().strip_prefix("file://").unwrap().to_owned();
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn the_diff_of_a_pending_write_is_shown() {
    let write = call("Write", json!({ "path": "new.txt", "content": "a\nb\n" }));
    let (_model, world) = played(Script::new().agent("team-lead", [reply([write]), reply([say("Done.")])]));
    let mut editor = world.editor(Caps::rich());
    prompt(&mut editor, "Write it.");
    let request = asked(&mut editor);
    let diff = shown(&mut editor, "swarm.diff", json!({ "id": request["id"] }));
    assert!(diff.starts_with("--- /dev/null\n+++ ") && diff.ends_with("+a\n+b\n"), "{diff}");
    let pending = shown(&mut editor, "swarm.pending", Value::Null);
    assert!(pending.contains("team-lead") && pending.contains("    +b"), "{pending}");
    let status = shown(&mut editor, "swarm.status", Value::Null);
    assert!(status.contains("| team-lead | waiting |"), "{status}");
    // There is no such file to open yet, so that it is decided from any other.
    let found = actions(&mut editor, &world.uri("other.txt"), 7);
    choose(&mut editor, &found, ": allow: Create new.txt");
    editor.await_event("turnEnded");
    assert_eq!(world.read("new.txt"), "a\nb\n");
}

#[test]
fn a_decision_about_nothing_says_so() {
    let mut editor = world().editor(Caps::plain());
    let params = json!({ "command": "swarm.diff", "arguments": ["perm-0-zzzzzz"] });
    let error = editor.try_request("workspace/executeCommand", params).unwrap_err();
    assert_eq!(error.code, -32803);
    assert!(error.message.contains("perm-0-zzzzzz"), "{error:?}");
}

#[test]
fn without_documents_the_text_is_the_result() {
    let mut editor = world().editor(Caps::bare());
    let status = execute(&mut editor, "swarm.status", Value::Null);
    assert!(status["text"].as_str().unwrap().contains("Nobody works yet"), "{status}");
}
