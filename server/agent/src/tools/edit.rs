//! Edit: one piece of text for another. Every byte outside the piece stays.

use std::path::PathBuf;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use swarm_guard::{Effect, Granted};
use swarm_wire::permission::FileChange;

use super::ToolContext;
use super::tool::{Preview, Tool, ToolError};
use crate::files::{Content, Written, replace};

pub(super) struct Edit;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Input {
    /// The file, absolute or relative to the working directory.
    path: String,
    /// The text to replace, exactly as it stands in the file.
    old_string: String,
    /// The text to put in its place.
    new_string: String,
    /// Replace every place where `old_string` stands.
    #[serde(default)]
    replace_all: bool,
}

/// A whole change of one file, made from `before`.
pub(super) struct ChangePlan {
    path: PathBuf,
    before: Option<Content>,
    after: Vec<u8>,
}

#[async_trait]
impl Tool for Edit {
    const NAME: &'static str = "Edit";
    const DESCRIPTION: &'static str = include_str!("edit.md");
    type Input = Input;
    type Plan = ChangePlan;

    async fn prepare(&self, input: Input, context: &ToolContext) -> Result<(Preview, ChangePlan), ToolError> {
        let path = context.resolve_for_change(&input.path).await.map_err(ToolError::tell)?;
        let before =
            context.files.read_for_change(&path).await.map_err(|error| ToolError::tell(error.to_string()))?;
        context.files.require_read(&path, &before).map_err(ToolError::tell)?;
        let after = replace(before.bytes(), &input.old_string, &input.new_string, input.replace_all)
            .map_err(|error| ToolError::tell(format!("{}: {error}", context.shown(&path))))?;
        plan_change(Self::NAME, path, Some(before), after, context)
    }

    async fn run(&self, call: Granted<ChangePlan>, context: &ToolContext) -> Result<String, ToolError> {
        apply_change(call, context).await
    }
}

/// The preview and plan of a change, for every tool that changes one file.
pub(super) fn plan_change(
    tool: &str,
    path: PathBuf,
    before: Option<Content>,
    after: Vec<u8>,
    context: &ToolContext,
) -> Result<(Preview, ChangePlan), ToolError> {
    if before.as_ref().is_some_and(|before| before.bytes() == after) {
        return Err(ToolError::tell(format!("{}: nothing would change.", context.shown(&path))));
    }
    let verb = if before.is_none() { "Create" } else { tool };
    let preview = Preview {
        effect: Effect::Writes { paths: vec![path.clone()] },
        description: format!("{verb} {}", context.shown(&path)),
        keys: vec![path.display().to_string()],
        change: Some(FileChange {
            path: path.display().to_string(),
            before: before.as_ref().map(|before| before.text().into_owned()),
            after: String::from_utf8_lossy(&after).into_owned(),
        }),
    };
    Ok((preview, ChangePlan { path, before, after }))
}

/// Writes a granted change: through the editor where the file is open, else on disk.
pub(super) async fn apply_change(
    call: Granted<ChangePlan>,
    context: &ToolContext,
) -> Result<String, ToolError> {
    let ChangePlan { path, before, after } = call.into_inner();
    let created = before.is_none();
    let written = context
        .files
        .write(&path, before, after)
        .await
        .map_err(|error| ToolError::tell(error.to_string()))?;
    let shown = context.shown(&path);
    Ok(match written {
        Written::Disk if created => format!("Created {shown}."),
        Written::Disk => format!("Changed {shown}."),
        Written::Saved => format!("Changed {shown} in the user's editor and saved it."),
        Written::Unsaved => format!(
            "Changed {shown} in the user's editor. It is not saved: commands still see the old text until the user saves it."
        ),
    })
}
