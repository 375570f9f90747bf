//! Deciding what agents ask, by our own requests and by commands.

use serde_json::{Value, json};
use swarm_tests::script::{Script, call, reply, say};
use swarm_tests::{Caps, Editor};

use crate::{actions, asked, choose, execute, played, prompt, title};

/// A leader that runs one command and then is done.
fn runs(command: &str) -> Script {
    let run = call("Bash", json!({ "command": command }));
    Script::new().agent("team-lead", [reply([run]), reply([say("Done.")])])
}

fn resolve(editor: &mut Editor, params: Value) -> Vec<String> {
    let result = editor.request("swarm/permission/resolve", params);
    let outcomes = result["results"].as_array().unwrap().iter();
    outcomes.map(|result| result["outcome"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn an_allowed_command_runs_once_and_a_second_decision_is_told_so() {
    let (model, world) = played(runs("echo ran >> log.txt"));
    let mut editor = world.editor(Caps::rich());
    prompt(&mut editor, "Run it.");
    let request = asked(&mut editor);
    assert_eq!(request["input"]["command"], "echo ran >> log.txt");
    let listed = editor.request("swarm/permission/list", json!({}));
    assert_eq!(listed["requests"][0]["id"], request["id"]);
    let params = json!({ "ids": [request["id"]], "decision": "allow" });
    assert_eq!(resolve(&mut editor, params.clone()), ["resolved"]);
    assert_eq!(resolve(&mut editor, params), ["alreadyResolved"]);
    assert_eq!(resolve(&mut editor, json!({ "ids": ["perm-0-zzzzzz"], "decision": "allow" })), ["unknown"]);
    editor.await_event("turnEnded");
    assert_eq!(world.read("log.txt"), "ran\n");
    assert!(model.last_message().contains("exit code 0"), "{}", model.last_message());
    assert!(editor.unclaimed().is_empty(), "a client that draws questions is asked by no message");
}

#[test]
fn of_two_racing_decisions_one_wins() {
    let (_model, world) = played(runs("touch made"));
    let mut editor = world.editor(Caps::rich());
    prompt(&mut editor, "Run it.");
    let request = asked(&mut editor);
    let decide = |decision: &str| json!({ "ids": [request["id"]], "decision": decision });
    let first = editor.send_request("swarm/permission/resolve", decide("allow"));
    let second = editor.send_request("swarm/permission/resolve", decide("reject"));
    let outcome = |answer: Result<Value, _>| answer.unwrap()["results"][0]["outcome"].clone();
    let mut outcomes =
        [outcome(editor.answer_to(first)), outcome(editor.answer_to(second))].map(|o| o.to_string());
    outcomes.sort();
    assert_eq!(outcomes, ["\"alreadyResolved\"", "\"resolved\""]);
    editor.await_event("turnEnded");
}

#[test]
fn a_rejection_with_feedback_reaches_the_model() {
    let (model, world) = played(runs("rm -rf build"));
    let mut editor = world.editor(Caps::rich());
    prompt(&mut editor, "Clean up.");
    let request = asked(&mut editor);
    let feedback = json!({ "id": request["id"], "feedback": "Keep the build." });
    execute(&mut editor, "swarm.permission.reject", feedback);
    editor.await_event("turnEnded");
    assert!(model.last_message().contains("Keep the build."), "{}", model.last_message());
}

#[test]
fn an_edited_input_is_what_runs() {
    let (model, world) = played(runs("echo wrong > out.txt"));
    let mut editor = world.editor(Caps::rich());
    prompt(&mut editor, "Write it.");
    let request = asked(&mut editor);
    let input = json!({ "command": "echo right > out.txt" });
    execute(&mut editor, "swarm.permission.edit", json!({ "id": request["id"], "input": input }));
    editor.await_event("turnEnded");
    assert_eq!(world.read("out.txt"), "right\n");
    assert!(model.last_message().contains("echo right"), "the model is told: {}", model.last_message());
}

#[test]
fn allowing_always_asks_no_second_time() {
    let run = || reply([call("Bash", json!({ "command": "touch made" }))]);
    let (_model, world) = played(Script::new().agent("team-lead", [run(), run(), reply([say("Done.")])]));
    let mut editor = world.editor(Caps::rich());
    prompt(&mut editor, "Twice.");
    let request = asked(&mut editor);
    assert!(request["permissionSuggestions"][0].is_object(), "{request}");
    let found = actions(&mut editor, &world.uri("any.txt"), 0);
    let rule = request["permissionSuggestions"][0]["rules"][0].as_str().unwrap();
    assert!(found.iter().any(|action| title(action).contains(rule)), "the title names the rule: {found:#?}");
    choose(&mut editor, &found, "allow always");
    editor.await_event("turnEnded");
    assert_eq!(editor.request("swarm/permission/list", json!({})), json!({ "requests": [] }));
}

#[test]
fn like_questions_that_come_together_are_answered_together() {
    // Both ask at one moment, however long it took to start them.
    let run = || {
        let run =
            reply([call("Bash", json!({ "command": "echo ran >> log.txt" }))]).wait_for("both are there");
        [run, reply([say("Done.")])]
    };
    let script = Script::new()
        .agent("team-lead", [reply([say("I see.")]).times(9)])
        .agent("ada", run())
        .agent("bob", run());
    let (model, world) = played(script);
    let mut editor = world.editor(Caps::rich());
    let spawn = |name: &str| json!({ "name": name, "prompt": "Run it.", "callId": name });
    editor.request("swarm/teammate/spawn", spawn("ada"));
    editor.request("swarm/teammate/spawn", spawn("bob"));
    model.wait_for(2);
    model.open("both are there");
    let first = asked(&mut editor);
    let second = asked(&mut editor);
    assert_eq!(second["batch"], first["id"]);
    let offered = actions(&mut editor, &world.uri("any.txt"), 0);
    let asker = second["workerName"].as_str().unwrap();
    choose(&mut editor, &offered, &format!("{asker}: allow all 2 like it"));
    for _ in 0..2 {
        let resolved = editor.await_event("permissionResolved");
        assert_eq!(resolved["event"]["allowed"], true);
    }
    editor.until_state(|state| {
        state["members"].as_array().unwrap().iter().all(|member| member["state"] == "idle")
    });
    assert_eq!(world.read("log.txt"), "ran\nran\n");
}

#[test]
fn a_command_names_what_is_wrong_with_its_argument() {
    let (_model, world) = played(runs("touch made"));
    let mut editor = world.editor(Caps::rich());
    prompt(&mut editor, "Run it.");
    let request = asked(&mut editor);
    for (command, argument, field) in [
        ("swarm.permission.allow", json!({}), "arguments[0]"),
        ("swarm.permission.allow", json!({ "id": 5 }), "arguments[0].id"),
        ("swarm.permission.allowAlways", json!({ "id": request["id"], "suggestion": 99 }), "suggestion"),
        ("swarm.permission.edit", json!({ "id": request["id"], "draft": "file:///etc/passwd" }), "draft"),
        ("swarm.no.such", json!({}), "command"),
    ] {
        let params = json!({ "command": command, "arguments": [argument] });
        let error = editor.try_request("workspace/executeCommand", params).unwrap_err();
        assert_eq!(error.code, -32602, "{command}: {error:?}");
        assert!(error.message.contains(field), "{command}: {error:?}");
    }
    execute(&mut editor, "swarm.permission.allow", json!(request["id"]));
    editor.await_event("turnEnded");
}

#[test]
fn an_input_is_edited_in_a_document_and_sent_by_a_code_action() {
    let (_model, world) = played(runs("echo wrong > out.txt"));
    let mut editor = world.editor(Caps::rich());
    prompt(&mut editor, "Write it.");
    asked(&mut editor);
    let found = actions(&mut editor, &world.uri("any.txt"), 0);
    choose(&mut editor, &found, "edit the input");
    let shown = editor.await_request("window/showDocument");
    editor.reply(&shown, json!({ "success": true }));
    let uri = shown.params["uri"].as_str().unwrap().to_owned();
    let path = uri.strip_prefix("file://").unwrap().to_owned();
    assert!(std::fs::read_to_string(&path).unwrap().contains("echo wrong"));

    editor.open(&uri, "{ not yet JSON");
    let found = actions(&mut editor, &uri, 0);
    let send = found.iter().find(|action| title(action).contains("allow with this input")).unwrap();
    let params = json!({ "command": send["command"]["command"], "arguments": send["command"]["arguments"] });
    let error = editor.try_request("workspace/executeCommand", params).unwrap_err();
    assert!(error.message.contains("JSON"), "{error:?}");

    // Unsaved text counts.
    editor.change(&uri, 2, "{ \"command\": \"echo right > out.txt\" }");
    choose(&mut editor, &found, "allow with this input");
    editor.await_event("turnEnded");
    assert_eq!(world.read("out.txt"), "right\n");
    editor.close();
    assert!(!std::path::Path::new(&path).exists(), "our pages go with the server");
}

#[test]
fn feedback_is_written_in_a_document_and_sent_by_a_code_action() {
    let (model, world) = played(runs("rm -rf build"));
    let mut editor = world.editor(Caps::rich());
    prompt(&mut editor, "Clean up.");
    asked(&mut editor);
    let found = actions(&mut editor, &world.uri("any.txt"), 0);
    choose(&mut editor, &found, "reject with feedback");
    let shown = editor.await_request("window/showDocument");
    editor.reply(&shown, json!({ "success": true }));
    let uri = shown.params["uri"].as_str().unwrap().to_owned();
    editor.open(&uri, "Only the logs, please.\n");
    let found = actions(&mut editor, &uri, 0);
    choose(&mut editor, &found, "reject with this text");
    editor.await_event("turnEnded");
    assert!(model.last_message().contains("Only the logs, please."), "{}", model.last_message());
}

#[test]
fn a_client_of_plain_commands_gets_plain_commands() {
    let (_model, world) = played(runs("touch made"));
    let caps = Caps::bare().with("experimental", json!({ "swarm": { "events": true, "permissions": true } }));
    let mut editor = world.editor(caps);
    prompt(&mut editor, "Run it.");
    let request = asked(&mut editor);
    let found = actions(&mut editor, &world.uri("any.txt"), 0);
    assert!(found.iter().all(|action| action["command"].is_string()), "{found:#?}");
    // Nor does it show documents: the text comes as the command's result.
    let edit = execute(&mut editor, "swarm.permission.edit", json!({ "id": request["id"] }));
    assert!(edit["text"].as_str().unwrap().contains("\"command\": \"touch made\""), "{edit}");
    execute(&mut editor, "swarm.permission.allow", json!({ "id": request["id"] }));
    editor.await_event("turnEnded");
}
