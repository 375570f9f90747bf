//! How teammates end: asked, killed, by a panic of nobody's; and what stays of them.

use serde_json::json;
use swarm_leader::Refusal;
use swarm_script::{Script, Step, call, reply, say, wait};
use swarm_wire::lsp::{Event, MemberState, SpawnParams, StopOutcome, StopParams, TurnEnd};

use crate::stage::Stage;

fn team(ada: impl IntoIterator<Item = Step>) -> Script {
    let spawn = call("SpawnTeammate", json!({"name": "ada", "prompt": "Begin."}));
    Script::new().agent("team-lead", [reply([spawn]), reply([say("Ok.")]).times(9)]).agent("ada", ada)
}

async fn stop(stage: &Stage, force: bool) -> Result<StopOutcome, Refusal> {
    let params = StopParams { member: "ada".into(), team: None, force, reason: Some("All is done.".into()) };
    Ok(stage.leader.stop(params).await?.outcome)
}

async fn ended(stage: &mut Stage) -> MemberState {
    let picked = stage.next("end of ada", |event| match event {
        Event::MemberEnded { outcome, .. } => Some(outcome),
        _ => None,
    });
    picked.await
}

fn members_on_disk(stage: &Stage) -> String {
    std::fs::read_to_string(stage.folder.path().join("state/teams/shop.json")).unwrap()
}

/// The model answers the request that it was shown.
fn agreeing(approve: bool) -> Step {
    let input = json!({"request_id": "${request}", "approve": approve, "reason": "One file is left."});
    reply([call("ShutdownReply", input)]).expect("the user asks you to end. Why: All is done.").capture(
        "request",
        "request_id `",
        "`",
    )
}

#[tokio::test]
async fn a_killed_member_is_gone_at_once_with_its_question_and_its_name_is_not_used_again() {
    let edit = call("Write", json!({"path": "x.txt", "content": "x"}));
    let mut stage = Stage::new(team([reply([edit])])).await;
    stage.prompt("Go.").await;
    let request = stage.question().await;
    assert_eq!(stop(&stage, true).await, Ok(StopOutcome::Stopped));
    assert_eq!(ended(&mut stage).await, MemberState::Killed);
    assert_eq!(stage.leader.snapshot().permissions, []);
    assert!(!stage.file("x.txt").exists());
    assert!(!members_on_disk(&stage).contains("ada@shop"));
    assert_eq!(stop(&stage, true).await, Ok(StopOutcome::AlreadyEnded));
    assert_ne!(stage.resolve(&request, |_| {}).await, Ok(swarm_wire::permission::Outcome::Resolved));

    let again = SpawnParams {
        agent_type: None,
        backend: None,
        worktree: false,
        plan_mode_required: false,
        name: "ada".into(),
        prompt: "Begin.".into(),
        call_id: Some("c1".into()),
        team: None,
        model: None,
        effort: None,
        color: None,
        mode: None,
    };
    let member = stage.leader.spawn(again.clone()).await.unwrap();
    assert_eq!(member.name.as_str(), "ada-2");
    assert_eq!(stage.leader.spawn(again).await.unwrap().agent_id, member.agent_id);
    stage.leader.shutdown().await;
}

#[tokio::test]
async fn a_kill_in_the_middle_of_a_stream_closes_it() {
    let mut stage = Stage::new(team([reply([say("I think"), wait("never")])])).await;
    stage.prompt("Go.").await;
    stage.model.wait_at("never", 1).await.unwrap();
    assert_eq!(stop(&stage, true).await, Ok(StopOutcome::Stopped));
    assert_eq!(ended(&mut stage).await, MemberState::Killed);
    stage.model.wait_for_aborted(1).await.unwrap();
    stage.close().await;
}

#[tokio::test]
async fn the_lead_is_not_stopped_and_nobody_unknown_is() {
    let stage = Stage::new(team([])).await;
    let refused = |member: &str| {
        let params = StopParams { member: member.into(), team: None, force: true, reason: None };
        let leader = stage.leader.clone();
        async move { leader.stop(params).await.unwrap_err().to_string() }
    };
    assert!(refused("ada").await.contains("no member `ada`"));
    stage.prompt("Go.").await;
    assert!(refused("team-lead").await.contains("interrupt"));
    stage.leader.shutdown().await;
}

#[tokio::test]
async fn a_teammate_that_was_not_asked_cannot_end_itself() {
    let unasked = reply([call("ShutdownReply", json!({"request_id": "r", "approve": true}))]);
    let mut stage =
        Stage::new(team([unasked, reply([say("I stay.")]).expect("Nobody asked you to end")])).await;
    stage.prompt("Go.").await;
    assert_eq!(stage.turn_end("ada").await, (TurnEnd::Completed, None));
    assert_eq!(stage.leader.snapshot().members[1].state, MemberState::Idle);
    stage.close().await;
}

#[tokio::test]
async fn a_teammate_that_agrees_to_end_is_gone_and_one_that_refuses_can_be_overruled() {
    let mut stage = Stage::new(team([
        reply([say("I begin.")]),
        agreeing(false),
        reply([say("On I go.")]),
        agreeing(true),
    ]))
    .await;
    stage.prompt("Go.").await;
    assert_eq!(stage.turn_end("ada").await, (TurnEnd::Completed, None));

    assert_eq!(stop(&stage, false).await, Ok(StopOutcome::Asked));
    // The refusal goes by mail, so that the turn may end before it is heard.
    let (mut refused, mut ended_turn) = (None, false);
    let both = stage.next("refusal and end of the turn", |event| {
        match event {
            Event::ShutdownRefused { reason, .. } => refused = Some(reason),
            Event::TurnEnded { member, .. } => ended_turn |= member.name.as_str() == "ada",
            _ => {}
        }
        if ended_turn { refused.take() } else { None }
    });
    assert_eq!(both.await, "One file is left.");

    assert_eq!(stop(&stage, false).await, Ok(StopOutcome::Asked));
    assert_eq!(ended(&mut stage).await, MemberState::Completed);
    assert!(!members_on_disk(&stage).contains("ada@shop"));
    stage.close().await;
}
