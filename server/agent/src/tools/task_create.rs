//! TaskCreate: a task on the team's list.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use swarm_guard::Granted;
use swarm_wire::task::TaskId;

use super::ToolContext;
use super::tasks::{of_team, shown, with_tasks};
use super::tool::{Preview, Tool, ToolError};

pub(super) struct TaskCreate;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Input {
    /// What is to be done, in a line.
    subject: String,
    /// Everything that whoever does it must know.
    #[serde(default)]
    description: String,
    /// Tasks that must be completed first, by their ids.
    #[serde(default)]
    blocked_by: Vec<String>,
}

#[async_trait]
impl Tool for TaskCreate {
    const NAME: &'static str = "TaskCreate";
    const DESCRIPTION: &'static str = include_str!("task_create.md");
    type Input = Input;
    type Plan = Input;

    async fn prepare(&self, input: Input, _context: &ToolContext) -> Result<(Preview, Input), ToolError> {
        if input.subject.trim().is_empty() {
            return Err(ToolError::tell("`subject` is empty; say what is to be done."));
        }
        Ok((of_team(format!("Add the task: {}", input.subject), &input.subject), input))
    }

    async fn run(&self, call: Granted<Input>, context: &ToolContext) -> Result<String, ToolError> {
        let Input { subject, description, blocked_by } = call.into_inner();
        let blocked_by: Vec<TaskId> = blocked_by.into_iter().map(TaskId::new).collect();
        let task =
            with_tasks(context, move |tasks| tasks.create(&subject, &description, &blocked_by)).await?;
        context.tasks_changed().await;
        Ok(format!("Added: {}", shown(&task)))
    }
}
