//! The team's list of tasks: who takes which, what waits for what, and what becomes of it when a member goes.

use std::sync::Arc;

use serde_json::{Value, json};
use swarm_script::{Script, Step, call, reply, say, wait};
use swarm_wire::lsp::{Event, StopParams, TaskCreateParams, TaskListParams, TaskUpdateParams, TurnEnd};
use swarm_wire::task::{Task, TaskId, TaskStatus};

use crate::stage::Stage;

fn use_tool(tool: &str, input: Value) -> Step {
    reply([call(tool, input)])
}

fn spawn(name: &str) -> swarm_script::ReplyPart {
    call("SpawnTeammate", json!({"name": name, "prompt": format!("You are {name}.")}))
}

async fn create(stage: &Stage, subject: &str, blocked_by: &[&str]) -> Task {
    let blocked_by = blocked_by.iter().map(|id| TaskId::new(*id)).collect();
    let params = TaskCreateParams {
        subject: subject.into(),
        description: "All of it.".into(),
        blocked_by,
        team: None,
    };
    stage.leader.create_task(params).await.unwrap()
}

/// The next change that leaves a task completed.
async fn completed(stage: &mut Stage) -> Task {
    let picked = stage.next("completed task", |event| match event {
        Event::TaskChanged { task } if task.status == TaskStatus::Completed => Some(*task),
        _ => None,
    });
    picked.await
}

#[tokio::test]
async fn a_task_wakes_one_idle_teammate_and_its_completion_lets_the_next_be_taken() {
    let done = |id: &str| use_tool("TaskUpdate", json!({"id": id, "status": "completed"}));
    let script =
        Script::new().agent("team-lead", [reply([spawn("ada")]), reply([say("Ok.")]).times(9)]).agent(
            "ada",
            [
                reply([say("Ready.")]).expect("You are ada."),
                done("1").expect("This task is yours now: 1 [in progress, ada] Wash\nAll of it."),
                reply([say("Washed.")]).expect("Changed: 1 [completed, ada] Wash"),
                done("2").expect("2 [in progress, ada, after 1] Dry"),
                reply([say("Dried.")]),
            ],
        );
    let mut stage = Stage::new(script).await;
    stage.prompt("Go.").await;
    assert_eq!(stage.turn_end("ada").await, (TurnEnd::Completed, None));
    create(&stage, "Wash", &[]).await;
    create(&stage, "Dry", &["1"]).await;
    assert_eq!(completed(&mut stage).await.id.as_str(), "1");
    assert_eq!(completed(&mut stage).await.id.as_str(), "2");
    // Its leader hears which task was completed.
    let told = |stage: &Stage| {
        let requests = stage.model.requests();
        requests.iter().any(|request| request.body.to_string().contains("It completed task 2."))
    };
    while !told(&stage) {
        stage.next("event", Some).await;
    }
    stage.leader.shutdown().await;
}

#[tokio::test]
async fn a_teammate_starts_with_a_free_task_and_two_never_get_the_same() {
    let script = Script::new()
        .agent(
            "team-lead",
            [
                use_tool("TaskCreate", json!({"subject": "Wash"})),
                use_tool("TaskCreate", json!({"subject": "Dry", "blocked_by": ["9"]}))
                    .expect("Added: 1 [free] Wash"),
                use_tool("TaskCreate", json!({"subject": "Dry"})).expect("9"),
                reply([spawn("ada"), spawn("bob"), spawn("eve")]).expect("Added: 2 [free] Dry"),
                use_tool("TaskUpdate", json!({"id": "7", "status": "completed"})),
                reply([say("Ok.")]).expect("There is no task 7. There are: 1, 2.").times(9),
            ],
        )
        .agent("ada", [reply([say("I wash.")]).expect("1 [in progress, ada] Wash")])
        .agent(
            "bob",
            [
                use_tool("TaskClaim", json!({"id": "1"})).expect("2 [in progress, bob] Dry"),
                use_tool("TaskUpdate", json!({"id": "1", "status": "completed"})).expect("Task 1 is ada's."),
                use_tool("TaskList", json!({})).expect("Task 1 is ada's; tell it by SendMessage."),
                reply([say("I dry.")]).expect("1 [in progress, ada] Wash\n2 [in progress, bob] Dry"),
            ],
        )
        .agent("eve", [reply([say("Nothing for me.")]).expect("You are eve.")]);
    let mut stage = Stage::new(script).await;
    stage.prompt("Go.").await;
    let mut working = vec!["ada", "bob", "eve"];
    let all_done = stage.next("ends", |event| match event {
        Event::TurnEnded { member, reason, detail, .. } if !member.is_lead() => {
            assert_eq!((reason, detail), (TurnEnd::Completed, None));
            working.retain(|name| *name != member.name.as_str());
            working.is_empty().then_some(())
        }
        _ => None,
    });
    all_done.await;
    stage.leader.shutdown().await;
}

#[tokio::test]
async fn the_task_of_a_member_that_was_killed_goes_to_another_and_one_of_a_sleeper_stays() {
    let script = Script::new()
        .agent("team-lead", [reply([spawn("ada"), spawn("bob")]), reply([say("Ok.")]).times(9)])
        .agent("ada", [reply([say("Ready.")]), reply([wait("for ever")])])
        .agent("bob", [reply([wait("bob")]), reply([say("I wash.")]).expect("1 [in progress, bob] Wash")]);
    let mut stage = Stage::new(script).await;
    stage.prompt("Go.").await;
    assert_eq!(stage.turn_end("ada").await, (TurnEnd::Completed, None));
    let task = create(&stage, "Wash", &[]).await;
    assert_eq!(task.owner.unwrap().name.as_str(), "ada");
    stage.model.wait_at("for ever", 1).await.unwrap();
    stage.model.open("bob");
    let params = StopParams { member: "ada".into(), team: None, force: true, reason: None };
    stage.leader.stop(params).await.unwrap();
    let taken = stage.next("new owner", |event| match event {
        Event::TaskChanged { task }
            if task.owner.as_ref().is_some_and(|owner| owner.name.as_str() == "bob") =>
        {
            Some(())
        }
        _ => None,
    });
    taken.await;
    let folder = Arc::clone(&stage.folder);
    stage.leader.shutdown().await;

    let second = Stage::again(folder, Script::new()).await;
    let tasks = second.leader.snapshot().tasks.clone();
    assert_eq!(
        (tasks[0].status, tasks[0].owner.as_ref().unwrap().name.as_str()),
        (TaskStatus::InProgress, "bob")
    );
    // The user gives it back, and puts it another way.
    let params = TaskUpdateParams {
        id: TaskId::new("1"),
        status: None,
        owner: Some(String::new()),
        subject: Some("Wash up".into()),
        description: None,
        blocked_by: None,
        team: None,
    };
    let task = second.leader.update_task(params).await.unwrap();
    assert_eq!((task.owner, task.status, task.subject.as_str()), (None, TaskStatus::Pending, "Wash up"));
    assert_eq!(second.leader.tasks(TaskListParams::default()).await.unwrap().tasks.len(), 1);
    second.close().await;
}
