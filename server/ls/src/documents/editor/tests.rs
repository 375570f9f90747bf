//! The editor port against clients that behave well, badly and not at all.

use std::path::PathBuf;

use futures::StreamExt;
use serde_json::{Value, json};

use super::*;
use crate::documents::{Encoding, uri_of};
use crate::lsp::{Id, Loopback, Request, Response};

const BEFORE: &str = "one\ntwo\nthree\n";
const AFTER: &str = "one\nTWO\nthree\n";

struct Setup {
    _root: tempfile::TempDir,
    path: PathBuf,
    documents: Arc<Documents>,
    proxy: Proxy,
}

impl Setup {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("a.txt");
        std::fs::write(&path, "disk").unwrap();
        let documents = Arc::new(Documents::new());
        documents.set_encoding(Encoding::Utf16);
        let proxy = Proxy::default();
        proxy.open();
        let setup = Self { _root: root, path, documents, proxy };
        let document = json!({ "uri": setup.uri(), "languageId": "", "version": 1, "text": BEFORE });
        setup.documents.apply("textDocument/didOpen", Some(&json!({ "textDocument": document })));
        setup
    }

    fn uri(&self) -> String {
        uri_of(&self.path).unwrap().to_string()
    }

    fn editor(&self, versioned: bool, saves: bool) -> ClientEditor {
        let abilities = Abilities { applies_edits: true, versioned, answers: saves };
        let mut editor = ClientEditor::new(self.documents.clone(), self.proxy.clone(), abilities);
        let short = Duration::from_millis(50);
        let long = Duration::from_secs(10);
        editor.patience = Patience { answer: long, report: short, save: long, look: long };
        editor
    }

    fn report(&self, version: i32, text: &str) {
        let document = json!({ "uri": self.uri(), "version": version });
        let params = json!({ "textDocument": document, "contentChanges": [{ "text": text }] });
        self.documents.apply("textDocument/didChange", Some(&params));
    }

    /// Runs an edit against a client that answers each request as `client` says.
    async fn edit(
        &self,
        editor: ClientEditor,
        mut client: impl FnMut(&Request) -> Value,
    ) -> (Result<Edited, EditError>, Vec<Request>) {
        use futures::SinkExt;
        let (mut requests, mut answers) = Loopback::split(self.proxy.loopback());
        let mut seen = Vec::new();
        let edit = editor.edit(&self.path, BEFORE, AFTER);
        tokio::pin!(edit);
        loop {
            tokio::select! {
                edited = &mut edit => return (edited, seen),
                Some(request) = requests.next() => {
                    let id = request.id().cloned().unwrap_or(Id::Null);
                    let answer = client(&request);
                    seen.push(request);
                    answers.send(Response::from_ok(id, answer)).await.unwrap();
                }
            }
        }
    }
}

#[tokio::test]
async fn an_edit_is_done_when_its_text_is_reported_and_saved_where_it_can_be() {
    for (saves, edited) in [(true, Edited::Saved), (false, Edited::Unsaved)] {
        let setup = Setup::new();
        let (done, seen) = setup
            .edit(setup.editor(false, saves), |request| match request.method() {
                "workspace/applyEdit" => {
                    setup.report(2, AFTER);
                    json!({ "applied": true })
                }
                _ => json!({ "saved": true }),
            })
            .await;
        assert_eq!(done, Ok(edited));
        let edit = &seen[0].params().unwrap()["edit"]["changes"][setup.uri()][0];
        assert_eq!(edit["newText"], "TWO\n");
        assert_eq!(seen.len(), if saves { 2 } else { 1 });
    }
}

#[tokio::test]
async fn a_version_goes_along_only_with_a_client_that_takes_it() {
    let setup = Setup::new();
    let (_, seen) = setup
        .edit(setup.editor(true, false), |_| {
            setup.report(2, AFTER);
            json!({ "applied": true })
        })
        .await;
    let change = &seen[0].params().unwrap()["edit"]["documentChanges"][0];
    assert_eq!(change["textDocument"]["version"], 1);
}

#[tokio::test]
async fn an_edit_that_the_editor_dropped_while_saying_applied_is_tried_again_and_then_reported() {
    let setup = Setup::new();
    let (done, seen) = setup.edit(setup.editor(true, true), |_| json!({ "applied": true })).await;
    assert_eq!(done, Err(EditError::Unconfirmed));
    assert_eq!(seen.len(), 2);
}

#[tokio::test]
async fn a_stale_version_is_tried_again_with_the_present_one() {
    let setup = Setup::new();
    let mut tries = 0;
    let (done, seen) = setup
        .edit(setup.editor(true, false), |_| {
            tries += 1;
            if tries == 1 {
                // A keystroke and its undo.
                setup.report(3, BEFORE);
                return json!({ "applied": false, "failureReason": "stale" });
            }
            setup.report(4, AFTER);
            json!({ "applied": true })
        })
        .await;
    assert_eq!(done, Ok(Edited::Unsaved));
    assert_eq!(seen[1].params().unwrap()["edit"]["documentChanges"][0]["textDocument"]["version"], 3);
}

#[tokio::test]
async fn a_refusal_is_not_argued_with() {
    let setup = Setup::new();
    let answer = json!({ "applied": false, "failureReason": "the user said no" });
    let (done, seen) = setup.edit(setup.editor(true, false), |_| answer.clone()).await;
    assert_eq!(done, Err(EditError::Refused("the user said no".into())));
    assert_eq!(seen.len(), 1);
}

#[tokio::test]
async fn typing_in_between_is_never_overwritten() {
    let setup = Setup::new();
    let (done, _) = setup
        .edit(setup.editor(false, false), |_| {
            setup.report(2, "the user's own");
            json!({ "applied": false })
        })
        .await;
    assert_eq!(done, Err(EditError::Changed));
    let (done, seen) = setup.edit(setup.editor(false, false), |_| json!({ "applied": true })).await;
    assert_eq!(done, Err(EditError::Changed));
    assert!(seen.is_empty(), "the text was already another one");
}

#[tokio::test]
async fn a_client_that_does_not_save_leaves_the_edit_unsaved() {
    let setup = Setup::new();
    let (done, _) = setup
        .edit(setup.editor(false, true), |request| match request.method() {
            "workspace/applyEdit" => {
                setup.report(2, AFTER);
                json!({ "applied": true })
            }
            _ => json!({ "saved": false }),
        })
        .await;
    assert_eq!(done, Ok(Edited::Unsaved));
}

#[tokio::test]
async fn a_document_that_is_not_open_is_not_edited() {
    let setup = Setup::new();
    let params = json!({ "textDocument": { "uri": setup.uri() } });
    setup.documents.apply("textDocument/didClose", Some(&params));
    let (done, _) = setup.edit(setup.editor(false, false), |_| json!({})).await;
    assert_eq!(done, Err(EditError::NotOpen));
    assert_eq!(setup.editor(false, false).open_text(&setup.path).await, None);
}
