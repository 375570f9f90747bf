//! A leader that starts again on the same folders.

use std::sync::Arc;

use serde_json::json;
use swarm_script::{Script, call, reply, say, wait};
use swarm_wire::lsp::{MemberState, TurnEnd};
use swarm_wire::permission::Outcome;

use crate::stage::Stage;

#[tokio::test]
async fn a_restarted_leader_knows_its_team_and_history_and_spends_nothing_unasked() {
    let spawn = call("SpawnTeammate", json!({"name": "ada", "prompt": "Wait."}));
    let script = Script::new()
        .agent("team-lead", [reply([spawn]), reply([say("The word is heron.")]), reply([say("Ok.")])])
        .agent("ada", [reply([say("I wait.")])]);
    let mut first = Stage::new(script).await;
    first.prompt("Remember a word.").await;
    assert_eq!(first.turn_end("ada").await, (TurnEnd::Completed, None));
    let folder = Arc::clone(&first.folder);
    first.close().await;

    let script = Script::new().agent("team-lead", [reply([say("Heron.")]).times(3)]);
    let mut second = Stage::again(folder, script).await;
    let snapshot = second.leader.snapshot();
    let states: Vec<_> = snapshot
        .members
        .iter()
        .map(|member| (member.name.as_str(), member.state, member.asleep, member.interrupted))
        .collect();
    let asleep = |name| (name, MemberState::Idle, true, false);
    assert_eq!(states, [asleep("team-lead"), asleep("ada")]);
    assert_eq!(second.model.requests().len(), 0);
    second.prompt("Which word?").await;
    assert_eq!(second.turn_end("team-lead").await, (TurnEnd::Completed, None));
    let request = second.model.requests().remove(0);
    assert!(request.body.to_string().contains("The word is heron."));
    second.close().await;
}

#[tokio::test]
async fn a_call_whose_result_was_lost_is_told_as_lost_and_not_run_again() {
    let write = call("Write", json!({"path": "x.txt", "content": "x"}));
    let script = Script::new().agent("team-lead", [reply([write])]);
    let mut first = Stage::new(script).await;
    first.prompt("Write it.").await;
    // The question is open and the call is in the transcript: the process is lost here.
    let request = first.question().await;
    let folder = Arc::clone(&first.folder);
    let copy = Arc::new(tempfile::tempdir().unwrap());
    copy_tree(folder.path(), copy.path());
    first.leader.shutdown().await;

    // The workspace's path is what finds the team, so the copy takes the first one's place.
    std::fs::remove_dir_all(folder.path().join("state")).unwrap();
    copy_tree(&copy.path().join("state"), &folder.path().join("state"));
    let script = Script::new()
        .agent("team-lead", [reply([say("It was lost.")]).expect("before this call's result was kept")]);
    let mut second = Stage::again(folder, script).await;
    // The question is taken back, the user hears of it, and a late answer does nothing.
    assert!(second.leader.notices()[0].contains("asked: Create x.txt. The question is taken back"));
    let pending = second.folder.path().join("state/teams/shop/permissions/pending");
    assert_eq!(std::fs::read_dir(pending).unwrap().count(), 0);
    assert_eq!(second.resolve(&request, |_| {}).await, Ok(Outcome::AlreadyResolved));
    second.prompt("And?").await;
    assert_eq!(second.turn_end("team-lead").await, (TurnEnd::Completed, None));
    assert!(!second.file("x.txt").exists());
    second.close().await;
}

#[tokio::test]
async fn a_second_leader_on_the_same_workspace_is_refused_and_harms_nothing() {
    let script = Script::new().agent("team-lead", [reply([wait("go"), say("Here.")])]);
    let mut first = Stage::new(script).await;
    first.prompt("Go.").await;
    first.model.wait_at("go", 1).await.unwrap();
    let second = Stage::again(Arc::clone(&first.folder), Script::new()).await;
    let refused = second
        .leader
        .prompt(swarm_leader::command::Prompt { text: "Go.".into(), ..Default::default() })
        .await;
    assert!(refused.unwrap_err().to_string().contains("another editor leads"));
    second.close().await;
    first.model.open("go");
    assert_eq!(first.turn_end("team-lead").await, (TurnEnd::Completed, None));
    first.close().await;
}

#[tokio::test]
async fn a_damaged_team_file_is_told_and_left_as_it_is() {
    let script = || Script::new().agent("team-lead", [reply([say("Here.")])]);
    let mut first = Stage::new(script()).await;
    first.prompt("Go.").await;
    assert_eq!(first.turn_end("team-lead").await, (TurnEnd::Completed, None));
    let folder = Arc::clone(&first.folder);
    first.close().await;
    let file = folder.path().join("state/teams/shop.json");
    std::fs::write(&file, "{\"x").unwrap();
    let second = Stage::again(folder, script()).await;
    let notice = &second.leader.notices()[0];
    assert!(notice.contains("shop.json") && notice.contains("not taken up"), "{notice}");
    assert_eq!(std::fs::read(&file).unwrap(), b"{\"x");
    second.close().await;
}

fn copy_tree(from: &std::path::Path, to: &std::path::Path) {
    std::fs::create_dir_all(to).unwrap();
    for item in std::fs::read_dir(from).unwrap() {
        let item = item.unwrap();
        let target = to.join(item.file_name());
        if item.file_type().unwrap().is_dir() {
            copy_tree(&item.path(), &target);
        } else if item.file_type().unwrap().is_file() {
            std::fs::copy(item.path(), target).unwrap();
        }
    }
}
