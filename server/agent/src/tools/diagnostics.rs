//! Diagnostics: what the editor's other servers find wrong.

use std::path::{Path, PathBuf};

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use swarm_guard::{Effect, Granted};
use swarm_wire::lsp::Severity;
use swarm_wire::process::Finding;

use super::ToolContext;
use super::tool::{Preview, Tool, ToolError};

pub(super) struct Diagnostics;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Input {
    /// One file; all without it.
    path: Option<String>,
}

#[async_trait]
impl Tool for Diagnostics {
    const NAME: &'static str = "Diagnostics";
    const DESCRIPTION: &'static str = include_str!("diagnostics.md");
    type Input = Input;
    type Plan = Option<PathBuf>;

    async fn prepare(
        &self,
        input: Input,
        context: &ToolContext,
    ) -> Result<(Preview, Option<PathBuf>), ToolError> {
        let path = match &input.path {
            Some(path) => Some(context.files.resolve(path).await.map_err(ToolError::tell)?),
            None => None,
        };
        let read = path.as_ref().unwrap_or(&context.cwd);
        let preview = Preview {
            effect: Effect::Reads { paths: vec![read.clone()] },
            description: match &path {
                Some(path) => format!("Look at the diagnostics of {}", context.shown(path)),
                None => "Look at the diagnostics".to_owned(),
            },
            keys: vec![read.display().to_string()],
            change: None,
        };
        Ok((preview, path))
    }

    async fn run(&self, call: Granted<Option<PathBuf>>, context: &ToolContext) -> Result<String, ToolError> {
        let path = call.into_inner();
        let asked = context.editor.diagnostics(path.as_deref());
        let found = context.turn.run_until_cancelled(asked).await.ok_or(ToolError::Aborted)?;
        let mut found = found.map_err(ToolError::tell)?;
        let sight = context.sight();
        let worktree = context.bounds.borrow().worktree.clone();
        // What is wrong in the user's checkout is not so in the worktree that stands in for it.
        let is_elsewhere = |file: &Path| worktree.as_ref().is_some_and(|own| own.instead(file).is_some());
        found.retain(|Finding { place, .. }| {
            path.is_some() || !(sight.hides(&place.path) || is_elsewhere(&place.path))
        });
        found.sort_by(|a, b| (a.severity, &a.place).cmp(&(b.severity, &b.place)));
        if found.is_empty() {
            return Ok("[The editor knows of nothing wrong.]".to_owned());
        }
        Ok(found.iter().map(|finding| line(finding, context)).collect())
    }
}

fn line(finding: &Finding, context: &ToolContext) -> String {
    let Finding { place, severity, message, source } = finding;
    let severity = match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Information => "information",
        Severity::Hint => "hint",
    };
    let source = source.as_ref().map(|source| format!(" [{source}]")).unwrap_or_default();
    let message = message.replace('\n', "\n    ");
    format!("{}:{}: {severity}: {message}{source}\n", context.shown(&place.path), place.at.line + 1)
}
