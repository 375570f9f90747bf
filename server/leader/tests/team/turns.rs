//! Turns: interrupts, failures, steering, and what the history is after each.

use serde_json::json;
use swarm_leader::Refusal;
use swarm_leader::command::Prompt;
use swarm_script::{Script, call, reply, say, status, wait};
use swarm_wire::lsp::{Event, MemberParams, MemberState, TurnEnd};

use crate::stage::Stage;

#[tokio::test]
async fn a_member_that_its_provider_slows_shows_how_long_and_a_word_of_the_user_cuts_the_wait() {
    let steps = [status(429).retry_after(60.0), reply([say("Here.")]).times(2)];
    let mut stage = Stage::new(Script::new().agent("team-lead", steps)).await;
    stage.prompt("Go.").await;
    let slowed = |event| match event {
        Event::MemberChanged { member } if member.state == MemberState::RateLimited => member.tool,
        _ => None,
    };
    let shown = stage.next("a slowed member", slowed).await;
    assert!(shown.starts_with("waits 6") && shown.contains(" s: ") && shown.contains("429"), "{shown}");
    stage.prompt("Now, please.").await;
    assert_eq!(stage.turn_end("team-lead").await, (TurnEnd::Completed, None));
    stage.close().await;
}

#[tokio::test]
async fn an_interrupted_turn_keeps_what_was_said_and_the_next_one_is_accepted() {
    let script = Script::new().agent(
        "team-lead",
        [reply([say("I begin"), wait("never")]), reply([say("Yes?")]).expect("interrupted this turn")],
    );
    let mut stage = Stage::new(script).await;
    stage.prompt("Go.").await;
    stage.model.wait_at("never", 1).await.unwrap();
    stage.next("text", |event| matches!(event, Event::Text { .. }).then_some(())).await;
    assert!(stage.leader.interrupt(MemberParams::default()).await.unwrap().interrupted);
    assert_eq!(stage.turn_end("team-lead").await, (TurnEnd::Interrupted, None));
    assert!(!stage.leader.interrupt(MemberParams::default()).await.unwrap().interrupted);
    stage.prompt("Are you there?").await;
    assert_eq!(stage.turn_end("team-lead").await, (TurnEnd::Completed, None));
    stage.close().await;
}

#[tokio::test]
async fn an_interrupt_right_behind_a_prompt_ends_its_turn() {
    let script =
        Script::new().agent("team-lead", [reply([say("Late.")]).wait_for("never"), reply([say("Yes.")])]);
    let mut stage = Stage::new(script).await;
    let turn = stage.prompt("Go.").await;
    assert!(stage.leader.interrupt(MemberParams::default()).await.unwrap().interrupted);
    let ended = stage.next("turn's end", |event| match event {
        Event::TurnEnded { turn_id, reason, .. } => Some((turn_id, reason)),
        _ => None,
    });
    assert_eq!(ended.await, (turn, TurnEnd::Interrupted));
    assert!(!stage.leader.interrupt(MemberParams::default()).await.unwrap().interrupted);
    stage.leader.shutdown().await;
}

#[tokio::test]
async fn every_prompt_to_a_busy_member_reaches_the_model_once_and_hears_of_its_end() {
    let script = Script::new().agent(
        "team-lead",
        [reply([call("Read", json!({"path": "a.txt"}))]).wait_for("asked"), reply([say("Yes.")]).times(3)],
    );
    let mut stage = Stage::new(script).await;
    std::fs::write(stage.file("a.txt"), "a").unwrap();
    let mut expected = vec![stage.prompt("Read a.txt.").await];
    stage.model.wait_for(1).await.unwrap();
    for text in ["And b.txt too.", "And c.txt."] {
        expected.push(stage.prompt(text).await);
    }
    stage.model.open("asked");
    let mut ended = Vec::new();
    let all_ended = stage.next("end of all three", |event| match event {
        Event::TurnEnded { turn_id, reason: TurnEnd::Completed, .. } => {
            ended.push(turn_id);
            (ended.len() == 3).then(|| std::mem::take(&mut ended))
        }
        _ => None,
    });
    let mut ended = all_ended.await;
    ended.sort();
    expected.sort();
    assert_eq!(ended, expected);
    let transcript = serde_json::to_string(&stage.transcript("team-lead").await).unwrap();
    for text in ["Read a.txt.", "And b.txt too.", "And c.txt."] {
        assert_eq!(transcript.matches(text).count(), 1, "{transcript}");
    }
    stage.close().await;
}

#[tokio::test]
async fn a_refused_request_ends_the_turn_with_the_providers_reason() {
    let script = Script::new()
        .agent("team-lead", [status(401).message("invalid x-api-key"), reply([say("Now it works.")])]);
    let mut stage = Stage::new(script).await;
    stage.prompt("Go.").await;
    let (end, detail) = stage.turn_end("team-lead").await;
    assert_eq!(end, TurnEnd::Failed);
    let detail = detail.unwrap();
    assert!(detail.contains("401") && detail.contains("invalid x-api-key"), "{detail}");
    stage.prompt("Again.").await;
    assert_eq!(stage.turn_end("team-lead").await, (TurnEnd::Completed, None));
    stage.close().await;
}

#[tokio::test]
async fn a_broken_stream_is_tried_again_and_clients_are_told() {
    let script = Script::new().agent(
        "team-lead",
        [reply([say("Half of a sentence that breaks")]).cut_after_events(4), reply([say("A whole one.")])],
    );
    let mut stage = Stage::new(script).await;
    stage.prompt("Go.").await;
    let restarted = stage.next("restart", |event| match event {
        Event::TurnRestarted { attempt, .. } => Some(attempt),
        _ => None,
    });
    assert_eq!(restarted.await, 2);
    assert_eq!(stage.turn_end("team-lead").await, (TurnEnd::Completed, None));
    let said: Vec<_> = stage.transcript("team-lead").await;
    assert!(serde_json::to_string(&said).unwrap().contains("A whole one."));
    assert!(!serde_json::to_string(&said).unwrap().contains("Half of"));
    stage.close().await;
}

#[tokio::test]
async fn a_call_of_no_tool_or_with_bad_input_is_answered_and_the_turn_goes_on() {
    let script = Script::new().agent(
        "team-lead",
        [
            reply([call("Read", json!({"file": "x"})), call("Read", json!({"path": "none.txt"}))]),
            reply([say("I see.")]).expect("does not take this input").expect("There is no file"),
        ],
    );
    let mut stage = Stage::new(script).await;
    stage.prompt("Go.").await;
    assert_eq!(stage.turn_end("team-lead").await, (TurnEnd::Completed, None));
    stage.close().await;
}

#[tokio::test]
async fn what_cannot_be_prompted_is_refused_with_the_reason() {
    let stage = Stage::new(Script::new()).await;
    let prompt = |text: &str, member: Option<&str>, team: Option<&str>| Prompt {
        text: text.to_owned(),
        member: member.map(str::to_owned),
        team: team.map(str::to_owned),
        ..Prompt::default()
    };
    let refused = stage.leader.prompt(prompt("  ", None, None)).await.unwrap_err();
    assert!(matches!(refused, Refusal::Invalid { field, .. } if field == "text"));
    let refused = stage.leader.prompt(prompt("Go.", None, Some("other"))).await.unwrap_err();
    assert!(refused.to_string().contains("no team `other`"));
    let refused = stage.leader.prompt(prompt("Go.", Some("bob"), None)).await.unwrap_err();
    assert!(refused.to_string().contains("no member `bob`; there are: team-lead"));
    stage.close().await;
}
