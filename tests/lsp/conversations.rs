//! Several conversations of a member: begun, listed, opened, named, let go, and summarised when the user wants it.

use serde_json::{Value, json};
use swarm_tests::script::{Script, Step, reply, say, wait};
use swarm_tests::{Caps, Editor, FakeModel, World};

use crate::backends::{ended, spawn};
use crate::{execute, of, played, prompt};

/// Each promise, kept by members of both kinds.
macro_rules! kept_by_both {
    ($($promise:ident)*) => {
        mod in_process {
            $(#[test] fn $promise() { super::$promise("in-process"); })*
        }
        mod hidden {
            $(#[test] fn $promise() { super::$promise("hidden"); })*
        }
    };
}

kept_by_both! {
    a_new_conversation_knows_nothing_of_the_old_one_which_opens_again_whole
    a_member_that_works_stays_in_its_conversation
    a_history_is_summarised_at_the_users_word
}

/// A member that has answered its first prompt, played by these steps.
fn at_rest(backend: &str, steps: impl IntoIterator<Item = Step>) -> (FakeModel, World, Editor) {
    let first = reply([say("A heron.")]).expect("Go.");
    let script = Script::new().agent("ada", std::iter::once(first).chain(steps));
    let (model, world) = played(script.agent("team-lead", [reply([say("Noted.")]).times(20)]));
    let mut editor = world.editor(Caps::rich());
    spawn(&mut editor, backend);
    assert_eq!(ended(&mut editor), "completed");
    editor.until_state(|state| state["members"][1]["state"] == "idle");
    (model, world, editor)
}

fn ada(editor: &mut Editor, what: &str, params: Value) -> Value {
    let mut all = json!({ "member": "ada" });
    all.as_object_mut().unwrap().extend(params.as_object().unwrap().clone());
    editor.request(&format!("swarm/conversation/{what}"), all)
}

fn write(editor: &mut Editor, text: &str) {
    editor.request("swarm/prompt", json!({ "text": text, "member": "ada" }));
    assert_eq!(ended(editor), "completed");
    editor.until_state(|state| state["members"][1]["state"] == "idle");
}

/// The texts of the messages of the model's last request.
fn last_request(model: &FakeModel, count: usize) -> String {
    model.wait_for(count).pop().unwrap().body["messages"].to_string()
}

fn requests_of_ada(model: &FakeModel) -> Vec<String> {
    let all = model.wait_for(0);
    all.into_iter()
        .filter(|request| request.agent.starts_with("ada"))
        .map(|request| request.body["messages"].to_string())
        .collect()
}

fn titles(list: &Value) -> Vec<(&str, bool)> {
    let rows = list["conversations"].as_array().unwrap().iter();
    rows.map(|row| (row["title"].as_str().unwrap_or("-"), row["current"] == true)).collect()
}

fn a_new_conversation_knows_nothing_of_the_old_one_which_opens_again_whole(backend: &str) {
    let (model, _world, mut editor) =
        at_rest(backend, [reply([say("Nothing.")]), reply([say("The heron.")])]);
    model.expect_breaks(2);
    let first = ada(&mut editor, "list", json!({}))["conversations"][0].clone();
    assert_eq!((&first["title"], &first["current"]), (&json!("Go."), &json!(true)), "{first}");
    assert!(first["entries"].as_u64() >= Some(2) && first["tokens"].as_u64() > Some(0), "{first}");

    let new = ada(&mut editor, "new", json!({}));
    let changed = editor.await_event_where("conversationChanged", |event| of(event, "ada"));
    assert_eq!((&changed["id"], &changed["title"]), (&new["id"], &Value::Null));
    let transcript = editor.request("swarm/transcript", json!({ "member": "ada" }));
    assert_eq!(transcript["entries"], json!([]));
    let again = ada(&mut editor, "new", json!({}));
    assert_eq!(again["id"], new["id"], "an empty conversation is new enough");

    write(&mut editor, "What do you know?");
    let request = requests_of_ada(&model).pop().unwrap();
    assert!(request.contains("What do you know?") && !request.contains("A heron."), "{request}");
    let list = ada(&mut editor, "list", json!({}));
    assert_eq!(titles(&list), [("What do you know?", true), ("Go.", false)]);
    assert!(list["contextWindow"].as_u64() > Some(0), "{list}");

    ada(&mut editor, "rename", json!({ "id": first["id"], "title": "Birds" }));
    let open = ada(&mut editor, "open", json!({ "id": first["id"] }));
    assert_eq!((&open["title"], &open["current"]), (&json!("Birds"), &json!(true)), "{open}");
    write(&mut editor, "Which bird?");
    let request = requests_of_ada(&model).pop().unwrap();
    assert!(request.contains("A heron.") && !request.contains("What do you know?"), "{request}");
    let list = ada(&mut editor, "list", json!({}));
    assert_eq!(titles(&list), [("Birds", true), ("What do you know?", false)]);
    let unknown = json!({ "member": "ada", "id": "../../team" });
    let refused = editor.try_request("swarm/conversation/open", unknown).unwrap_err();
    assert!(refused.message.contains("no conversation `../../team`"), "{refused:?}");
}

fn a_member_that_works_stays_in_its_conversation(backend: &str) {
    let (model, _world, mut editor) = at_rest(backend, [reply([wait("gate"), say("Still here.")])]);
    editor.request("swarm/prompt", json!({ "text": "Think.", "member": "ada" }));
    let refused = editor.try_request("swarm/conversation/new", json!({ "member": "ada" })).unwrap_err();
    assert!(refused.message.contains("`ada` works; interrupt it first"), "{refused:?}");
    model.open("gate");
    assert_eq!(ended(&mut editor), "completed");
    let list = ada(&mut editor, "list", json!({}));
    assert_eq!(titles(&list), [("Go.", true)]);
}

fn a_history_is_summarised_at_the_users_word(backend: &str) {
    let asked = "Your conversation is about to be replaced by a summary";
    let summary = reply([say("We spoke of a bird.")]).expect(asked);
    let (model, _world, mut editor) =
        at_rest(backend, [summary, reply([say("Yes.")]).expect("We spoke of a bird.")]);
    model.expect_breaks(1);
    ada(&mut editor, "compact", json!({}));
    editor.request("swarm/prompt", json!({ "text": "And now?", "member": "ada" }));
    editor.await_event_where("compacted", |event| of(event, "ada"));
    assert_eq!(ended(&mut editor), "completed");
    assert!(!requests_of_ada(&model).pop().unwrap().contains("A heron."));
}

#[test]
fn a_later_server_is_in_the_conversation_that_was_present() {
    let script = Script::new()
        .agent("team-lead", [reply([say("A heron.")]), reply([say("A stork.")]), reply([say("The stork.")])]);
    let (model, world) = played(script);
    model.expect_breaks(1);
    let mut editor = world.editor(Caps::rich());
    prompt(&mut editor, "First.");
    editor.await_event("turnEnded");
    let first = editor.request("swarm/conversation/list", json!({}))["conversations"][0]["id"].clone();
    editor.request("swarm/conversation/new", json!({}));
    prompt(&mut editor, "Second.");
    editor.await_event("turnEnded");
    editor.kill();

    let mut editor = world.editor(Caps::rich());
    // Nobody runs yet, and the list is there all the same.
    let list = editor.request("swarm/conversation/list", json!({}));
    assert_eq!(titles(&list), [("Second.", true), ("First.", false)]);
    prompt(&mut editor, "Which?");
    editor.await_event("turnEnded");
    let request = last_request(&model, 3);
    assert!(request.contains("A stork.") && !request.contains("A heron."), "{request}");
    editor.close();

    let mut editor = world.editor(Caps::rich());
    let open = editor.request("swarm/conversation/open", json!({ "id": first }));
    assert_eq!(open["title"], "First.", "{open}");
    editor.await_event_where("conversationChanged", |event| of(event, "team-lead"));
    let transcript = editor.request("swarm/transcript", json!({}));
    assert!(transcript.to_string().contains("A heron."), "{transcript}");
}

#[test]
fn clear_lets_go_of_what_nobody_answered_and_of_nothing_else() {
    let script = Script::new().agent("team-lead", [swarm_tests::script::status(401), reply([say("Hello.")])]);
    let (_model, world) = played(script);
    let mut editor = world.editor(Caps::rich());
    prompt(&mut editor, "Without a key.");
    let ended = editor.await_event("turnEnded");
    assert_eq!(ended["event"]["reason"], "failed", "{ended}");
    editor.until_state(|state| state["members"][0]["state"] == "idle");
    editor.request("swarm/conversation/clear", json!({}));
    let list = editor.request("swarm/conversation/list", json!({}));
    assert_eq!(titles(&list), [("-", true)]);
    prompt(&mut editor, "With one.");
    editor.await_event("turnEnded");
    editor.request("swarm/conversation/clear", json!({}));
    let list = editor.request("swarm/conversation/list", json!({}));
    assert_eq!(titles(&list), [("-", true), ("With one.", false)]);
}

#[test]
fn a_plain_editor_has_conversations_by_commands() {
    let (model, world) = played(Script::new().agent("team-lead", [reply([say("A heron.")])]));
    let mut editor = world.editor(Caps::bare());
    prompt(&mut editor, "Which bird?");
    model.wait_for(1);
    editor.until_state(|state| state["members"][0]["state"] == "idle");
    let new = execute(&mut editor, "swarm.conversation.new", json!({}));
    assert_eq!(new["current"], true, "{new}");
    let page = execute(&mut editor, "swarm.conversation.list", json!({}));
    let page = page["text"].as_str().unwrap();
    assert!(page.contains("| Which bird? |") && page.contains("**new**"), "{page}");
    let opened = execute(&mut editor, "swarm.conversation.open", json!("first"));
    assert_eq!(opened["title"], "Which bird?", "{opened}");
}
