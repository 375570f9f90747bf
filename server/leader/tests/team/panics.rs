//! A member that panics ends, and nobody else does. What panics here is the editor's port, in the member's own task.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use serde_json::json;
use swarm_agent::ports::{EditError, Edited, Editor, NoEditor};
use swarm_script::{Script, Step, call, reply, say, wait};
use swarm_wire::lsp::{Event, MemberState, Spot, TaskCreateParams, TeammateParams, TurnEnd};
use swarm_wire::process::{CodePlace, Finding, LookUp};
use swarm_wire::task::Task;

use crate::stage::Stage;

const WORDS: &str = "the port is broken on purpose";

/// An editor that panics when a text called `trap.txt` is wanted, or when the member of this number comes to life.
#[derive(Default)]
struct Trap {
    begun: AtomicUsize,
    panics_at: usize,
}

#[async_trait]
impl Editor for Trap {
    async fn open_text(&self, path: &Path) -> Option<String> {
        assert!(!path.ends_with("trap.txt"), "{WORDS}");
        NoEditor.open_text(path).await
    }

    async fn edit(&self, path: &Path, before: &str, after: &str) -> Result<Edited, EditError> {
        NoEditor.edit(path, before, after).await
    }

    fn knows(&self) -> bool {
        let begun = self.begun.fetch_add(1, Ordering::Relaxed) + 1;
        assert!(begun != self.panics_at, "{WORDS}");
        false
    }

    async fn diagnostics(&self, path: Option<&Path>) -> Result<Vec<Finding>, String> {
        NoEditor.diagnostics(path).await
    }

    async fn look_up(&self, what: LookUp, path: &Path, at: Spot) -> Result<Vec<CodePlace>, String> {
        NoEditor.look_up(what, path, at).await
    }
}

async fn stage(trap: Trap, ada: impl IntoIterator<Item = Step>) -> Stage {
    let spawn = |name: &str| call("SpawnTeammate", json!({"name": name, "prompt": "Begin."}));
    let script = Script::new()
        .agent("team-lead", [reply([spawn("ada"), spawn("ben")]), reply([say("Ok.")]).times(9)])
        .agent("ada", ada)
        .agent("ben", [reply([say("I"), wait("ada is gone"), say(" am fine.")])]);
    let folder = Stage::folders();
    std::fs::write(folder.path().join("shop/trap.txt"), "cheese").unwrap();
    let stage = Stage::in_editor(Arc::new(folder), script, |_| {}, Arc::new(trap)).await;
    let task = TaskCreateParams {
        subject: "Look".into(),
        description: "All of it.".into(),
        blocked_by: Vec::new(),
        team: None,
    };
    stage.leader.create_task(task).await.unwrap();
    stage
}

/// Waits for the end of ada, which is a failure that says why, and for all others to go on.
async fn only_ada_fails(stage: &mut Stage) {
    let picked = stage.next("end of ada", |event| match event {
        Event::MemberEnded { member, outcome, reason, .. } => Some((member, outcome, reason)),
        _ => None,
    });
    let (member, outcome, reason) = picked.await;
    assert_eq!((member.name.as_str(), outcome), ("ada", MemberState::Failed));
    assert!(reason.unwrap().contains(WORDS));
    let adas = |task: &Task| task.owner.as_ref().is_some_and(|owner| owner.name.as_str() == "ada");
    // Its task is free again.
    stage.leader.watch().wait_for(|state| !state.tasks.iter().any(adas)).await.unwrap();
    stage.model.open("ada is gone");
    assert_eq!(stage.turn_end("ben").await, (TurnEnd::Completed, None));
    stage.prompt("Are you there?").await;
    assert_eq!(stage.turn_end("team-lead").await, (TurnEnd::Completed, None));
}

#[tokio::test]
async fn a_tool_that_panics_ends_its_member_which_can_be_restarted_with_its_history() {
    let read = reply([say("I look."), call("Read", json!({"path": "trap.txt"}))]);
    let ada = [read, reply([say("I see.")]).expect("It may have run").expect("Again?")];
    let mut stage = stage(Trap::default(), ada).await;
    stage.prompt("Go.").await;
    only_ada_fails(&mut stage).await;

    let ada = || TeammateParams { member: "ada".into(), team: None };
    stage.leader.restart(ada()).await.unwrap();
    let again = swarm_leader::command::Prompt {
        text: "Again?".into(),
        member: Some("ada".into()),
        ..Default::default()
    };
    stage.leader.prompt(again).await.unwrap();
    assert_eq!(stage.turn_end("ada").await, (TurnEnd::Completed, None));
    stage.close().await;
}

#[tokio::test]
async fn a_loop_that_panics_ends_its_member_alone() {
    // The leader's agent is the first.
    let trap = Trap { panics_at: 2, ..Trap::default() };
    let mut stage = stage(trap, []).await;
    stage.prompt("Go.").await;
    only_ada_fails(&mut stage).await;
    stage.close().await;
}
