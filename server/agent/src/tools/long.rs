//! Results that are too long for a model: the beginning is shown, and the whole is kept in a file that it may read.

use tokio::fs;

use super::ToolContext;
use crate::clock::turn_id;

/// A result of `tool` as the model gets it: whole where it has at most `max` bytes, else its beginning, and where the
/// whole is.
pub(super) async fn fitted(text: String, max: usize, tool: &str, context: &ToolContext) -> String {
    if text.len() <= max {
        return text;
    }
    let head = &text[..text.floor_char_boundary(max)];
    let left = text.len() - head.len();
    let file = turn_id().as_str().replacen("turn", &tool.to_ascii_lowercase(), 1);
    let file = context.outputs.join(format!("{file}.txt"));
    let written = async {
        fs::create_dir_all(&context.outputs).await?;
        fs::write(&file, &text).await
    };
    let whole = match written.await {
        Ok(()) => format!("; Read {} for the whole", file.display()),
        Err(error) => format!("; the whole could not be kept: {error}"),
    };
    format!("{head}\n[… {left} bytes left out{whole} …]")
}
