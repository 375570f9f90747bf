//! `swarm/prompt`: gives a member something to do, with pieces of documents as the user sees them, and pictures.

use std::path::PathBuf;
use std::sync::Arc;

use swarm_leader::command::{AttachedPicture, AttachedText, Prompt};
use swarm_wire::lsp::{Attachment, PromptParams, PromptResult};
use swarm_wire::picture::Picture;

use crate::documents::Documents;
use crate::error::Problem;
use crate::lsp::types::{Position, Range, Url};
use crate::session::Session;

/// The longest text that a prompt may carry whole, in bytes.
const MAX_ATTACHED: usize = 1 << 20;
/// The largest file that is looked into, in bytes.
const MAX_READ: u64 = 32 << 20;

enum Attached {
    Text(AttachedText),
    Picture(AttachedPicture),
}

/// What a file holds.
enum Held {
    Text(String),
    Picture(Picture, Vec<u8>),
}

pub(crate) async fn prompt(session: Arc<Session>, params: PromptParams) -> Result<PromptResult, Problem> {
    if params.text.trim().is_empty() {
        return Err(Problem::field("text", "a prompt needs some text"));
    }
    let (mut attachments, mut pictures) = (Vec::new(), Vec::new());
    for (index, attachment) in params.attachments.into_iter().enumerate() {
        let attached = attach(&session.documents, attachment).await;
        match attached.map_err(|what| Problem::field(format!("attachments[{index}].uri"), what))? {
            Attached::Text(text) => attachments.push(text),
            Attached::Picture(picture) => pictures.push(picture),
        }
    }
    let prompt =
        Prompt { text: params.text, member: params.member, team: params.team, attachments, pictures };
    Ok(session.leader()?.prompt(prompt).await?)
}

/// What an attachment holds, from the editor where it is open there, else from the disk.
async fn attach(documents: &Documents, attachment: Attachment) -> Result<Attached, String> {
    let uri: Url =
        attachment.uri.parse().map_err(|error| format!("`{}` is no URI: {error}", attachment.uri))?;
    let path = uri.to_file_path();
    let whole = match (documents.of_uri(&uri), &path) {
        (Some(document), _) => document.text.to_string(),
        (None, Ok(path)) => match documents.of_path(path) {
            Some(document) => document.text.to_string(),
            None => match read(path.clone()).await? {
                Held::Text(text) => text,
                Held::Picture(picture, bytes) => {
                    let path = path.clone();
                    return Ok(Attached::Picture(AttachedPicture { path, picture, bytes }));
                }
            },
        },
        (None, Err(())) => return Err(format!("`{uri}` is neither open nor a file")),
    };
    let path = path.unwrap_or_else(|()| PathBuf::from(uri.as_str()));
    Ok(Attached::Text(match attachment.range {
        None => AttachedText { path, lines: None, text: whole },
        Some(range) => {
            let at = |position: swarm_wire::lsp::Position| Position::new(position.line, position.character);
            let text = documents.slice(&whole, Range::new(at(range.start), at(range.end)));
            let lines = Some((range.start.line.saturating_add(1), range.end.line.saturating_add(1)));
            AttachedText { path, lines, text }
        }
    }))
}

async fn read(path: PathBuf) -> Result<Held, String> {
    let problem = |error: std::io::Error| format!("{} cannot be read: {error}", path.display());
    let metadata = tokio::fs::metadata(&path).await.map_err(problem)?;
    if !metadata.is_file() {
        return Err(format!("{} is not a file", path.display()));
    }
    if metadata.len() > MAX_READ {
        return Err(format!("{} is larger than {MAX_READ} bytes", path.display()));
    }
    let bytes = tokio::fs::read(&path).await.map_err(problem)?;
    match swarm_agent::inspect_picture(&bytes) {
        Some(Ok(picture)) => return Ok(Held::Picture(picture, bytes)),
        Some(Err(why)) => return Err(format!("{} {why}", path.display())),
        None => {}
    }
    if bytes.len() > MAX_ATTACHED {
        return Err(format!("{} is larger than {MAX_ATTACHED} bytes; attach a range of it", path.display()));
    }
    let text = String::from_utf8(bytes);
    text.map(Held::Text).map_err(|_| format!("{} is neither UTF-8 text nor a picture", path.display()))
}
