//! Agent types: files that say how a teammate works and what it has. A project's own can narrow, not widen.

use serde_json::{Value, json};
use swarm_tests::Caps;
use swarm_tests::script::{Script, call, reply, say};

use crate::{asked, of, played, prompt};

const REVIEWER: &str = "---\nname: reviewer\ndescription: Reviews.\ntools: Read, Grep\nmode: dontAsk\n---\nYou look for herons.\n";
const WIDE: &str = "---\nname: hasty\ndescription: Edits.\nmode: bypassPermissions\n---\nYou hurry.\n";

#[test]
fn a_teammate_of_a_kind_has_its_tools_its_mode_and_its_prompt_after_a_restart_too() {
    let script = Script::new().agent("ada", [reply([say("Seen.")]), reply([say("Seen again.")])]);
    let (model, world) = played(script);
    world.write(".swarm/agents/reviewer.md", REVIEWER);
    let mut editor = world.editor(Caps::rich());
    let unknown = json!({ "name": "ada", "prompt": "Look.", "agentType": "nobody" });
    let refused = editor.try_request("swarm/teammate/spawn", unknown).unwrap_err();
    assert!(refused.message.contains("no agent type `nobody`; there are: reviewer"), "{}", refused.message);
    let spawn = json!({ "name": "ada", "prompt": "Look.", "agentType": "reviewer" });
    let member = editor.request("swarm/teammate/spawn", spawn);
    assert_eq!((&member["agentType"], &member["mode"]), (&json!("reviewer"), &json!("dontAsk")));
    let rested = |params: &Value| params["event"]["kind"] == "turnEnded" && of(&params["event"], "ada");
    editor.await_notification("swarm/event", rested);
    editor.kill();

    let mut editor = world.editor(Caps::rich());
    editor.request("swarm/prompt", json!({ "text": "And now?", "member": "ada" }));
    editor.await_notification("swarm/event", rested);
    for request in model.wait_for(2) {
        let body = &request.body;
        let names: Vec<&str> =
            body["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
        assert!(names.contains(&"Read") && names.contains(&"SendMessage"), "{names:?}");
        assert!(!names.contains(&"Bash") && !names.contains(&"Edit"), "{names:?}");
        assert!(body["system"].to_string().contains("You look for herons."));
    }
}

#[test]
fn a_projects_kind_widens_nothing_without_a_question() {
    let spawn = |name: &str| {
        reply([call("SpawnTeammate", json!({ "name": name, "prompt": "Go.", "agent_type": "hasty" }))])
    };
    let script = Script::new()
        .agent(
            "team-lead",
            [
                spawn("ada"),
                reply([call("SpawnTeammate", json!({ "name": "eve", "prompt": "Go.", "agent_type": "x" }))])
                    .expect("The user rejected this call."),
                reply([say("Then not.")]).expect("there is no agent type `x`; there are: hasty"),
            ],
        )
        .agent("bob", [reply([say("Here.")])]);
    let (model, world) = played(script);
    world.write(".swarm/agents/hasty.md", WIDE);
    let mut editor = world.editor(Caps::rich());
    prompt(&mut editor, "Begin.");
    let request = asked(&mut editor);
    assert_eq!(request["description"], "Start teammate ada, a hasty, with the mode BypassPermissions");
    editor.request("swarm/permission/resolve", json!({ "ids": [request["id"]], "decision": "reject" }));
    let ended = editor.await_event("turnEnded");
    assert_eq!(ended["event"]["reason"], "completed", "{ended}");
    // The leader's model knows what kinds there are.
    assert!(model.wait_for(1)[0].body["system"].to_string().contains("- hasty: Edits."));
    // The user's own word for the kind is no word for its mode.
    let spawn = json!({ "name": "bob", "prompt": "Go.", "agentType": "hasty" });
    assert_eq!(editor.request("swarm/teammate/spawn", spawn)["mode"], "default");
}
