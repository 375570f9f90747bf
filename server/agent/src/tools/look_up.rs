//! Definition and References: where a name in the code leads, as the editor's other servers know it.

use std::collections::HashMap;
use std::path::PathBuf;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use swarm_guard::{Effect, Granted};
use swarm_wire::lsp::Spot;
use swarm_wire::process::{CodePlace, LookUp};

use super::ToolContext;
use super::tool::{Preview, Tool, ToolError};

/// How much of a line is shown beside its place, in characters.
const LINE_SHOWN: usize = 200;
/// Places whose lines are shown.
const LINES_MAX: usize = 200;

pub(super) struct Definition;
pub(super) struct References;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Input {
    /// The file, absolute or relative to the working directory.
    path: String,
    /// A line of it, counted from one.
    line: u32,
    /// The name as it stands in that line.
    name: String,
}

pub(super) struct Plan {
    path: PathBuf,
    line: u32,
    name: String,
}

#[async_trait]
impl Tool for Definition {
    const NAME: &'static str = "Definition";
    const DESCRIPTION: &'static str = include_str!("definition.md");
    type Input = Input;
    type Plan = Plan;

    async fn prepare(&self, input: Input, context: &ToolContext) -> Result<(Preview, Plan), ToolError> {
        prepared("Find the definition of", input, context).await
    }

    async fn run(&self, call: Granted<Plan>, context: &ToolContext) -> Result<String, ToolError> {
        looked_up(LookUp::Definition, call.into_inner(), context).await
    }
}

#[async_trait]
impl Tool for References {
    const NAME: &'static str = "References";
    const DESCRIPTION: &'static str = include_str!("references.md");
    type Input = Input;
    type Plan = Plan;

    async fn prepare(&self, input: Input, context: &ToolContext) -> Result<(Preview, Plan), ToolError> {
        prepared("Find the uses of", input, context).await
    }

    async fn run(&self, call: Granted<Plan>, context: &ToolContext) -> Result<String, ToolError> {
        looked_up(LookUp::References, call.into_inner(), context).await
    }
}

async fn prepared(what: &str, input: Input, context: &ToolContext) -> Result<(Preview, Plan), ToolError> {
    let Input { path, line, name } = input;
    let path = context.files.resolve(&path).await.map_err(ToolError::tell)?;
    let preview = Preview {
        effect: Effect::Reads { paths: vec![path.clone()] },
        description: format!("{what} {name} at {}:{line}", context.shown(&path)),
        keys: vec![path.display().to_string()],
        change: None,
    };
    Ok((preview, Plan { path, line, name }))
}

async fn looked_up(what: LookUp, plan: Plan, context: &ToolContext) -> Result<String, ToolError> {
    let Plan { path, line, name } = plan;
    let content = context.files.read(&path).await.map_err(|error| ToolError::tell(error.to_string()))?;
    let at = spot_of(&content.text(), line, &name).map_err(ToolError::tell)?;
    let asked = context.editor.look_up(what, &path, at);
    let found = context.turn.run_until_cancelled(asked).await.ok_or(ToolError::Aborted)?;
    let mut found = found.map_err(ToolError::tell)?;
    found.sort();
    found.dedup();
    if found.is_empty() {
        return Ok(format!("[The editor's servers know no such place for `{name}`.]"));
    }
    let mut texts = HashMap::new();
    let mut result = String::new();
    for (number, CodePlace { path, at }) in found.iter().enumerate() {
        // What lies elsewhere, or may not be read, is named and not shown.
        let may_show = number < LINES_MAX && path.starts_with(&context.cwd) && !context.sight().hides(path);
        if may_show && !texts.contains_key(path) {
            let text = context.files.read(path).await.map(|content| content.text().into_owned());
            texts.insert(path.clone(), text.unwrap_or_default());
        }
        let text = texts.get(path).and_then(|text| text.lines().nth(at.line as usize)).unwrap_or_default();
        let text: String = text.trim().chars().take(LINE_SHOWN).collect();
        let gap = if text.is_empty() { "" } else { ": " };
        result.push_str(&format!("{}:{}{gap}{text}\n", context.shown(path), at.line + 1));
    }
    Ok(result)
}

/// Where the name stands in a line that is counted from one. The error is for the model.
fn spot_of(text: &str, line: u32, name: &str) -> Result<Spot, String> {
    let number = line.checked_sub(1).ok_or("Lines count from one.")?;
    let Some(text) = text.split('\n').nth(number as usize) else {
        return Err(format!("The file has no line {line}."));
    };
    let whole = |at: &usize| {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let (before, after) = (text[..*at].chars().next_back(), text[at + name.len()..].chars().next());
        !before.is_some_and(is_word) && !after.is_some_and(is_word)
    };
    let mut places = text.match_indices(name).map(|(at, _)| at);
    let first = places.clone().next();
    let found = places.find(whole).or(first).filter(|_| !name.is_empty());
    let Some(at) = found else {
        return Err(format!("Line {line} has no `{name}`; it is: {}", text.trim()));
    };
    let character = text[..at].encode_utf16().count();
    Ok(Spot { line: number, character: u32::try_from(character).unwrap_or(u32::MAX) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_found_where_it_stands_whole() {
        let text = "use a;\nlet total😀 = subtotal + total;\n";
        let spot = |line, name| spot_of(text, line, name);
        assert_eq!(spot(2, "total"), Ok(Spot { line: 1, character: 4 }));
        assert_eq!(spot(2, "subtotal"), Ok(Spot { line: 1, character: 14 }));
        assert_eq!(spot(2, "otal"), Ok(Spot { line: 1, character: 5 }));
        assert!(spot(2, "absent").unwrap_err().contains("subtotal + total"));
        assert!(spot(9, "a").unwrap_err().contains("no line 9"));
        assert!(spot(0, "a").is_err() && spot(1, "").is_err());
    }
}
