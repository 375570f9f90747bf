//! Results that are too long for a model: the beginning is shown, and the whole is kept in a file that it may read.

use tokio::fs;

use super::ToolContext;
use crate::clock::turn_id;

/// How much of a result the model is given, in bytes.
const SHOWN_MAX: usize = 30_000;

/// The text, or its beginning and where the whole is. `kind` is the beginning of the file's name.
pub(super) async fn kept(text: String, kind: &str, context: &ToolContext) -> String {
    if text.len() <= SHOWN_MAX {
        return text;
    }
    let head = &text[..text.floor_char_boundary(SHOWN_MAX)];
    let left = text.len() - head.len();
    let file = context.outputs.join(format!("{}.txt", turn_id().as_str().replacen("turn", kind, 1)));
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
