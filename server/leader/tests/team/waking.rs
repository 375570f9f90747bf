//! Members that an earlier leader left: they sleep, and go on when they hear from someone.

use std::sync::Arc;

use serde_json::json;
use swarm_leader::Refusal;
use swarm_leader::command::Prompt;
use swarm_script::{Script, Step, call, reply, say, wait};
use swarm_wire::lsp::{Event, MemberView, StopOutcome, StopParams, TeammateParams, TurnEnd};
use swarm_wire::settings::Resume;
use tempfile::TempDir;

use crate::stage::Stage;

fn member(stage: &Stage, name: &str) -> MemberView {
    let snapshot = stage.leader.snapshot();
    snapshot.members.iter().find(|member| member.name.as_str() == name).unwrap().clone()
}

/// A team whose teammate ada was cut off in the middle of a step.
async fn cut_off() -> Arc<TempDir> {
    let spawn = call("SpawnTeammate", json!({"name": "ada", "prompt": "Count the herons."}));
    let script = Script::new()
        .agent("team-lead", [reply([spawn]), reply([say("She counts.")])])
        .agent("ada", [reply([say("One, "), wait("for ever"), say("two.")])]);
    let mut first = Stage::new(script).await;
    first.prompt("Count.").await;
    assert_eq!(first.turn_end("team-lead").await, (TurnEnd::Completed, None));
    first.model.wait_at("for ever", 1).await.unwrap();
    let folder = Arc::clone(&first.folder);
    first.leader.shutdown().await;
    folder
}

fn goes_on() -> Step {
    reply([say("One, two.")]).expect("Go on with what you were doing.")
}

#[tokio::test]
async fn a_member_that_was_cut_off_is_marked_and_goes_on_at_the_users_word() {
    let folder = cut_off().await;
    let script =
        Script::new().agent("ada", [reply([say("One, two.")]).expect("Well?")]).agent("team-lead", []);
    let mut second = Stage::again(folder, script).await;
    assert!(member(&second, "ada").interrupted && member(&second, "ada").asleep);
    assert!(!member(&second, "team-lead").interrupted);
    let prompt = Prompt { text: "Well?".into(), member: Some("ada".into()), ..Prompt::default() };
    second.leader.prompt(prompt).await.unwrap();
    assert_eq!(second.turn_end("ada").await, (TurnEnd::Completed, None));
    let view = member(&second, "ada");
    assert!(!view.interrupted && !view.asleep);
    let body = second.model.requests().remove(0).body.to_string();
    assert!(body.contains("Count the herons.") && body.contains("One, "));
    assert!(body.contains("ended in the middle of this turn"));
    second.leader.shutdown().await;
}

#[tokio::test]
async fn a_restart_lets_a_member_that_was_cut_off_go_on() {
    let folder = cut_off().await;
    let script = Script::new().agent("ada", [goes_on()]).agent("team-lead", []);
    let mut second = Stage::again(folder, script).await;
    let ada = |team: Option<&str>| TeammateParams { member: "ada".into(), team: team.map(Into::into) };
    second.leader.restart(ada(None)).await.unwrap();
    assert_eq!(second.turn_end("ada").await, (TurnEnd::Completed, None));
    let again = second.leader.restart(ada(None)).await;
    assert!(matches!(again, Err(Refusal::Failed(text)) if text.contains("nothing to restart")));
    second.leader.shutdown().await;
}

#[tokio::test]
async fn an_editors_reload_lets_the_team_go_on_by_itself() {
    let folder = cut_off().await;
    let script = Script::new()
        .agent("ada", [goes_on()])
        .agent("team-lead", [reply([say("Two, then.")]).expect("One, two.")]);
    let mut second = Stage::reloaded(folder, script).await;
    assert_eq!(second.turn_end("ada").await, (TurnEnd::Completed, None));
    // Her leader hears of it: it runs again too, though it was not cut off.
    assert_eq!(second.turn_end("team-lead").await, (TurnEnd::Completed, None));
    second.close().await;
}

#[tokio::test]
async fn with_resume_auto_the_team_goes_on_however_long_it_was_away() {
    let folder = cut_off().await;
    let seen = folder.path().join("state/teams/shop/leader.seen");
    let long_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(86_400);
    std::fs::File::options().write(true).open(seen).unwrap().set_modified(long_ago).unwrap();
    let script = Script::new()
        .agent("ada", [goes_on()])
        .agent("team-lead", [reply([say("Two, then.")]).expect("One, two.")]);
    let mut second = Stage::with(folder, script, |settings| settings.resume = Resume::Auto).await;
    assert_eq!(second.turn_end("ada").await, (TurnEnd::Completed, None));
    second.leader.shutdown().await;
}

#[tokio::test]
async fn mail_of_another_member_wakes_one_that_sleeps_and_is_seen_by_clients() {
    let folder = cut_off().await;
    let send = call("SendMessage", json!({"to": "ada", "text": "Where are you?", "summary": "a question"}));
    let script = Script::new()
        .agent("team-lead", [reply([send]), reply([say("Asked.")]), reply([say("Fine.")])])
        .agent("ada", [reply([say("Here.")]).expect("Where are you?")]);
    let mut second = Stage::again(folder, script).await;
    second.prompt("Ask her.").await;
    let seen = second.next("mail", |event| match event {
        Event::Message { from, to, summary, .. } => Some((from, to.name.to_string(), summary)),
        _ => None,
    });
    assert_eq!(seen.await, ("team-lead@shop".into(), "ada".into(), Some("a question".into())));
    assert_eq!(second.turn_end("ada").await, (TurnEnd::Completed, None));
    second.leader.shutdown().await;
}

#[tokio::test]
async fn a_member_that_sleeps_can_be_ended() {
    let folder = cut_off().await;
    let second = Stage::again(Arc::clone(&folder), Script::new()).await;
    let params = StopParams { member: "ada".into(), team: None, force: false, reason: None };
    assert_eq!(second.leader.stop(params).await.unwrap().outcome, StopOutcome::Stopped);
    let file = std::fs::read_to_string(folder.path().join("state/teams/shop.json")).unwrap();
    assert!(!file.contains("ada@shop"), "{file}");
    second.close().await;
}
