//! ExitPlanMode: a member's plan, for the user to approve. Approval sets the mode, before this runs.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use swarm_guard::{Effect, Granted};

use super::ToolContext;
use super::mode_name::name;
use super::tool::{Preview, Tool, ToolError};

/// What the tool is called: a question about it is a plan.
pub const EXIT_PLAN_MODE: &str = "ExitPlanMode";

pub(super) struct ExitPlanMode;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Input {
    /// The plan, in Markdown.
    plan: String,
}

#[async_trait]
impl Tool for ExitPlanMode {
    const NAME: &'static str = EXIT_PLAN_MODE;
    const DESCRIPTION: &'static str = include_str!("exit_plan_mode.md");
    type Input = Input;
    type Plan = ();

    async fn prepare(&self, input: Input, _context: &ToolContext) -> Result<(Preview, ()), ToolError> {
        if input.plan.trim().is_empty() {
            return Err(ToolError::tell("`plan` is empty; write down what you would do."));
        }
        let preview = Preview {
            effect: Effect::EndsPlanning,
            description: "Go to work by its plan".to_owned(),
            keys: Vec::new(),
            change: None,
        };
        Ok((preview, ()))
    }

    async fn run(&self, _call: Granted<()>, context: &ToolContext) -> Result<String, ToolError> {
        let mode = name(context.bounds.borrow().mode);
        Ok(format!("You are not planning any more; your mode is `{mode}`. Go to work."))
    }
}
