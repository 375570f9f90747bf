//! An agent's edit of an open document: asked on its lines, applied by the editor, believed when reported.

use serde_json::{Value, json};
use swarm_tests::script::{Script, call, reply, say};
use swarm_tests::{Caps, Editor, FakeModel, World};

use crate::{actions, asked, choose, execute, played, prompt, title};

const BEFORE: &str = "one\ntwo\nthree\n";
const AFTER: &str = "one\nTWO\nthree\n";

/// A leader that reads `a.txt` and changes its second line.
fn changes() -> (FakeModel, World) {
    let read = call("Read", json!({ "path": "a.txt" }));
    let edit = call("Edit", json!({ "path": "a.txt", "old_string": "two", "new_string": "TWO" }));
    let steps = [reply([read]), reply([edit]), reply([say("Done.")])];
    let (model, world) = played(Script::new().agent("team-lead", steps));
    world.write("a.txt", BEFORE);
    (model, world)
}

/// Applies the edits of a `workspace/applyEdit`, as an editor would, and reports the text.
fn apply(editor: &mut Editor, world: &World, version: i32) {
    let question = editor.await_request("workspace/applyEdit");
    let edit = &question.params["edit"];
    let edits = match &edit["documentChanges"] {
        Value::Null => &edit["changes"][world.uri("a.txt")],
        changes => &changes[0]["edits"],
    };
    assert_eq!(edits.as_array().unwrap().len(), 1, "{edits}");
    let change = json!([{ "range": edits[0]["range"], "text": edits[0]["newText"] }]);
    editor.change_with(&world.uri("a.txt"), version, change);
    editor.reply(&question, json!({ "applied": true }));
}

#[test]
fn a_pending_edit_is_marked_on_its_lines_and_decided_there() {
    let (_model, world) = changes();
    let mut editor = world.editor(Caps::rich());
    let uri = world.uri("a.txt");
    editor.open(&uri, BEFORE);
    prompt(&mut editor, "Change it.");
    let request = asked(&mut editor);
    let marks = editor.await_diagnostics(&uri, |marks| !marks.is_empty());
    assert_eq!(marks[0]["data"]["permission"], request["id"]);
    assert_eq!((&marks[0]["source"], &marks[0]["severity"]), (&json!("swarm"), &json!(3)));
    assert_eq!(marks[0]["range"]["start"]["line"], 1);

    assert!(actions(&mut editor, &uri, 0).is_empty(), "not on other lines");
    assert!(actions(&mut editor, &world.uri("b.txt"), 1).is_empty(), "not in other files");
    let found = actions(&mut editor, &uri, 1);
    assert!(found.iter().all(|action| title(action).starts_with("team-lead: ")), "{found:#?}");
    assert_eq!(found[0]["diagnostics"][0]["data"]["permission"], request["id"]);
    choose(&mut editor, &found, ": allow: ");

    apply(&mut editor, &world, 2);
    let save = editor.await_request("swarm/editor/save");
    assert_eq!(save.params["uri"], uri);
    world.write("a.txt", AFTER);
    editor.reply(&save, json!({ "saved": true }));
    editor.await_diagnostics(&uri, |marks| marks.is_empty());
    editor.await_event("turnEnded");
}

#[test]
fn the_marks_move_with_the_text_around_them() {
    let (_model, world) = changes();
    let mut editor = world.editor(Caps::rich());
    let uri = world.uri("a.txt");
    editor.open(&uri, BEFORE);
    prompt(&mut editor, "Change it.");
    let request = asked(&mut editor);
    editor.await_diagnostics(&uri, |marks| marks.len() == 1 && marks[0]["range"]["start"]["line"] == 1);
    editor.change(&uri, 2, &format!("zero\n{BEFORE}"));
    editor.await_diagnostics(&uri, |marks| marks.len() == 1 && marks[0]["range"]["start"]["line"] == 2);
    execute(&mut editor, "swarm.permission.reject", json!({ "id": request["id"] }));
    editor.await_diagnostics(&uri, |marks| marks.is_empty());
    editor.await_event("turnEnded");
}

#[test]
fn in_a_plain_editor_the_edit_stays_unsaved_and_the_model_is_told() {
    let (model, world) = changes();
    let mut editor = world.editor(Caps::listening());
    editor.open(&world.uri("a.txt"), BEFORE);
    prompt(&mut editor, "Change it.");
    let question = editor.await_request("window/showMessageRequest");
    editor.reply(&question, json!({ "title": "team-lead: allow" }));
    apply(&mut editor, &world, 2);
    editor.await_event("turnEnded");
    assert!(model.last_message().contains("not saved"), "{}", model.last_message());
    assert_eq!(world.read("a.txt"), BEFORE, "what is open is the editor's to save");
}

#[test]
fn an_edit_that_the_editor_drops_while_saying_applied_is_no_success() {
    let (model, world) = changes();
    let mut editor = world.editor(Caps::rich());
    editor.open(&world.uri("a.txt"), BEFORE);
    editor.always_reply("workspace/applyEdit", json!({ "applied": true }));
    prompt(&mut editor, "Change it.");
    let request = asked(&mut editor);
    execute(&mut editor, "swarm.permission.allow", json!({ "id": request["id"] }));
    editor.await_event("turnEnded");
    let told = model.last_message();
    assert!(told.contains("\"is_error\":true") && !told.contains("Changed a.txt"), "{told}");
}

#[test]
fn a_closed_file_is_changed_on_disk() {
    let (_model, world) = changes();
    let mut editor = world.editor(Caps::rich());
    prompt(&mut editor, "Change it.");
    let request = asked(&mut editor);
    editor.await_diagnostics(&world.uri("a.txt"), |marks| marks.len() == 1);
    execute(&mut editor, "swarm.permission.allow", json!({ "id": request["id"] }));
    editor.await_event("turnEnded");
    assert_eq!(world.read("a.txt"), AFTER);
}

#[test]
fn the_dispatch_goes_on_while_an_edit_waits_for_the_editor() {
    let (_model, world) = changes();
    let mut editor = world.editor(Caps::rich());
    let uri = world.uri("a.txt");
    editor.open(&uri, BEFORE);
    prompt(&mut editor, "Change it.");
    let request = asked(&mut editor);
    execute(&mut editor, "swarm.permission.allow", json!({ "id": request["id"] }));
    let question = editor.await_request("workspace/applyEdit");
    for version in 0..500 {
        editor.change_with(&world.uri("other.txt"), version, json!([]));
    }
    editor.sync();
    editor.reply(&question, json!({ "applied": false, "failureReason": "read-only" }));
    editor.await_event("turnEnded");
}

#[test]
fn a_client_that_takes_no_edits_leaves_the_document_alone_and_the_model_is_told() {
    let (model, world) = changes();
    let caps = Caps::bare().with("experimental", json!({ "swarm": { "events": true, "permissions": true } }));
    let mut editor = world.editor(caps);
    editor.open(&world.uri("a.txt"), BEFORE);
    prompt(&mut editor, "Change it.");
    let request = asked(&mut editor);
    execute(&mut editor, "swarm.permission.allow", json!({ "id": request["id"] }));
    editor.await_event("turnEnded");
    let told = model.last_message();
    assert!(told.contains("applyEdit") && told.contains("\"is_error\":true"), "{told}");
    assert_eq!(world.read("a.txt"), BEFORE);
}

#[test]
fn an_edit_is_placed_in_the_encoding_of_the_client() {
    for (encoding, column) in [("utf-8", 7), ("utf-16", 5), ("utf-32", 4)] {
        let read = call("Read", json!({ "path": "a.txt" }));
        let edit = call("Edit", json!({ "path": "a.txt", "old_string": "end", "new_string": "END" }));
        let steps = [reply([read]), reply([edit]), reply([say("Done.")])];
        let (_model, world) = played(Script::new().agent("team-lead", steps));
        // No line end behind the last line: the edit ends within it.
        let text = "😀end";
        world.write("a.txt", text);
        let mut editor = world.editor(Caps::rich().encodings(&[encoding]));
        let uri = world.uri("a.txt");
        editor.open(&uri, text);
        prompt(&mut editor, "Change it.");
        let request = asked(&mut editor);
        execute(&mut editor, "swarm.permission.allow", json!({ "id": request["id"] }));
        let question = editor.await_request("workspace/applyEdit");
        let range = &question.params["edit"]["documentChanges"][0]["edits"][0]["range"];
        assert_eq!(range["end"], json!({ "line": 0, "character": column }), "{encoding}");
        editor.change(&uri, 2, "😀END");
        editor.reply(&question, json!({ "applied": true }));
        let save = editor.await_request("swarm/editor/save");
        editor.reply(&save, json!({ "saved": false }));
        editor.await_event("turnEnded");
    }
}
