//! A member that plans still plans when its history became a summary, and when its server was killed.

use serde_json::{Value, json};
use swarm_tests::script::{ReplyPart, Script, call, reply, say};
use swarm_tests::{Caps, Editor, World};

use crate::again::editor_with;
use crate::{of, played};

const SUMMARISE: &str = "Your conversation is about to be replaced by a summary";
const REFUSED: &str = "only reading is allowed until the plan is approved";

fn bash(command: &str) -> ReplyPart {
    call("Bash", json!({ "command": command }))
}

fn write() -> ReplyPart {
    call("Write", json!({ "path": "a.txt", "content": "x" }))
}

/// An editor for a model whose context one long file fills.
fn editor(world: &World) -> Editor {
    editor_with(world, &Caps::rich(), json!({ "contextWindow": 6_000, "maxTokens": 100 }))
}

fn mode(state: &Value) -> &Value {
    let members = state["members"].as_array().unwrap();
    &members.iter().find(|member| member["name"] == "ada").unwrap()["mode"]
}

#[test]
fn plan_mode_outlives_a_summary_and_a_server_that_is_killed_while_it_is_made() {
    let summary = || reply([say("The word is heron.")]).expect(SUMMARISE);
    let present = call("ExitPlanMode", json!({ "plan": "# Plan\n" }));
    let script = Script::new().agent(
        "ada",
        [
            reply([call("Read", json!({ "path": "long.txt", "limit": 550 }))]),
            summary().hang_after_events(3),
            summary(),
            reply([bash("touch a.txt")]).expect("The word is heron.").expect("Your mode is Plan"),
            reply([bash("echo x > a.txt")]).expect(REFUSED),
            reply([write()]).expect(REFUSED),
            reply([bash("ls")]).expect(REFUSED),
            reply([call("Read", json!({ "path": "long.txt", "limit": 1 }))]).expect("[exit code 0]"),
            reply([present]).expect("herons"),
            reply([write()]).expect("your mode is `acceptEdits`"),
            reply([say("Done.")]).expect("a.txt"),
        ],
    );
    let (model, world) = played(script);
    world.write("long.txt", &"A line about herons and their ways.\n".repeat(600));
    let mut first = editor(&world);
    let spawn = json!({ "name": "ada", "prompt": "Write a.txt.", "planModeRequired": true });
    first.request("swarm/teammate/spawn", spawn);
    model.wait_at("hang", 1);
    assert_eq!(mode(&first.request("swarm/state", json!({}))), "plan");
    first.kill();

    // As after an editor's reload, the team goes on by itself.
    let mut second = editor(&world);
    second.await_event("compacted");
    let plan = second.await_event("planRequested")["event"]["plan"].take();
    assert!(!world.path("a.txt").exists());
    assert_eq!(mode(&second.request("swarm/state", json!({}))), "plan");
    let yes = json!({ "id": plan["id"], "approve": true, "mode": "acceptEdits" });
    second.request("swarm/plan/resolve", yes);
    second.await_event_where("turnEnded", |event| of(event, "ada"));
    assert_eq!(world.read("a.txt"), "x");

    let asked = model.requests();
    let tools: Vec<&Value> = asked
        .iter()
        .filter(|request| request.agent.starts_with("ada"))
        .map(|request| &request.body["tools"])
        .collect();
    assert_eq!(tools.len(), 11);
    assert!(tools.iter().all(|listed| *listed == tools[0]), "a mode, a summary and a restart change no tool");
    model.expect_breaks(2);
}
