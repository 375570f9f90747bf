//! Read: a text file's lines, as the user sees them in the editor or as they are on disk, or a picture.

use std::fmt::Write as _;
use std::path::PathBuf;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use swarm_guard::{Effect, Granted};
use swarm_wire::picture::Picture;

use super::ToolContext;
use super::tool::{Output, Preview, Tool, ToolError};
use crate::files::Content;
use crate::picture::inspect_picture;

const DEFAULT_LINES: usize = 2000;
/// The longest line shown whole, in characters.
const LINE_MAX: usize = 2000;
/// How much of a file is shown at once, in bytes, to the end of a line; what is beyond is to be read with `offset`.
const SHOWN_MAX: usize = 100_000;

pub(super) struct Read;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Input {
    /// The file, absolute or relative to the working directory.
    path: String,
    /// The first line to show, counted from one.
    offset: Option<usize>,
    /// How many lines to show at most.
    limit: Option<usize>,
}

pub(super) struct Plan {
    path: PathBuf,
    offset: usize,
    limit: usize,
}

#[async_trait]
impl Tool for Read {
    const NAME: &'static str = "Read";
    const DESCRIPTION: &'static str = include_str!("read.md");
    /// What is shown, with a last line of four bytes a character.
    const RESULT_MAX: usize = SHOWN_MAX + 5 * LINE_MAX;
    type Input = Input;
    type Plan = Plan;

    async fn prepare(&self, input: Input, context: &ToolContext) -> Result<(Preview, Plan), ToolError> {
        let path = context.files.resolve(&input.path).await.map_err(ToolError::tell)?;
        // Its own results are no secret from a member.
        let effect = match path.starts_with(&context.outputs) {
            true => Effect::Team,
            false => Effect::Reads { paths: vec![path.clone()] },
        };
        let preview = Preview {
            effect,
            description: format!("Read {}", context.shown(&path)),
            keys: vec![path.display().to_string()],
            change: None,
        };
        let offset = input.offset.unwrap_or(1).max(1);
        Ok((preview, Plan { path, offset, limit: input.limit.unwrap_or(DEFAULT_LINES) }))
    }

    async fn run(&self, call: Granted<Plan>, context: &ToolContext) -> Result<String, ToolError> {
        self.show(call, context).await.map(|output| output.text)
    }

    async fn show(&self, call: Granted<Plan>, context: &ToolContext) -> Result<Output, ToolError> {
        let Plan { path, offset, limit } = call.into_inner();
        let content = context.files.read(&path).await.map_err(|error| ToolError::tell(error.to_string()))?;
        if let Some(picture) = inspect_picture(content.bytes()) {
            let told = |why| ToolError::tell(format!("{} {why}", context.shown(&path)));
            return shown(picture.map_err(told)?, &content, context).await;
        }
        let text = content.shown();
        let mut result = number_lines(&text, offset, limit);
        if !content.is_utf8() {
            result.push_str("\n[The file is not UTF-8; bytes that are not text are shown as \u{fffd}.]");
        }
        Ok(Output { text: result, pictures: Vec::new() })
    }
}

/// Keeps a picture as it is now, for the model to see.
async fn shown(picture: Picture, content: &Content, context: &ToolContext) -> Result<Output, ToolError> {
    if !context.choice.borrow().pictures {
        return Err(ToolError::tell(format!(
            "It is a {picture}, and you are given text alone. A command may tell more of it; what it shows, the user has to \
             tell."
        )));
    }
    let (outputs, bytes, kept) = (context.outputs.clone(), content.bytes().to_vec(), picture.clone());
    let keep = tokio::task::spawn_blocking(move || swarm_store::keep_picture(&outputs, &kept, &bytes));
    let problem = match keep.await {
        Ok(Ok(())) => return Ok(Output { text: picture.to_string(), pictures: vec![picture] }),
        Ok(Err(error)) => error.to_string(),
        Err(lost) => lost.to_string(),
    };
    Err(ToolError::tell(format!("The picture could not be kept, so it is not shown: {problem}")))
}

fn number_lines(text: &str, offset: usize, limit: usize) -> String {
    let total = text.lines().count();
    if total == 0 {
        return "[The file is empty.]".to_owned();
    }
    if offset > total {
        return format!("[The file has {total} lines; there is no line {offset}.]");
    }
    let mut result = String::new();
    let mut shown = 0;
    for (index, line) in text.lines().enumerate().skip(offset - 1).take(limit) {
        if result.len() > SHOWN_MAX {
            break;
        }
        let cut = line.char_indices().nth(LINE_MAX).map_or(line, |(at, _)| &line[..at]);
        let mark = if cut.len() < line.len() { " […]" } else { "" };
        // Writing to a string does not fail.
        let _ = writeln!(result, "{}\t{cut}{mark}", index + 1);
        shown += 1;
    }
    let last = offset - 1 + shown;
    if last < total {
        let _ = writeln!(result, "[Lines {offset} to {last} of {total}; more with offset {}.]", last + 1);
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_numbered_and_what_is_left_is_said() {
        assert_eq!(number_lines("a\r\nb\n", 1, 10), "1\ta\n2\tb\n");
        assert_eq!(number_lines("a\nb\nc", 2, 1), "2\tb\n[Lines 2 to 2 of 3; more with offset 3.]\n");
        assert!(number_lines("", 1, 10).contains("empty"));
        assert!(number_lines("a", 5, 10).contains("no line 5"));
    }

    #[test]
    fn a_long_line_is_cut_at_a_character() {
        let shown = number_lines(&"é".repeat(LINE_MAX + 1), 1, 10);
        assert!(shown.ends_with("é […]\n"));
    }
}
