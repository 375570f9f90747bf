//! TaskClaim: a free task becomes the member's own.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use swarm_guard::Granted;
use swarm_store::Claim;
use swarm_wire::task::TaskId;

use super::ToolContext;
use super::tasks::{no_task, of_team, shown, with_tasks};
use super::tool::{Preview, Tool, ToolError};

pub(super) struct TaskClaim;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Input {
    id: String,
}

#[async_trait]
impl Tool for TaskClaim {
    const NAME: &'static str = "TaskClaim";
    const DESCRIPTION: &'static str = include_str!("task_claim.md");
    type Input = Input;
    type Plan = TaskId;

    async fn prepare(&self, input: Input, _context: &ToolContext) -> Result<(Preview, TaskId), ToolError> {
        Ok((of_team(format!("Take task {}", input.id), &input.id), TaskId::new(input.id)))
    }

    async fn run(&self, call: Granted<TaskId>, context: &ToolContext) -> Result<String, ToolError> {
        let id = call.into_inner();
        let (wanted, agent) = (id.clone(), context.agent.clone());
        let claim = with_tasks(context, move |tasks| tasks.claim(&wanted, &agent)).await?;
        let why_not = match claim {
            Claim::Claimed(task) => {
                context.tasks_changed().await;
                return Ok(format!("It is yours: {}\n{}", shown(&task), task.description));
            }
            Claim::Taken(owner) => format!("Task {id} is {}'s.", owner.name),
            Claim::Blocked(by) => {
                let by: Vec<&str> = by.iter().map(TaskId::as_str).collect();
                format!("Task {id} waits for {}.", by.join(", "))
            }
            Claim::Completed => format!("Task {id} is completed."),
            Claim::Unknown => return Err(no_task(context, &id).await),
        };
        Err(ToolError::tell(why_not))
    }
}
