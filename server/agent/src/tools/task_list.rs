//! TaskList: the team's tasks.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use swarm_guard::Granted;

use super::ToolContext;
use super::tasks::{of_team, shown, with_tasks};
use super::tool::{Preview, Tool, ToolError};

pub(super) struct TaskList;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Input {}

#[async_trait]
impl Tool for TaskList {
    const NAME: &'static str = "TaskList";
    const DESCRIPTION: &'static str = include_str!("task_list.md");
    type Input = Input;
    type Plan = ();

    async fn prepare(&self, _input: Input, _context: &ToolContext) -> Result<(Preview, ()), ToolError> {
        Ok((of_team("List the tasks".to_owned(), ""), ()))
    }

    async fn run(&self, _call: Granted<()>, context: &ToolContext) -> Result<String, ToolError> {
        let tasks = with_tasks(context, |tasks| tasks.list()).await?;
        let lines: Vec<String> = tasks.iter().map(shown).collect();
        Ok(if lines.is_empty() { "There are no tasks.".to_owned() } else { lines.join("\n") })
    }
}
