//! ReviewPlan: the leader's agent sends a teammate's plan on to the user, or back.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use swarm_guard::{Effect, Granted};

use super::ToolContext;
use super::tool::{Preview, Tool, ToolError};

pub(super) struct ReviewPlan;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Input {
    /// The teammate's name.
    name: String,
    /// Whether the user should see it as it is.
    approve: bool,
    /// What you think of it; the teammate reads it when you do not approve.
    feedback: Option<String>,
}

#[async_trait]
impl Tool for ReviewPlan {
    const NAME: &'static str = "ReviewPlan";
    const DESCRIPTION: &'static str = include_str!("review_plan.md");
    type Input = Input;
    type Plan = Input;

    async fn prepare(&self, input: Input, _context: &ToolContext) -> Result<(Preview, Input), ToolError> {
        if !input.approve && input.feedback.as_deref().unwrap_or_default().trim().is_empty() {
            return Err(ToolError::tell("`feedback` is empty; say what is wrong with the plan."));
        }
        let deed = if input.approve { "Send on" } else { "Send back" };
        let preview = Preview {
            effect: Effect::Team,
            description: format!("{deed} the plan of {}", input.name),
            keys: vec![input.name.clone()],
            change: None,
        };
        Ok((preview, input))
    }

    async fn run(&self, call: Granted<Input>, context: &ToolContext) -> Result<String, ToolError> {
        let Input { name, approve, feedback } = call.into_inner();
        let team = context.team.as_ref().ok_or_else(|| ToolError::tell("Only the leader reviews plans."))?;
        team.review_plan(&name, approve, feedback).await.map_err(ToolError::tell)
    }
}
