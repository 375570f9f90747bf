//! Answers that the user writes in a document: opened here, read when the user sends it by a code action.

use serde_json::{Value, json};
use swarm_wire::RequestId;

use crate::error::Problem;
use crate::lsp::types::{MessageType, Url};
use crate::pages::{self, Draft, Purpose};
use crate::session::Session;

/// What a draft is about.
pub(super) struct About<'a> {
    /// Who asks for what, for the document's name.
    pub(super) who: String,
    pub(super) id: &'a RequestId,
    /// The input to change.
    pub(super) input: &'a Value,
}

/// Opens a draft; where the editor shows no documents, the result holds its text.
pub(super) fn open(session: &Session, about: &About<'_>, purpose: Purpose) -> Result<Value, Problem> {
    let who = format!("{}-{}", about.who, about.id);
    let (name, text, field) = match purpose {
        Purpose::Input => {
            let text = serde_json::to_string_pretty(about.input).unwrap_or_default();
            (format!("{who}.json"), text + "\n", "input")
        }
        Purpose::Feedback => (format!("{who}-feedback.txt"), String::new(), "feedback"),
    };
    if !session.started()?.client.shows_documents {
        return Ok(json!({ "text": text, "field": field, "id": about.id }));
    }
    let draft = Draft { request: about.id.clone(), purpose };
    let uri = session.pages.write_draft(&name, &text, draft);
    let uri = uri.map_err(|error| Problem::failed(format!("no document can be made: {error}")))?;
    let text = "swarm: write in this document, then choose its code action";
    session.proxy.show(MessageType::INFO, text);
    Ok(pages::show(session, uri))
}

/// The text of a draft as the user sees it, saved or not.
pub(super) async fn text(session: &Session, uri: &Url) -> Result<String, Problem> {
    if session.pages.draft(uri).is_none() {
        return Err(Problem::field("arguments[0].draft", format!("`{uri}` is no draft of ours")));
    }
    let path = uri.to_file_path().unwrap_or_default();
    if let Some(document) = session.documents.of_uri(uri).or_else(|| session.documents.of_path(&path)) {
        return Ok(document.text.to_string());
    }
    let read = tokio::fs::read_to_string(&path).await;
    read.map_err(|error| Problem::failed(format!("{} cannot be read: {error}", path.display())))
}
