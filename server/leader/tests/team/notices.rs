//! What idle teammates cost: nothing when they bring nothing, one request when several come together.

use serde_json::json;
use swarm_script::{Script, call, reply, say};
use swarm_wire::lsp::{Event, TurnEnd};
use swarm_wire::transcript::{Body, Entry};

use crate::stage::Stage;

fn spawn(name: &str) -> swarm_script::ReplyPart {
    call("SpawnTeammate", json!({"name": name, "prompt": format!("You are {name}.")}))
}

#[tokio::test]
async fn notices_that_come_together_cost_one_request() {
    let script = Script::new()
        .agent(
            "team-lead",
            [
                reply([spawn("ada"), spawn("bob")]),
                reply([say("They work.")]),
                reply([say("Both are done.")])
                    .expect("It last said: Ada is done.")
                    .expect("It last said: Bob is done."),
            ],
        )
        .agent("ada", [reply([say("Ada is done.")]).wait_for("go")])
        .agent("bob", [reply([say("Bob is done.")]).wait_for("go")]);
    let mut stage = Stage::new(script).await;
    stage.prompt("Go.").await;
    assert_eq!(stage.turn_end("team-lead").await, (TurnEnd::Completed, None));
    stage.model.open("go");
    assert_eq!(stage.turn_end("team-lead").await, (TurnEnd::Completed, None));
    stage.close().await;
}

#[tokio::test]
async fn a_notice_of_what_the_leader_was_told_already_costs_nothing() {
    let tell = call("SendMessage", json!({"to": "team-lead", "text": "The tests pass."}));
    let script = Script::new()
        .agent(
            "team-lead",
            [
                reply([spawn("ada")]),
                reply([say("She works.")]),
                reply([say("Good.")]).expect("The tests pass."),
                reply([say("I know.")]).expect("Did you hear?"),
            ],
        )
        .agent("ada", [reply([tell]).wait_for("go"), reply([say("I told the leader that the tests pass.")])]);
    let mut stage = Stage::new(script).await;
    stage.prompt("Go.").await;
    assert_eq!(stage.turn_end("team-lead").await, (TurnEnd::Completed, None));
    stage.model.open("go");
    assert_eq!(stage.turn_end("team-lead").await, (TurnEnd::Completed, None));
    // The notice stands in the history, with no turn of its own.
    let is_note = |entry: &Entry| {
        let says = matches!(&entry.body, Body::User { text, .. } if text.contains("ada has ended its turn and is idle"));
        says && entry.turn_id.is_none()
    };
    while !stage.transcript("team-lead").await.iter().any(is_note) {
        stage.next("event", Some).await;
    }
    stage.prompt("Did you hear?").await;
    assert_eq!(stage.turn_end("team-lead").await, (TurnEnd::Completed, None));
    let mut of_lead = stage.model.requests();
    of_lead.retain(|request| request.agent.starts_with("team-lead"));
    assert_eq!(of_lead.len(), 4);
    let last = of_lead[3].body.to_string();
    assert!(last.contains("ada has ended its turn and is idle"));
    stage.close().await;
}

#[tokio::test]
async fn thanks_for_thanks_die_out() {
    let thank = |to: &str| reply([call("SendMessage", json!({"to": to, "text": "Thank you!"}))]);
    let nod = || reply([say("How kind.")]);
    let rounds = |to: &str| (0..20).flat_map(|_| [thank(to), nod()]).collect::<Vec<_>>();
    let script = Script::new()
        .agent(
            "team-lead",
            [
                reply([spawn("ada"), spawn("bob")]),
                reply([say("They work.")]),
                reply([say("Well.")]).times(40),
            ],
        )
        .agent("ada", std::iter::once(reply([say("Ready.")])).chain(rounds("bob")))
        .agent("bob", std::iter::once(reply([say("Ready.")])).chain(rounds("ada")));
    let mut stage = Stage::new(script).await;
    stage.prompt("Go.").await;
    let mut working = vec!["ada", "bob"];
    let both_ready = stage.next("readiness", |event| match event {
        Event::TurnEnded { member, .. } => {
            working.retain(|name| *name != member.name.as_str());
            working.is_empty().then_some(())
        }
        _ => None,
    });
    both_ready.await;
    let params = swarm_wire::lsp::MessageParams {
        to: "ada".into(),
        text: "Bob helped you.".into(),
        team: None,
        summary: None,
    };
    stage.leader.message(params).await.unwrap();
    let quieted = stage.next("end of it", |event| match event {
        Event::Warning { text } if text.contains("only exchange courtesies") => Some(text),
        _ => None,
    });
    quieted.await;
    stage.leader.shutdown().await;
}
