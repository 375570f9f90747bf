//! What is allowed always: for whom, for how long, and never for more than was shown.

use serde_json::{Value, json};
use swarm_tests::script::{Script, Step, call, reply, say};
use swarm_tests::{Caps, Editor, World};

use crate::{asked, execute, of, played, prompt};

fn bash(command: &str) -> Step {
    reply([call("Bash", json!({ "command": command }))])
}

fn done() -> Step {
    reply([say("Done.")])
}

/// Allows a question and keeps its first suggestion in this scope.
fn always(editor: &mut Editor, request: &Value, scope: &str) {
    let mut rule = request["permissionSuggestions"][0].clone();
    rule["scope"] = json!(scope);
    let params = json!({ "ids": [request["id"]], "decision": "allow", "remember": rule });
    editor.request("swarm/permission/resolve", params);
}

fn reject(editor: &mut Editor, request: &Value) {
    editor.request("swarm/permission/resolve", json!({ "ids": [request["id"]], "decision": "reject" }));
}

/// Waits for the end of a turn; whether a question came before it.
fn asked_before_the_end(editor: &mut Editor, member: &str) -> Option<Value> {
    let mut request = None;
    loop {
        let wanted = |params: &Value| {
            let event = &params["event"];
            event["kind"] == "permissionRequested" || (event["kind"] == "turnEnded" && of(event, member))
        };
        let mut params = editor.await_notification("swarm/event", wanted);
        if params["event"]["kind"] == "turnEnded" {
            return request;
        }
        let asked = params["event"]["request"].take();
        reject(editor, &asked);
        request = Some(asked);
    }
}

#[test]
fn always_for_the_session_holds_for_later_turns_of_that_member_and_for_no_other() {
    let script = Script::new()
        .agent("team-lead", [reply([say("I see.")]).times(9)])
        .agent("ada", [bash("touch made"), done(), bash("touch made"), done()])
        .agent("ben", [bash("touch made"), done()]);
    let (_model, world) = played(script);
    let mut editor = world.editor(Caps::rich());
    let spawn = |name: &str| json!({ "name": name, "prompt": "Go.", "callId": name });
    editor.request("swarm/teammate/spawn", spawn("ada"));
    let request = asked(&mut editor);
    always(&mut editor, &request, "session");
    editor.await_event_where("turnEnded", |event| of(event, "ada"));
    std::fs::remove_file(world.path("made")).unwrap();

    editor.request("swarm/prompt", json!({ "text": "Again.", "member": "ada" }));
    assert_eq!(asked_before_the_end(&mut editor, "ada"), None);
    assert!(world.path("made").exists());

    editor.request("swarm/teammate/spawn", spawn("ben"));
    let of_ben = asked_before_the_end(&mut editor, "ben");
    assert_eq!(of_ben.unwrap()["workerName"], "ben", "a session's rule is its member's alone");
}

/// Whether the leader's agent is asked about the same call after a restart of the server.
fn is_asked_again(scope: &str) -> bool {
    let script = Script::new().agent("team-lead", [bash("touch made"), done(), bash("touch made"), done()]);
    let (_model, world) = played(script);
    let mut first = world.editor(Caps::rich());
    prompt(&mut first, "Go.");
    let request = asked(&mut first);
    always(&mut first, &request, scope);
    first.await_event("turnEnded");
    first.close();
    std::fs::remove_file(world.path("made")).unwrap();

    let mut second = world.editor(Caps::rich());
    prompt(&mut second, "Again.");
    let again = asked_before_the_end(&mut second, "team-lead");
    assert_ne!(again.is_some(), world.path("made").exists(), "{scope}");
    again.is_some()
}

#[test]
fn always_for_the_team_the_project_or_the_user_outlives_the_server_and_for_the_session_does_not() {
    for (scope, again) in [("team", false), ("project", false), ("user", false), ("session", true)] {
        assert_eq!(is_asked_again(scope), again, "{scope}");
    }
}

#[test]
fn a_line_of_commands_is_remembered_as_one_rule_a_part() {
    let script = Script::new().agent(
        "team-lead",
        [
            bash("touch one && touch two | tee three"),
            bash("touch two; touch one"),
            bash("touch one && touch four"),
            done(),
        ],
    );
    let (_model, world) = played(script);
    let mut editor = world.editor(Caps::rich());
    prompt(&mut editor, "Go.");
    let first = asked(&mut editor);
    let rules = json!(["Bash(touch one)", "Bash(touch two)", "Bash(tee three)"]);
    assert_eq!(first["permissionSuggestions"][0]["rules"], rules);
    always(&mut editor, &first, "session");
    let next = asked(&mut editor);
    assert_eq!(
        next["input"]["command"], "touch one && touch four",
        "what holds known parts only, does not ask"
    );
    assert_eq!(next["permissionSuggestions"][0]["rules"], json!(["Bash(touch four)"]));
    reject(&mut editor, &next);
    editor.await_event("turnEnded");
    assert!(world.path("one").exists() && !world.path("four").exists());
}

fn with_denial(world: &World, rule: &str) {
    let settings = json!({ "permissions": { "deny": [rule] } });
    std::fs::create_dir_all(world.swarm_home()).unwrap();
    std::fs::write(world.swarm_home().join("settings.json"), settings.to_string()).unwrap();
}

#[test]
fn an_edited_input_is_checked_again_and_no_yes_lifts_a_denial() {
    let script = Script::new().agent("team-lead", [bash("touch fine"), bash("touch more"), done()]);
    let (model, world) = played(script);
    with_denial(&world, "Bash(touch forbidden)");
    let mut editor = world.editor(Caps::rich());
    prompt(&mut editor, "Go.");
    let request = asked(&mut editor);
    let input = json!({ "command": "true && touch forbidden" });
    execute(&mut editor, "swarm.permission.edit", json!({ "id": request["id"], "input": input }));
    let next = asked(&mut editor);
    let told = model.last_message();
    assert!(told.contains("Bash(touch forbidden)"), "the model is told which rule: {told}");
    reject(&mut editor, &next);
    editor.await_event("turnEnded");
    assert!(!world.path("forbidden").exists() && !world.path("fine").exists());
}

#[test]
fn an_always_for_the_models_input_says_nothing_of_the_edited_one() {
    let script = Script::new().agent("team-lead", [bash("touch first"), bash("touch edited"), done()]);
    let (_model, world) = played(script);
    let mut editor = world.editor(Caps::rich());
    prompt(&mut editor, "Go.");
    let request = asked(&mut editor);
    let params = json!({
        "ids": [request["id"]],
        "decision": "allow",
        "updatedInput": { "command": "touch edited" },
        "remember": request["permissionSuggestions"][0],
    });
    editor.request("swarm/permission/resolve", params);
    let next = asked(&mut editor);
    assert!(world.path("edited").exists() && !world.path("first").exists(), "what was edited ran");
    assert_eq!(next["input"]["command"], "touch edited", "only what was shown is remembered");
    reject(&mut editor, &next);
    editor.await_event("turnEnded");
}
