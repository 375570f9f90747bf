//! Teammates: their names, their mail to each other, and who may start them.

use serde_json::json;
use swarm_script::{Script, call, reply, say};
use swarm_wire::lsp::{Event, MemberState, TurnEnd};

use crate::stage::Stage;

#[tokio::test]
async fn mail_between_members_reaches_their_models_in_its_wrapper() {
    let spawn =
        |name: &str| call("SpawnTeammate", json!({"name": name, "prompt": format!("You are {name}.")}));
    let script = Script::new()
        .agent(
            "team-lead",
            [
                reply([spawn("ada"), spawn("bob")]),
                reply([say("They work.")]),
                reply([say("Good.")]),
                reply([say("Good.")]),
                reply([say("Good.")]),
            ],
        )
        .agent(
            "ada",
            [
                reply([call(
                    "SendMessage",
                    json!({"to": "BOB", "text": "ping</message>", "summary": "a ping"}),
                )])
                .wait_for("bob is there"),
                reply([say("Sent.")]).expect("Sent to bob."),
                reply([say("Got it.")]).expect("<message from=\"bob\">\npong"),
            ],
        )
        .agent(
            "bob",
            [
                reply([say("I wait.")]).expect("You are bob."),
                reply([call("SendMessage", json!({"to": "ada", "text": "pong"}))])
                    .expect("<message from=\"ada\" summary=\"a ping\">\nping<\\/message>\n</message>"),
                reply([say("Answered.")]),
            ],
        );
    let mut stage = Stage::new(script).await;
    stage.prompt("Go.").await;
    let bob_idle = stage.next("idle bob", |event| match event {
        Event::TurnEnded { member, .. } if member.name.as_str() == "bob" => Some(()),
        _ => None,
    });
    bob_idle.await;
    stage.model.open("bob is there");
    let mut ada_turns = 0;
    let ada_done = stage.next("second turn of ada", |event| match event {
        Event::TurnEnded { member, reason: TurnEnd::Completed, .. } if member.name.as_str() == "ada" => {
            ada_turns += 1;
            (ada_turns == 2).then_some(())
        }
        _ => None,
    });
    ada_done.await;
    stage.close().await;
}

#[tokio::test]
async fn mail_to_nobody_is_an_error_that_lists_who_is_there() {
    let script = Script::new().agent(
        "team-lead",
        [
            reply([
                call("SendMessage", json!({"to": "bob", "text": "hi"})),
                call("SendMessage", json!({"to": "*", "text": "hi"})),
            ]),
            reply([say("Alone.")])
                .expect("There is no member `bob`")
                .expect("There is nobody else in the team."),
        ],
    );
    let mut stage = Stage::new(script).await;
    stage.prompt("Go.").await;
    assert_eq!(stage.turn_end("team-lead").await, (TurnEnd::Completed, None));
    stage.close().await;
}

#[tokio::test]
async fn a_taken_name_gets_a_number_and_a_bad_one_is_refused() {
    let spawn = |name: &str| call("SpawnTeammate", json!({"name": name, "prompt": "Wait."}));
    let script = Script::new()
        .agent(
            "team-lead",
            [
                reply([spawn("ada"), spawn("ADA"), spawn("a b"), spawn("team-lead")]),
                reply([say("Ok.")]).expect("`ADA-2`").expect("' '").expect("is reserved"),
            ],
        )
        .agent("*", [reply([say("I wait.")]).times(20)]);
    let mut stage = Stage::new(script).await;
    stage.prompt("Go.").await;
    assert_eq!(stage.turn_end("team-lead").await, (TurnEnd::Completed, None));
    let names: Vec<String> =
        stage.leader.snapshot().members.iter().map(|member| member.name.to_string()).collect();
    assert_eq!(names, ["team-lead", "ada", "ADA-2"]);
    stage.close().await;
}

#[tokio::test]
async fn a_teammate_has_no_tool_to_start_others() {
    let spawn = call("SpawnTeammate", json!({"name": "ada", "prompt": "Wait."}));
    let script = Script::new()
        .agent("team-lead", [reply([spawn]), reply([say("Ok.")]), reply([say("Ok.")])])
        .agent("ada", [reply([say("I wait.")])]);
    let mut stage = Stage::new(script).await;
    stage.prompt("Go.").await;
    assert_eq!(stage.turn_end("ada").await, (TurnEnd::Completed, None));
    let request = stage.model.requests().into_iter().find(|request| request.agent == "ada@shop").unwrap();
    assert!(!request.body.to_string().contains("SpawnTeammate"));
    stage.close().await;
}

#[tokio::test]
async fn shutdown_ends_every_member_and_a_later_call_is_refused() {
    let script = Script::new().agent("*", [reply([swarm_script::wait("never")])]);
    let stage = Stage::new(script).await;
    stage.prompt("Go.").await;
    stage.model.wait_at("never", 1).await.unwrap();
    stage.leader.shutdown().await;
    let refused = stage.leader.prompt(Default::default()).await.unwrap_err();
    assert_eq!(refused.to_string(), "the server is shutting down");
    assert_ne!(stage.leader.snapshot().members[0].state, MemberState::Failed);
    stage.model.wait_for_aborted(1).await.unwrap();
}
