//! Modes: who may set them, and what they decide.

use serde_json::json;
use swarm_script::{Script, Step, call, reply, say};
use swarm_wire::lsp::{MemberMode, SetModesParams, TurnEnd};
use swarm_wire::permission::Mode;

use crate::stage::Stage;

fn write() -> Step {
    reply([call("Write", json!({"path": "x.txt", "content": "x"}))])
}

fn team(mode: &str, ada: impl IntoIterator<Item = Step>) -> Script {
    let spawn = call("SpawnTeammate", json!({"name": "ada", "prompt": "Begin.", "mode": mode}));
    Script::new().agent("team-lead", [reply([spawn]), reply([say("Ok.")]).times(9)]).agent("ada", ada)
}

async fn set(stage: &Stage, modes: &[(&str, Mode)]) -> Result<usize, String> {
    let modes =
        modes.iter().map(|(member, mode)| MemberMode { member: (*member).into(), mode: *mode }).collect();
    let changed = stage.leader.set_modes(SetModesParams { team: None, modes }).await;
    changed.map(|members| members.len()).map_err(|refusal| refusal.to_string())
}

#[tokio::test]
async fn a_wider_mode_lets_a_waiting_call_through_and_a_narrower_one_refuses_it() {
    let steps = [write(), reply([say("Done.")])];
    let mut stage = Stage::new(team("default", steps)).await;
    stage.prompt("Go.").await;
    stage.question().await;
    assert_eq!(set(&stage, &[("ada", Mode::AcceptEdits)]).await, Ok(1));
    assert_eq!(stage.turn_end("ada").await, (TurnEnd::Completed, None));
    assert_eq!(std::fs::read(stage.file("x.txt")).unwrap(), b"x");
    assert_eq!(stage.leader.snapshot().permissions, []);
    // The leader's own mode is its own.
    assert_eq!(stage.leader.snapshot().members[0].mode, Mode::Default);
    stage.close().await;

    let steps = [write(), reply([say("Then not.")]).expect("only reading is allowed")];
    let mut stage = Stage::new(team("default", steps)).await;
    stage.prompt("Go.").await;
    stage.question().await;
    assert_eq!(set(&stage, &[("ada", Mode::Plan)]).await, Ok(1));
    assert_eq!(stage.turn_end("ada").await, (TurnEnd::Completed, None));
    assert!(!stage.file("x.txt").exists());
    stage.close().await;
}

#[tokio::test]
async fn a_model_that_wants_a_wider_mode_for_a_teammate_asks_the_user() {
    let mut stage = Stage::new(team("acceptEdits", [write(), reply([say("Done.")])])).await;
    stage.prompt("Go.").await;
    let request = stage.question().await;
    assert_eq!(request.tool_name, "SpawnTeammate");
    assert_eq!(stage.leader.snapshot().members.len(), 1);
    stage.allow(&request).await;
    assert_eq!(stage.turn_end("ada").await, (TurnEnd::Completed, None));
    assert_eq!(std::fs::read(stage.file("x.txt")).unwrap(), b"x");
    assert_eq!(stage.leader.snapshot().members[1].mode, Mode::AcceptEdits);
    stage.close().await;
}

#[tokio::test]
async fn many_modes_change_together_or_not_at_all() {
    let mut stage = Stage::new(team("default", [reply([say("I wait.")])])).await;
    stage.prompt("Go.").await;
    assert_eq!(stage.turn_end("ada").await, (TurnEnd::Completed, None));
    let refused = set(&stage, &[("ada", Mode::DontAsk), ("bob", Mode::Plan)]).await;
    assert!(refused.unwrap_err().contains("no member `bob`"));
    assert_eq!(stage.leader.snapshot().members[1].mode, Mode::Default);
    assert_eq!(set(&stage, &[("ada", Mode::DontAsk), ("team-lead", Mode::Plan)]).await, Ok(2));
    assert_eq!(set(&stage, &[("ada", Mode::DontAsk)]).await, Ok(0));
    let file = std::fs::read_to_string(stage.folder.path().join("state/teams/shop.json")).unwrap();
    assert!(file.contains("\"mode\": \"dontAsk\"") || file.contains("\"mode\":\"dontAsk\""), "{file}");
    stage.close().await;
}

#[tokio::test]
async fn the_leaders_model_narrows_alone_and_widens_by_the_user_and_never_its_own_mode() {
    let modes = |changes: serde_json::Value| reply([call("SetModes", json!({ "modes": changes }))]);
    let spawn = |name: &str| call("SpawnTeammate", json!({"name": name, "prompt": "Begin."}));
    let script = Script::new()
        .agent(
            "team-lead",
            [
                reply([spawn("ada"), spawn("bob")]),
                modes(json!([{"member": "ada", "mode": "plan"}, {"member": "Bob", "mode": "dontAsk"}])),
                modes(json!([{"member": "ada", "mode": "default"}])).expect("Changed: ada, bob."),
                modes(json!([{"member": "team-lead", "mode": "bypassPermissions"}])).expect("Changed: ada."),
                modes(json!([{"member": "eve", "mode": "plan"}])).expect("no teammate `team-lead`"),
                reply([say("Ok.")]).expect("no teammate `eve`. There are: ada, bob."),
                reply([say("Ok.")]).times(9),
            ],
        )
        .agent("ada", [reply([say("Ready.")])])
        .agent("bob", [reply([say("Ready.")])]);
    let mut stage = Stage::new(script).await;
    stage.prompt("Go.").await;
    let request = stage.question().await;
    assert_eq!(request.description, "Set the mode of ada to Default");
    assert_eq!(stage.leader.snapshot().members[1].mode, Mode::Plan);
    stage.allow(&request).await;
    assert_eq!(stage.turn_end("team-lead").await, (TurnEnd::Completed, None));
    let modes: Vec<Mode> = stage.leader.snapshot().members.iter().map(|member| member.mode).collect();
    assert_eq!(modes, [Mode::Default, Mode::Default, Mode::DontAsk]);
    stage.leader.shutdown().await;
}
