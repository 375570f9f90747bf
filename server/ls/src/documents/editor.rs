//! Edits of open documents, through the client: asked for, seen in what the client reports back, saved.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use swarm_agent::ports::{EditError, Edited, Editor};
use swarm_wire::lsp::{EditorSaveParams, EditorSaveResult, Spot};
use swarm_wire::process::{CodePlace, Finding, LookUp};
use tokio::time::timeout;

use super::{Document, Documents, diff, knowledge};
use crate::ingress::proxy::{CallError, Proxy};
use crate::lsp::requests;
use crate::lsp::types::request::ApplyWorkspaceEdit;
use crate::lsp::types::{
    ApplyWorkspaceEditParams, ApplyWorkspaceEditResponse, DocumentChanges, OneOf,
    OptionalVersionedTextDocumentIdentifier, TextDocumentEdit, WorkspaceEdit,
};

/// How long the client may take.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Patience {
    /// To answer an edit: some editors put it to the user first.
    answer: Duration,
    /// To report the text after its answer.
    report: Duration,
    save: Duration,
    /// To look into its other servers, which may still read the project.
    look: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            answer: Duration::from_secs(60),
            report: Duration::from_secs(3),
            save: Duration::from_secs(10),
            look: Duration::from_secs(20),
        }
    }
}

/// What the client takes and offers, as far as edits go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Abilities {
    pub(crate) applies_edits: bool,
    pub(crate) versioned: bool,
    /// Answers `swarm/editor/*`.
    pub(crate) answers: bool,
}

/// The client's documents as agents edit them.
pub(crate) struct ClientEditor {
    documents: Arc<Documents>,
    proxy: Proxy,
    abilities: Abilities,
    patience: Patience,
}

requests! {
    Save: "swarm/editor/save", EditorSaveParams => EditorSaveResult;
}

/// How one try to edit ended.
enum Tried {
    Done,
    /// The text is as it was, and another try may do better.
    Dropped(EditError),
    Failed(EditError),
}

impl ClientEditor {
    pub(crate) fn new(documents: Arc<Documents>, proxy: Proxy, abilities: Abilities) -> Self {
        Self { documents, proxy, abilities, patience: Patience::default() }
    }

    async fn try_edit(&self, path: &Path, before: &str, after: &str) -> Tried {
        // From here on no report is missed.
        let mut reports = self.documents.watch();
        let Some(document) = self.documents.of_path(path) else { return Tried::Failed(EditError::NotOpen) };
        if *document.text == *after {
            return Tried::Done;
        }
        if *document.text != *before {
            return Tried::Failed(EditError::Changed);
        }
        let params =
            ApplyWorkspaceEditParams { label: Some("swarm".into()), edit: self.edit_of(&document, after) };
        let asked = self.proxy.request::<ApplyWorkspaceEdit>(params);
        let answer = match timeout(self.patience.answer, asked).await {
            Ok(answer) => answer,
            Err(_) => return Tried::Failed(EditError::Unconfirmed),
        };
        if let Err(refusal) = accepted(answer) {
            return match self.judge(path, before, after, refusal) {
                // Refused for what it was, not for a version that was stale by a keystroke.
                Tried::Dropped(refusal) if self.version(path) == Some(document.version) => {
                    Tried::Failed(refusal)
                }
                judged => judged,
            };
        }
        // `applied: true` proves nothing: some editors say so of an edit that they dropped.
        let reported = async {
            while self.documents.of_path(path).is_some_and(|document| *document.text != *after) {
                if reports.changed().await.is_err() {
                    return;
                }
            }
        };
        // Judged by the text either way.
        let _ = timeout(self.patience.report, reported).await;
        self.judge(path, before, after, EditError::Unconfirmed)
    }

    /// What became of an edit, by the text as the client last reported it.
    fn judge(&self, path: &Path, before: &str, after: &str, otherwise: EditError) -> Tried {
        match self.documents.of_path(path) {
            None => Tried::Failed(EditError::NotOpen),
            Some(document) if *document.text == *after => Tried::Done,
            Some(document) if *document.text == *before => Tried::Dropped(otherwise),
            Some(_) => Tried::Failed(EditError::Changed),
        }
    }

    fn version(&self, path: &Path) -> Option<i32> {
        self.documents.version_of_path(path).map(|(_, version)| version)
    }

    fn edit_of(&self, document: &Document, after: &str) -> WorkspaceEdit {
        let edits = diff::edits(&document.text, after, self.documents.encoding());
        if !self.abilities.versioned {
            return WorkspaceEdit::new([(document.uri.clone(), edits)].into());
        }
        let id = OptionalVersionedTextDocumentIdentifier {
            uri: document.uri.clone(),
            version: Some(document.version),
        };
        let edit =
            TextDocumentEdit { text_document: id, edits: edits.into_iter().map(OneOf::Left).collect() };
        WorkspaceEdit {
            document_changes: Some(DocumentChanges::Edits(vec![edit])),
            ..WorkspaceEdit::default()
        }
    }

    async fn save(&self, path: &Path) -> Edited {
        let Some(document) = self.documents.of_path(path).filter(|_| self.abilities.answers) else {
            return Edited::Unsaved;
        };
        let params = EditorSaveParams { uri: document.uri.to_string() };
        match timeout(self.patience.save, self.proxy.request::<Save>(params)).await {
            Ok(Ok(EditorSaveResult { saved: true })) => Edited::Saved,
            Ok(Err(error)) => {
                tracing::warn!(%error, uri = %document.uri, "the editor could not save");
                Edited::Unsaved
            }
            Ok(Ok(_)) | Err(_) => Edited::Unsaved,
        }
    }
}

#[async_trait]
impl Editor for ClientEditor {
    async fn open_text(&self, path: &Path) -> Option<String> {
        self.documents.of_path(path).map(|document| document.text.to_string())
    }

    async fn edit(&self, path: &Path, before: &str, after: &str) -> Result<Edited, EditError> {
        if !self.abilities.applies_edits {
            return Err(EditError::Refused("it takes no edits from a server (workspace.applyEdit)".into()));
        }
        let tried = match self.try_edit(path, before, after).await {
            // Once more, with the present version.
            Tried::Dropped(_) => self.try_edit(path, before, after).await,
            tried => tried,
        };
        match tried {
            Tried::Done => Ok(self.save(path).await),
            Tried::Dropped(error) | Tried::Failed(error) => Err(error),
        }
    }

    fn knows(&self) -> bool {
        self.abilities.answers
    }

    async fn diagnostics(&self, path: Option<&Path>) -> Result<Vec<Finding>, String> {
        knowledge::diagnostics(&self.proxy, self.patience.look, path).await
    }

    async fn look_up(&self, what: LookUp, path: &Path, at: Spot) -> Result<Vec<CodePlace>, String> {
        knowledge::look_up(&self.proxy, self.patience.look, what, path, at).await
    }
}

fn accepted(answer: Result<ApplyWorkspaceEditResponse, CallError>) -> Result<(), EditError> {
    match answer {
        Ok(ApplyWorkspaceEditResponse { applied: true, .. }) => Ok(()),
        Ok(ApplyWorkspaceEditResponse { failure_reason, .. }) => {
            Err(EditError::Refused(failure_reason.unwrap_or_else(|| "it gave no reason".into())))
        }
        Err(error) => Err(EditError::Refused(error.to_string())),
    }
}

#[cfg(test)]
mod tests;
