//! The team itself, made and deleted by the user.

use serde_json::{Value, json};
use swarm_tests::Caps;
use swarm_tests::script::{Script, call, reply, say};

use crate::{played, prompt, world};

fn names(state: &Value) -> Vec<&str> {
    state["teams"].as_array().unwrap().iter().map(|team| team["name"].as_str().unwrap()).collect()
}

#[test]
fn a_team_is_made_under_a_name_and_found_again_by_the_next_server() {
    let (_model, world) = played(Script::new().agent("team-lead", [reply([say("Here.")])]));
    let mut editor = world.editor(Caps::rich());
    let made = editor.request("swarm/team/create", json!({ "name": "blue", "description": "for the sea" }));
    assert_eq!((&made["name"], &made["leadAgentId"]), (&json!("blue"), &json!("team-lead@blue")));
    assert_eq!(editor.await_event("teamChanged")["event"]["team"]["description"], "for the sea");
    let second = editor.try_request("swarm/team/create", json!({ "name": "green" })).unwrap_err();
    assert!(second.code == -32803 && second.message.contains("`blue`"), "{second:?}");
    let bad = editor.try_request("swarm/team/create", json!({ "name": "a/b" })).unwrap_err();
    assert!(bad.code == -32602 && bad.message.contains("name"), "{bad:?}");
    prompt(&mut editor, "Are you there?");
    assert_eq!(editor.await_event("turnEnded")["team"], "blue");
    editor.close();
    let mut again = world.editor(Caps::rich());
    assert_eq!(names(&again.request("swarm/state", json!({}))), ["blue"]);
}

#[test]
fn a_team_is_deleted_with_all_it_keeps_once_nobody_runs() {
    let spawn = call("SpawnTeammate", json!({ "name": "ada", "prompt": "Wait." }));
    let script = Script::new()
        .agent("team-lead", [reply([spawn]), reply([say("She is here.")]), reply([say("A new start.")])])
        .agent("ada", [reply([say("I wait.")])]);
    let (_model, world) = played(script);
    let mut editor = world.editor(Caps::rich());
    prompt(&mut editor, "Get ada.");
    editor.await_event_where("memberChanged", |event| {
        event["member"]["name"] == "ada" && event["member"]["state"] == "idle"
    });
    let team = editor.request("swarm/state", json!({}))["teams"][0]["name"].as_str().unwrap().to_owned();
    let folder = world.swarm_home().join("teams").join(&team);
    let refused = editor.try_request("swarm/team/delete", json!({ "name": team })).unwrap_err();
    assert!(refused.code == -32803 && refused.message.contains("ada"), "{refused:?}");
    assert!(folder.exists());
    editor.request("swarm/teammate/stop", json!({ "member": "ada", "force": true }));
    editor.await_event("memberEnded");
    assert_eq!(editor.request("swarm/team/delete", json!({ "name": team })), Value::Null);
    assert!(!folder.exists() && !folder.with_extension("json").exists());
    let state = editor.request("swarm/state", json!({}));
    assert!(names(&state).is_empty() && state["members"].as_array().unwrap().is_empty(), "{state}");
    let unknown = editor.try_request("swarm/team/delete", json!({ "name": team })).unwrap_err();
    assert!(unknown.code == -32803 && unknown.message.contains("no team"), "{unknown:?}");
    // A new team has nothing of the old one in it.
    editor.request("swarm/team/create", json!({ "name": "anew" }));
    prompt(&mut editor, "Begin anew.");
    editor.await_event("turnEnded");
    let kept = editor.request("swarm/transcript", json!({}));
    assert!(!kept.to_string().contains("Get ada"), "{kept}");
}

#[test]
fn without_a_team_there_is_none_to_delete() {
    let mut editor = world().editor(Caps::rich());
    let unknown = editor.try_request("swarm/team/delete", json!({ "name": "blue" })).unwrap_err();
    assert!(unknown.code == -32803 && unknown.message.contains("`blue`"), "{unknown:?}");
}
