//! A teammate asks, the user answers: every answer reaches the file, the model, and the leader.

use serde_json::json;
use swarm_script::{Script, Step, call, reply, say};
use swarm_wire::lsp::{DecisionName, Hunk, LineRange, MemberState, TurnEnd};
use swarm_wire::permission::{Behavior, Level, Outcome, RuleUpdate, Scope, Status};

use crate::stage::Stage;

/// The lead hands all work to ada and waits.
fn delegating(ada: impl IntoIterator<Item = Step>) -> Script {
    let spawn = call("SpawnTeammate", json!({"name": "ada", "prompt": "Mend greet.txt."}));
    Script::new()
        .agent("team-lead", [reply([spawn]), reply([say("Ada works.")]), reply([say("All done.")])])
        .agent("ada", ada)
}

fn read() -> Step {
    reply([call("Read", json!({"path": "greet.txt"}))])
}

fn edit(old: &str, new: &str) -> Step {
    reply([call("Edit", json!({"path": "greet.txt", "old_string": old, "new_string": new}))])
}

async fn stage(script: Script) -> Stage {
    let stage = Stage::new(script).await;
    std::fs::write(stage.file("greet.txt"), "hello\r\nwrold\r\n").unwrap();
    stage
}

#[tokio::test]
async fn an_allowed_edit_changes_the_file_and_the_leader_goes_on_by_itself() {
    let steps = [read().expect("Mend greet.txt."), edit("wrold", "world"), reply([say("Mended.")])];
    let mut stage = stage(delegating(steps)).await;
    stage.prompt("Go.").await;
    assert_eq!(stage.turn_end("team-lead").await, (TurnEnd::Completed, None));

    let request = stage.question().await;
    assert_eq!(request.worker_name.as_str(), "ada");
    assert_eq!(request.description, "Edit greet.txt");
    assert_eq!(request.level, Level::ChangesFiles);
    assert_eq!(request.status, Status::Pending);
    let change = request.change.clone().unwrap();
    assert_eq!(change.before.as_deref(), Some("hello\r\nwrold\r\n"));
    assert_eq!(change.after, "hello\r\nworld\r\n");
    let snapshot = stage.leader.snapshot();
    assert_eq!(snapshot.permissions, std::slice::from_ref(&request));
    assert_eq!(snapshot.members[1].state, MemberState::Waiting);
    let pending = stage.folder.path().join("state/teams/shop/permissions/pending");
    assert_eq!(std::fs::read_dir(&pending).unwrap().count(), 1);

    stage.allow(&request).await;
    assert_eq!(stage.turn_end("ada").await, (TurnEnd::Completed, None));
    assert_eq!(std::fs::read(stage.file("greet.txt")).unwrap(), b"hello\r\nworld\r\n");
    assert_eq!(std::fs::read_dir(&pending).unwrap().count(), 0);
    assert_eq!(stage.turn_end("team-lead").await, (TurnEnd::Completed, None));
    let last = stage.model.requests().pop().unwrap();
    assert!(
        last.body
            .to_string()
            .contains("The teammate ada has ended its turn and is idle. It last said: Mended.")
    );
    // The second answer to a question is told that there was a first.
    assert_eq!(stage.resolve(&request, |_| {}).await, Ok(Outcome::AlreadyResolved));
    stage.close().await;
}

#[tokio::test]
async fn a_rejected_edit_reaches_the_model_as_feedback_and_the_turn_goes_on() {
    let steps = [
        read(),
        edit("wrold", "WORLD"),
        reply([say("I leave it.")]).expect("rejected this call. They said: not so loud"),
    ];
    let mut stage = stage(delegating(steps)).await;
    stage.prompt("Go.").await;
    let request = stage.question().await;
    let outcome = stage.resolve(&request, |params| {
        params.decision = DecisionName::Reject;
        params.feedback = Some("not so loud".to_owned());
    });
    assert_eq!(outcome.await, Ok(Outcome::Resolved));
    assert_eq!(stage.turn_end("ada").await, (TurnEnd::Completed, None));
    assert_eq!(std::fs::read(stage.file("greet.txt")).unwrap(), b"hello\r\nwrold\r\n");
    stage.close().await;
}

#[tokio::test]
async fn an_edited_input_is_what_runs_and_the_model_is_told() {
    let steps = [
        read(),
        edit("wrold", "moon"),
        reply([say("Fine.")]).expect("The user changed the input").expect("world"),
    ];
    let mut stage = stage(delegating(steps)).await;
    stage.prompt("Go.").await;
    let request = stage.question().await;
    let outcome = stage.resolve(&request, |params| {
        params.updated_input =
            Some(json!({"path": "greet.txt", "old_string": "wrold", "new_string": "world"}));
    });
    assert_eq!(outcome.await, Ok(Outcome::Resolved));
    assert_eq!(stage.turn_end("ada").await, (TurnEnd::Completed, None));
    assert_eq!(std::fs::read(stage.file("greet.txt")).unwrap(), b"hello\r\nworld\r\n");
    stage.close().await;
}

#[tokio::test]
async fn always_spares_the_next_like_question_and_no_other() {
    let steps = [
        read(),
        edit("hello", "Hello"),
        edit("wrold", "world"),
        reply([call("Write", json!({"path": "new.txt", "content": "x"}))]),
        reply([say("Done.")]),
    ];
    let mut stage = stage(delegating(steps)).await;
    stage.prompt("Go.").await;
    let first = stage.question().await;
    let suggested = first.permission_suggestions[0].clone();
    assert_eq!(suggested.scope, Scope::Session);
    let outcome = stage.resolve(&first, |params| params.remember = Some(suggested));
    assert_eq!(outcome.await, Ok(Outcome::Resolved));

    let second = stage.question().await;
    assert_eq!(second.tool_name, "Write");
    assert_eq!(std::fs::read(stage.file("greet.txt")).unwrap(), b"Hello\r\nworld\r\n");
    stage.allow(&second).await;
    assert_eq!(stage.turn_end("ada").await, (TurnEnd::Completed, None));
    assert_eq!(std::fs::read(stage.file("new.txt")).unwrap(), b"x");
    stage.close().await;
}

#[tokio::test]
async fn a_file_that_changed_while_the_question_waited_is_not_overwritten() {
    let steps = [
        read(),
        edit("wrold", "world"),
        reply([say("I read it again.")]).expect("changed since you read it"),
    ];
    let mut stage = stage(delegating(steps)).await;
    stage.prompt("Go.").await;
    let request = stage.question().await;
    std::fs::write(stage.file("greet.txt"), "mine now").unwrap();
    stage.allow(&request).await;
    assert_eq!(stage.turn_end("ada").await, (TurnEnd::Completed, None));
    assert_eq!(std::fs::read(stage.file("greet.txt")).unwrap(), b"mine now");
    stage.close().await;
}

#[tokio::test]
async fn an_interrupt_withdraws_the_question() {
    let steps = [read(), edit("wrold", "world")];
    let mut stage = stage(delegating(steps)).await;
    stage.prompt("Go.").await;
    let request = stage.question().await;
    let member = swarm_wire::lsp::MemberParams { member: Some("ada".to_owned()), team: None };
    assert!(stage.leader.interrupt(member).await.unwrap().interrupted);
    assert_eq!(stage.turn_end("ada").await, (TurnEnd::Interrupted, None));
    assert_eq!(stage.leader.snapshot().permissions, []);
    assert_eq!(stage.resolve(&request, |_| {}).await, Ok(Outcome::AlreadyResolved));
    assert_eq!(std::fs::read(stage.file("greet.txt")).unwrap(), b"hello\r\nwrold\r\n");
    stage.close().await;
}

#[tokio::test]
async fn a_bad_answer_is_refused_and_the_question_stays() {
    let mut stage = stage(delegating([read(), edit("wrold", "world"), reply([say("Done.")])])).await;
    stage.prompt("Go.").await;
    let request = stage.question().await;
    let remember = |rule: &str, scope| {
        Some(RuleUpdate { rules: vec![rule.to_owned()], behavior: Behavior::Allow, scope })
    };
    for (refused, field) in [
        (stage.resolve(&request, |params| params.ids.clear()).await, "ids"),
        (
            stage.resolve(&request, |params| params.remember = remember("(x", Scope::Session)).await,
            "remember",
        ),
        (stage.resolve(&request, |params| params.remember = remember("", Scope::User)).await, "remember"),
        (
            stage
                .resolve(&request, |params| {
                    params.decision = DecisionName::Reject;
                    params.updated_input = Some(json!({}));
                })
                .await,
            "updatedInput",
        ),
    ] {
        assert!(refused.unwrap_err().to_string().starts_with(field));
    }
    assert_eq!(stage.leader.snapshot().permissions.len(), 1);
    // So does an input that the tool does not take: a slip can be mended.
    let nonsense =
        stage.resolve(&request, |params| params.updated_input = Some(json!({"nonsense": 1}))).await;
    assert!(nonsense.unwrap_err().to_string().contains("does not take this input"));
    stage.allow(&request).await;
    assert_eq!(stage.turn_end("ada").await, (TurnEnd::Completed, None));
    stage.close().await;
}

#[tokio::test]
async fn of_an_edit_only_the_hunks_that_the_user_takes_are_made() {
    let steps = [
        read(),
        edit("hello\r\nwrold\r\n", "HELLO\r\nwrold\r\nmore\r\n"),
        reply([say("Half of it, then.")]).expect("wrold\\r\\nmore"),
    ];
    let mut stage = stage(delegating(steps)).await;
    stage.prompt("Go.").await;
    let request = stage.question().await;
    let lines = |start, end| LineRange { start, end };
    let greeting = Hunk { before: lines(0, 1), after: lines(0, 1) };
    let more = Hunk { before: lines(2, 2), after: lines(2, 3) };
    let refused = stage.resolve(&request, |params| params.hunks = vec![more, greeting]).await;
    assert!(refused.unwrap_err().to_string().starts_with("hunks"));
    assert_eq!(stage.resolve(&request, |params| params.hunks = vec![more]).await, Ok(Outcome::Resolved));
    assert_eq!(stage.turn_end("ada").await, (TurnEnd::Completed, None));
    assert_eq!(std::fs::read(stage.file("greet.txt")).unwrap(), b"hello\r\nwrold\r\nmore\r\n");
    stage.close().await;
}
