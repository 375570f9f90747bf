//! Write: a whole file, new or in place of what was there.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use swarm_guard::Granted;

use super::ToolContext;
use super::edit::{ChangePlan, apply_change, plan_change};
use super::tool::{Preview, Tool, ToolError};

pub(super) struct Write;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Input {
    /// The file, absolute or relative to the working directory. Missing folders are made.
    path: String,
    /// The file's whole new text.
    content: String,
}

#[async_trait]
impl Tool for Write {
    const NAME: &'static str = "Write";
    const DESCRIPTION: &'static str = include_str!("write.md");
    type Input = Input;
    type Plan = ChangePlan;

    async fn prepare(&self, input: Input, context: &ToolContext) -> Result<(Preview, ChangePlan), ToolError> {
        let path = context.resolve_for_change(&input.path).await.map_err(ToolError::tell)?;
        let before =
            context.files.read_if_there(&path).await.map_err(|error| ToolError::tell(error.to_string()))?;
        if let Some(before) = &before {
            context.files.require_read(&path, before).map_err(ToolError::tell)?;
        }
        plan_change(Self::NAME, path, before, input.content.into_bytes(), context)
    }

    async fn run(&self, call: Granted<ChangePlan>, context: &ToolContext) -> Result<String, ToolError> {
        apply_change(call, context).await
    }
}
