//! TaskUpdate: what became of a task, and what it is.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use swarm_guard::Granted;
use swarm_wire::task::{TaskId, TaskStatus};

use super::ToolContext;
use super::tasks::{no_task, of_team, shown, with_tasks};
use super::tool::{Preview, Tool, ToolError};

pub(super) struct TaskUpdate;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Input {
    id: String,
    status: Option<Status>,
    /// Gives the task back to the list, for another to take.
    #[serde(default)]
    release: bool,
    subject: Option<String>,
    description: Option<String>,
    /// Tasks that must be completed first, by their ids; replaces those that it had.
    blocked_by: Option<Vec<String>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Status {
    Pending,
    InProgress,
    Completed,
}

impl From<Status> for TaskStatus {
    fn from(status: Status) -> Self {
        match status {
            Status::Pending => Self::Pending,
            Status::InProgress => Self::InProgress,
            Status::Completed => Self::Completed,
        }
    }
}

#[async_trait]
impl Tool for TaskUpdate {
    const NAME: &'static str = "TaskUpdate";
    const DESCRIPTION: &'static str = include_str!("task_update.md");
    type Input = Input;
    type Plan = Input;

    async fn prepare(&self, input: Input, context: &ToolContext) -> Result<(Preview, Input), ToolError> {
        let id = TaskId::new(&*input.id);
        let wanted = id.clone();
        let Some(task) = with_tasks(context, move |tasks| tasks.get(&wanted)).await? else {
            return Err(no_task(context, &id).await);
        };
        let owner = task.owner.filter(|owner| *owner != context.agent && !context.agent.is_lead());
        if let Some(owner) = owner {
            return Err(ToolError::tell(format!("Task {id} is {}'s; tell it by SendMessage.", owner.name)));
        }
        Ok((of_team(format!("Change task {id}"), &input.id), input))
    }

    async fn run(&self, call: Granted<Input>, context: &ToolContext) -> Result<String, ToolError> {
        let Input { id, status, release, subject, description, blocked_by } = call.into_inner();
        let id = TaskId::new(id);
        let (wanted, me) = (id.clone(), context.agent.clone());
        let updated = with_tasks(context, move |tasks| {
            tasks.update(&wanted, |task| {
                if let Some(status) = status {
                    task.status = status.into();
                    if status == Status::InProgress && task.owner.is_none() {
                        task.owner = Some(me);
                    }
                }
                if release {
                    task.owner = None;
                    task.status = TaskStatus::Pending;
                }
                task.subject = subject.unwrap_or_else(|| std::mem::take(&mut task.subject));
                task.description = description.unwrap_or_else(|| std::mem::take(&mut task.description));
                if let Some(blocked_by) = blocked_by {
                    task.blocked_by = blocked_by.into_iter().map(TaskId::new).collect();
                }
            })
        });
        let Some(task) = updated.await? else { return Err(no_task(context, &id).await) };
        if status == Some(Status::Completed) {
            context.completed.note(task.id.clone());
        }
        context.tasks_changed().await;
        Ok(format!("Changed: {}", shown(&task)))
    }
}
