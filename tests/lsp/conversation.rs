//! The conversation as a document: enough to talk with the team from an editor without an extension.

use serde_json::{Value, json};
use swarm_tests::script::{Script, call, reply, say, wait};
use swarm_tests::{Caps, Editor};

use crate::{actions, choose, execute, played, prompt, title, world};

const HEADING: &str = "## To team-lead: write below, then send\n";

/// The document as a plain editor holds it: it applies what the server asks, and reports every change.
struct Page {
    uri: String,
    text: String,
    version: i32,
}

impl Page {
    /// Executes `swarm.open`, and opens what it shows.
    fn open(editor: &mut Editor) -> Self {
        let result = execute(editor, "swarm.open", Value::Null);
        let question = editor.await_request("window/showDocument");
        editor.reply(&question, json!({ "success": true }));
        let uri = question.params["uri"].as_str().unwrap().to_owned();
        assert_eq!(result["uri"], uri);
        let path = uri.strip_prefix("file://").unwrap();
        let text = std::fs::read_to_string(path).unwrap();
        editor.open(&uri, &text);
        Self { uri, text, version: 1 }
    }

    /// The user types at the end.
    fn write(&mut self, editor: &mut Editor, text: &str) {
        self.text.push_str(text);
        self.report(editor);
    }

    fn report(&mut self, editor: &mut Editor) {
        self.version += 1;
        editor.change(&self.uri, self.version, &self.text);
    }

    /// Applies edits of the server until the text is as `is_it` accepts.
    fn until(&mut self, editor: &mut Editor, is_it: impl Fn(&str) -> bool) {
        while !is_it(&self.text) {
            let question = editor.await_request("workspace/applyEdit");
            let change = &question.params["edit"]["documentChanges"][0];
            assert_eq!(change["textDocument"]["uri"], self.uri, "{}", question.params);
            let is_stale = change["textDocument"]["version"] != self.version;
            if !is_stale {
                self.apply(change["edits"].as_array().unwrap());
                self.report(editor);
            }
            editor.reply(&question, json!({ "applied": !is_stale }));
        }
    }

    /// Edits of whole lines, from the last to the first.
    fn apply(&mut self, edits: &[Value]) {
        for edit in edits.iter().rev() {
            let offset = |at: &Value| {
                assert_eq!(at["character"], 0, "whole lines");
                let line = usize::try_from(at["line"].as_u64().unwrap()).unwrap();
                self.text.split_inclusive('\n').take(line).map(str::len).sum::<usize>()
            };
            let (start, end) = (offset(&edit["range"]["start"]), offset(&edit["range"]["end"]));
            self.text.replace_range(start..end, edit["newText"].as_str().unwrap());
        }
    }
}

#[test]
fn a_user_writes_in_the_document_and_reads_the_answer_there() {
    let write = call("Write", json!({ "path": "new.txt", "content": "a\n" }));
    let steps = [reply([say("I make it."), write]), reply([say("It is made.")]), reply([say("Gladly.")])];
    let (_model, world) = played(Script::new().agent("team-lead", steps));
    let mut editor = world.editor(Caps::plain());
    let mut page = Page::open(&mut editor);
    assert_eq!(page.text, format!("# team-lead\n\n{HEADING}\n"));
    let refused = json!({ "command": "swarm.send", "arguments": [{ "uri": page.uri }] });
    let refused = editor.try_request("workspace/executeCommand", refused).unwrap_err();
    assert!(refused.message.contains("nothing is written"), "{refused:?}");

    page.write(&mut editor, "Make new.txt.\n");
    let found = actions(&mut editor, &page.uri, 3);
    assert_eq!(title(&found[0]), "team-lead: send what is written below");
    choose(&mut editor, &found, "send what is written below");
    // What the user writes while the answer comes stays below the heading.
    page.write(&mut editor, "Then rest.\n");
    page.until(&mut editor, |text| text.contains("waits for you"));
    let asks = "- team-lead asks: Create new.txt (changes files)\n";
    assert!(page.text.contains(asks), "{}", page.text);
    assert!(page.text.ends_with(&format!("{HEADING}Then rest.\n")), "{}", page.text);
    let question = editor.await_request("window/showMessageRequest");
    editor.reply(&question, Value::Null);
    let found = actions(&mut editor, &page.uri, 0);
    choose(&mut editor, &found, "team-lead: allow: Create new.txt");
    page.until(&mut editor, |text| text.contains("It is made."));
    page.until(&mut editor, |text| !text.contains("waits for you"));
    let told = "## to team-lead\n\nMake new.txt.\n\n## team-lead\n\nI make it.\n\n- ✓ Write new.txt\n\nIt is made.\n";
    assert!(page.text.contains(told), "{}", page.text);
    assert_eq!(world.read("new.txt"), "a\n");

    // The lens above what the user wrote sends it, too.
    let lenses = editor.request("textDocument/codeLens", json!({ "textDocument": { "uri": page.uri } }));
    let line = page.text.split('\n').position(|line| format!("{line}\n") == HEADING);
    assert_eq!(lenses[0]["range"]["start"]["line"], json!(line));
    let send =
        json!({ "command": lenses[0]["command"]["command"], "arguments": lenses[0]["command"]["arguments"] });
    editor.request("workspace/executeCommand", send);
    page.until(&mut editor, |text| text.contains("Gladly."));
    assert!(page.text.ends_with(&format!("{HEADING}\n")), "{}", page.text);
    assert_eq!(page.text.matches("Then rest.").count(), 1, "{}", page.text);
}

#[test]
fn what_streams_is_seen_before_it_ends_and_a_prompt_from_elsewhere_too() {
    let waits = wait("more");
    let steps = [reply([say("So it begins."), waits, say(" And ends.")])];
    let (model, world) = played(Script::new().agent("team-lead", steps));
    let mut editor = world.editor(Caps::plain());
    let mut page = Page::open(&mut editor);
    prompt(&mut editor, "Tell me.");
    page.until(&mut editor, |text| text.contains("So it begins."));
    assert!(!page.text.contains("And ends."));
    model.open("more");
    page.until(&mut editor, |text| text.contains("And ends.\n"));
    assert_eq!(page.text.matches("So it begins.").count(), 1, "{}", page.text);
}

#[test]
fn a_draft_outlives_the_server_and_a_closed_document_is_true_when_it_is_opened() {
    let steps = [reply([say("First.")]), reply([say("Second.")])];
    let (_model, world) = played(Script::new().agent("team-lead", steps));
    let mut editor = world.editor(Caps::rich());
    let mut page = Page::open(&mut editor);
    let file = page.uri.strip_prefix("file://").unwrap().to_owned();
    editor.notify("textDocument/didClose", json!({ "textDocument": { "uri": page.uri } }));
    page.text.push_str("Half a thought");
    std::fs::write(&file, &page.text).unwrap();
    prompt(&mut editor, "Begin.");
    editor.await_event("turnEnded");
    editor.close();

    let mut editor = world.editor(Caps::rich());
    let page = Page::open(&mut editor);
    assert!(page.text.contains("Begin.") && page.text.contains("First."), "{}", page.text);
    assert!(page.text.ends_with(&format!("{HEADING}\nHalf a thought")), "{}", page.text);
    editor.notify("textDocument/didClose", json!({ "textDocument": { "uri": page.uri } }));
    // Without an open document the file is what is sent.
    execute(&mut editor, "swarm.send", Value::Null);
    editor.await_event("turnEnded");
    let left = std::fs::read_to_string(&file).unwrap();
    assert!(left.ends_with(&format!("{HEADING}\n")), "{left}");
}

#[test]
fn an_editor_that_shows_no_documents_gets_the_text() {
    let mut editor = world().editor(Caps::bare());
    let result = execute(&mut editor, "swarm.open", Value::Null);
    assert!(result["text"].as_str().unwrap().ends_with(&format!("{HEADING}\n")), "{result}");
    let params = json!({ "command": "swarm.open", "arguments": ["nobody"] });
    let error = editor.try_request("workspace/executeCommand", params).unwrap_err();
    assert!(error.message.contains("nobody") && error.message.contains("team-lead"), "{error:?}");
}

#[test]
fn another_conversation_takes_the_place_of_what_was_said() {
    let (_model, world) = played(Script::new().agent("team-lead", [reply([say("A heron.")])]));
    let mut editor = world.editor(Caps::plain());
    let mut page = Page::open(&mut editor);
    prompt(&mut editor, "Which bird?");
    page.until(&mut editor, |text| text.contains("A heron."));
    editor.until_state(|state| state["members"][0]["state"] == "idle");
    execute(&mut editor, "swarm.conversation.new", json!({}));
    page.until(&mut editor, |text| !text.contains("A heron."));
    execute(&mut editor, "swarm.conversation.open", json!("first"));
    page.until(&mut editor, |text| text.contains("A heron."));
}
