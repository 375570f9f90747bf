//! Glob: files by their names.

use std::path::PathBuf;
use std::time::SystemTime;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use swarm_guard::{Effect, Granted};

use super::ToolContext;
use super::tool::{Preview, Tool, ToolError};
use super::walk::{Names, walk};

/// How many paths are shown.
const SHOWN_MAX: usize = 200;

pub(super) struct Glob;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Input {
    /// Such as `*.rs`, `src/**/*.{ts,tsx}` or `.github/**`.
    pattern: String,
    /// The folder to look in; the working directory without it.
    path: Option<String>,
}

pub(super) struct Plan {
    names: Names,
    root: PathBuf,
}

#[async_trait]
impl Tool for Glob {
    const NAME: &'static str = "Glob";
    const DESCRIPTION: &'static str = include_str!("glob.md");
    type Input = Input;
    type Plan = Plan;

    async fn prepare(&self, input: Input, context: &ToolContext) -> Result<(Preview, Plan), ToolError> {
        let names = Names::read(&input.pattern)?;
        let path = input.path.as_deref().unwrap_or(".");
        let root = context.files.resolve(path).await.map_err(ToolError::tell)?;
        let preview = Preview {
            effect: Effect::Reads { paths: vec![root.clone()] },
            description: format!("Find {} in {}", input.pattern, context.shown(&root)),
            keys: vec![root.display().to_string()],
            change: None,
        };
        Ok((preview, Plan { names, root }))
    }

    async fn run(&self, call: Granted<Plan>, context: &ToolContext) -> Result<String, ToolError> {
        let Plan { names, root } = call.into_inner();
        if !root.is_dir() {
            return Err(ToolError::tell(format!("{} is no folder.", context.shown(&root))));
        }
        let turn = context.turn.clone();
        let found = tokio::task::spawn_blocking(move || {
            let found = walk(&root, Some(&names), &turn)?;
            let time = |path: &PathBuf| {
                let modified = path.metadata().and_then(|meta| meta.modified());
                modified.unwrap_or(SystemTime::UNIX_EPOCH)
            };
            let mut dated: Vec<(SystemTime, PathBuf)> =
                found.files.into_iter().map(|path| (time(&path), path)).collect();
            dated.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
            Ok((dated, found.cut))
        });
        let (found, cut) = found.await.map_err(|lost| ToolError::tell(lost.to_string()))??;
        if found.is_empty() {
            return Ok("[No file has such a name.]".to_owned());
        }
        let mut text = String::new();
        for (_, path) in found.iter().take(SHOWN_MAX) {
            text.push_str(&format!("{}\n", context.shown(path)));
        }
        let left = found.len().saturating_sub(SHOWN_MAX);
        if left > 0 {
            let more = if cut { " at least" } else { "" };
            text.push_str(&format!("[… {left} more{more}, older than these; narrow the pattern …]"));
        }
        Ok(text)
    }
}
