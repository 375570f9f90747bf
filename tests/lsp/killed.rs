//! A server that is killed with its team at work: the next one knows everybody, runs nothing twice, and asks no model
//! before the user wants something.

use std::fs::{self, File};
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};
use swarm_tests::script::{Script, call, reply, say, status, wait};
use swarm_tests::{Caps, Editor, World};

use crate::{asked, of, played, prompt};

const TEAMMATES: [&str; 5] = ["rests", "runs", "asks", "plans", "limited"];

fn member<'a>(state: &'a Value, name: &str) -> &'a Value {
    let members = state["members"].as_array().unwrap();
    members.iter().find(|member| member["name"] == name).unwrap_or_else(|| panic!("no {name} in {state:#}"))
}

fn reaches(editor: &mut Editor, name: &str, wanted: &str) {
    editor.until_state(|state| {
        let members = state["members"].as_array().unwrap();
        members.iter().any(|member| member["name"] == name && member["state"] == wanted)
    });
}

/// As if the leader had been away for an hour: a team whose editor only reloads goes on by itself.
fn an_hour_passes(world: &World) {
    for team in fs::read_dir(world.swarm_home().join("teams")).unwrap() {
        if let Ok(seen) = File::options().write(true).open(team.unwrap().path().join("leader.seen")) {
            seen.set_modified(SystemTime::now() - Duration::from_secs(3600)).unwrap();
        }
    }
}

#[test]
fn a_team_whose_server_is_killed_at_work_is_there_again_and_waits_for_the_user() {
    let run = |command: &str| reply([call("Bash", json!({ "command": command }))]);
    let script = Script::new()
        .agent(
            "team-lead",
            [reply([say("I see.")]).expect("heron"), reply([say("I think"), wait("for ever")])],
        )
        .agent("rests", [reply([say("The word is heron.")])])
        .agent("runs", [run("echo ran >> ran.txt; exec sleep 1000")])
        .agent("asks", [run("touch never.txt")])
        .agent("limited", [status(429).retry_after(60.0)])
        .agent("plans", [reply([say("First"), wait("for ever")])]);
    let (model, world) = played(script);
    let mut editor = world.editor(Caps::rich());
    let spawn = |editor: &mut Editor, name: &str| {
        let mode = if name == "plans" { "plan" } else { "default" };
        let spawn = json!({ "name": name, "prompt": "Begin.", "callId": name, "mode": mode });
        editor.request("swarm/teammate/spawn", spawn);
    };
    TEAMMATES[..4].iter().for_each(|name| spawn(&mut editor, name));
    for _ in 0..2 {
        let request = asked(&mut editor);
        if request["workerName"] == "runs" {
            let allow = json!({ "ids": [request["id"]], "decision": "allow" });
            editor.request("swarm/permission/resolve", allow);
        }
    }
    world.wait_for_process("sleep 1000");
    for (name, state) in [("asks", "waiting"), ("plans", "planning")] {
        reaches(&mut editor, name, state);
    }
    editor.await_event_where("turnEnded", |event| of(event, "team-lead"));
    prompt(&mut editor, "Think.");
    editor.await_event_where("text", |event| event["text"].as_str().is_some_and(|text| text.contains('k')));
    // The last one, since all members wait together for a provider.
    spawn(&mut editor, "limited");
    reaches(&mut editor, "limited", "rateLimited");
    // It is in the middle of a call, so this waits in its mailbox.
    editor.request("swarm/message", json!({ "to": "runs", "text": "Mind the otter." }));
    editor.kill();
    editor.await_gone("sleep 1000");
    let before = model.requests().len();
    an_hour_passes(&world);

    let mut editor = world.editor(Caps::rich());
    let state = editor.request("swarm/state", json!({}));
    assert_eq!(state["members"].as_array().unwrap().len(), TEAMMATES.len() + 1, "{state:#}");
    for name in TEAMMATES.iter().chain(&["team-lead"]) {
        let shown = member(&state, name);
        assert_eq!(shown["asleep"], true, "{shown}");
        assert_eq!(shown["interrupted"] == true, *name != "rests", "{shown}");
    }
    assert_eq!(member(&state, "plans")["mode"], "plan");
    assert_eq!(state["permissions"], json!([]));

    // One is written to, and it alone goes on.
    editor.request("swarm/message", json!({ "to": "runs", "text": "Well?" }));
    editor.until_state(|_| {
        let mut asked = model.requests().into_iter();
        asked.any(|request| request.agent.starts_with("runs") && request.body.to_string().contains("Well?"))
    });
    editor
        .until_state(|state| ["runs", "team-lead"].iter().all(|name| member(state, name)["state"] == "idle"));
    let since = model.requests().split_off(before);
    let of_runs: Vec<String> = since
        .iter()
        .filter(|request| request.agent.starts_with("runs"))
        .map(|request| request.body.to_string())
        .collect();
    let last = of_runs.last().unwrap();
    for once in ["Mind the otter.", "Well?", "It may have run."] {
        assert_eq!(last.matches(once).count(), 1, "{once:?} in {last}");
    }
    let strangers: Vec<&str> = since.iter().map(|request| request.agent.as_str()).collect();
    assert!(
        strangers.iter().all(|agent| agent.starts_with("runs") || agent.starts_with("team-lead")),
        "{strangers:?}"
    );
    assert_eq!(world.read("ran.txt"), "ran\n");
    assert!(!world.path("never.txt").exists());
}
