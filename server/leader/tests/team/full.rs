//! A teammate whose context is full, and cannot be summarised: it can still be ended, asked or not. And a summary that
//! the server's end cuts off costs nothing.

use std::sync::Arc;

use serde_json::json;
use swarm_script::{Script, Step, WhenDone, call, reply, say, status};
use swarm_wire::lsp::{Event, MemberParams, MemberState, StopOutcome, StopParams, TurnEnd};
use swarm_wire::settings::{Provider, Settings};

use crate::stage::Stage;

fn too_long() -> Step {
    status(400).kind("invalid_request_error").message("prompt is too long: 9 tokens > 8 maximum")
}

/// A team with a teammate whose first turn failed, since nothing that is asked of its model fits.
async fn with_full(then: impl IntoIterator<Item = Step>) -> Stage {
    let spawn = call("SpawnTeammate", json!({"name": "ada", "prompt": "Begin."}));
    let script = Script::new()
        .agent("team-lead", [reply([spawn]), reply([say("Ok.")]).times(9)])
        .agent("ada", [too_long().times(4)].into_iter().chain(then));
    let mut stage = Stage::new(script).await;
    stage.prompt("Go.").await;
    let (end, why) = stage.turn_end("ada").await;
    assert_eq!(end, TurnEnd::Failed);
    assert!(why.unwrap().contains("stop this member and start another"));
    stage
}

async fn stop(stage: &mut Stage, force: bool) -> MemberState {
    let params = StopParams { member: "ada".into(), team: None, force, reason: Some("All is done.".into()) };
    let outcome = stage.leader.stop(params).await.unwrap().outcome;
    assert_eq!(outcome, if force { StopOutcome::Stopped } else { StopOutcome::Asked });
    let picked = stage.next("end of ada", |event| match event {
        Event::MemberEnded { outcome, .. } => Some(outcome),
        _ => None,
    });
    picked.await
}

#[tokio::test]
async fn one_that_can_be_asked_nothing_any_more_ends_when_it_is_asked_to() {
    let mut stage = with_full([too_long().times(9)]).await;
    assert_eq!(stop(&mut stage, false).await, MemberState::Completed);
    assert!(
        stage
            .leader
            .snapshot()
            .members
            .iter()
            .all(|member| member.name.as_str() != "ada" || member.state.has_ended())
    );
    stage.leader.shutdown().await;
}

#[tokio::test]
async fn one_that_fits_again_answers_for_itself() {
    let answer = json!({"request_id": "${request}", "approve": true});
    let answer = reply([call("ShutdownReply", answer)]).capture("request", "request_id `", "`");
    let mut stage = with_full([answer]).await;
    assert_eq!(stop(&mut stage, false).await, MemberState::Completed);
    stage.leader.shutdown().await;
}

#[tokio::test]
async fn one_is_killed_as_any_other() {
    let mut stage = with_full([]).await;
    assert_eq!(stop(&mut stage, true).await, MemberState::Killed);
    stage.leader.shutdown().await;
}

#[tokio::test]
async fn a_server_that_ends_in_the_middle_of_a_summary_loses_nothing() {
    for provider in [Provider::Anthropic, Provider::OpenaiResponses, Provider::OpenaiChat] {
        let set = |settings: &mut Settings| {
            settings.provider = Some(provider);
            settings.model = Some("strict".to_owned());
        };
        let folder = Arc::new(Stage::folders());
        let task = call("TaskCreate", json!({"subject": "Count the herons"}));
        let script = Script::new().agent(
            "team-lead",
            [
                reply([say("The word is heron."), task]),
                reply([say("Noted.")]),
                reply([say("All in short.")]).hang_after_events(3),
            ],
        );
        let mut first = Stage::with(Arc::clone(&folder), script, set).await;
        first.prompt("Which word?").await;
        assert_eq!(first.turn_end("team-lead").await, (TurnEnd::Completed, None));
        first.leader.compact(MemberParams::default()).await.unwrap();
        first.prompt("And what is that?").await;
        first.model.wait_at("hang", 1).await.unwrap();
        let before = first.transcript("team-lead").await;
        first.close().await;

        Stage::an_hour_passes(&folder);
        let script = Script::new()
            .agent("team-lead", [reply([say("A bird.")]).expect("And what is that?").expect("Well?")])
            .when_done(WhenDone::Fail);
        let mut second = Stage::with(folder, script, set).await;
        second.prompt("Well?").await;
        assert_eq!(second.turn_end("team-lead").await, (TurnEnd::Completed, None));
        let body = second.model.requests()[0].body.to_string();
        for said in ["Which word?", "The word is heron.", "Noted.", "And what is that?"] {
            assert_eq!(body.matches(said).count(), 1, "{said:?} in {body}");
        }
        let after = second.transcript("team-lead").await;
        assert_eq!(after[..before.len()], before[..], "what was written stays");
        second.close().await;
    }
}
