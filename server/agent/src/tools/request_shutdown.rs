//! RequestShutdown: the leader's agent asks a teammate to end.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use swarm_guard::{Effect, Granted};

use super::ToolContext;
use super::tool::{Preview, Tool, ToolError};

pub(super) struct RequestShutdown;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Input {
    /// The teammate's name.
    name: String,
    /// Why, in a line; the teammate reads it.
    reason: Option<String>,
}

#[async_trait]
impl Tool for RequestShutdown {
    const NAME: &'static str = "RequestShutdown";
    const DESCRIPTION: &'static str = include_str!("request_shutdown.md");
    type Input = Input;
    type Plan = Input;

    async fn prepare(&self, input: Input, _context: &ToolContext) -> Result<(Preview, Input), ToolError> {
        let preview = Preview {
            effect: Effect::Team,
            description: format!("Ask {} to end", input.name),
            keys: vec![input.name.clone()],
            change: None,
        };
        Ok((preview, input))
    }

    async fn run(&self, call: Granted<Input>, context: &ToolContext) -> Result<String, ToolError> {
        let Input { name, reason } = call.into_inner();
        let team = context.team.as_ref().ok_or_else(|| ToolError::tell("Only the leader can ask that."))?;
        team.request_shutdown(&name, reason).await.map_err(ToolError::tell)
    }
}
