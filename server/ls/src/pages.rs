//! Documents of ours that the editor shows: a diff, a status, a draft that the user fills in. They are files
//! in a private temporary folder, since every editor can open a file; gone when the server ends.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};
use swarm_wire::RequestId;
use tempfile::TempDir;

use crate::documents::{canonical, uri_of};
use crate::lsp::types::request::ShowDocument;
use crate::lsp::types::{ShowDocumentParams, Url};
use crate::session::Session;

/// What a draft is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// JSON: the input to run in place of the model's.
    Input,
    /// Text: why a request is rejected.
    Feedback,
}

/// A document that the user writes an answer in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Draft {
    pub(crate) request: RequestId,
    pub(crate) purpose: Purpose,
}

#[derive(Default)]
pub(crate) struct Pages {
    shelf: Mutex<Shelf>,
}

#[derive(Default)]
struct Shelf {
    folder: Option<TempDir>,
    drafts: HashMap<PathBuf, Draft>,
}

impl Pages {
    /// Writes a page; `name` may hold anything.
    pub(crate) fn write(&self, name: &str, text: &str) -> io::Result<Url> {
        let path = self.lock().path(name)?;
        fs::write(&path, text)?;
        uri_of(&path).ok_or_else(|| io::Error::from(io::ErrorKind::InvalidFilename))
    }

    /// Writes a page for the user to change. One that is there already keeps what the user wrote.
    pub(crate) fn write_draft(&self, name: &str, text: &str, draft: Draft) -> io::Result<Url> {
        let mut shelf = self.lock();
        let path = shelf.path(name)?;
        if shelf.drafts.get(&path) != Some(&draft) {
            fs::write(&path, text)?;
            shelf.drafts.insert(path.clone(), draft);
        }
        uri_of(&path).ok_or_else(|| io::Error::from(io::ErrorKind::InvalidFilename))
    }

    /// The draft that this document is, if it is one.
    pub(crate) fn draft(&self, uri: &Url) -> Option<Draft> {
        let path = canonical(&uri.to_file_path().ok()?);
        self.lock().drafts.get(&path).cloned()
    }

    /// Takes all pages away.
    pub(crate) fn clear(&self) {
        let shelf = std::mem::take(&mut *self.lock());
        if let Some(folder) = shelf.folder
            && let Err(error) = folder.close()
        {
            tracing::warn!(%error, "a temporary folder stays");
        }
    }

    fn lock(&self) -> MutexGuard<'_, Shelf> {
        self.shelf.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shelf {
    fn path(&mut self, name: &str) -> io::Result<PathBuf> {
        let folder = match &self.folder {
            Some(folder) => folder,
            // Open to its owner alone, as the crate makes it.
            None => self.folder.insert(tempfile::Builder::new().prefix("swarm-ls-").tempdir()?),
        };
        let safe = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '-' };
        let name: String = name.chars().map(safe).take(120).collect();
        Ok(canonical(&folder.path().join(Path::new(&name))))
    }
}

/// Opens a page in the editor, without waiting for it; the result of the command that asked.
pub(crate) fn show(session: &Session, uri: Url) -> Value {
    let result = json!({ "uri": uri });
    let params = ShowDocumentParams { uri, external: Some(false), take_focus: Some(true), selection: None };
    let proxy = session.proxy.clone();
    session.tasks.spawn("show", async move {
        if let Err(error) = proxy.request::<ShowDocument>(params).await {
            tracing::warn!(%error, "a document is not shown");
        }
    });
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draft_keeps_what_the_user_wrote_and_is_known_by_its_uri() {
        let pages = Pages::default();
        let draft = Draft { request: RequestId::new("perm-1"), purpose: Purpose::Input };
        let uri = pages.write_draft("../a b/名.json", "{}", draft.clone()).unwrap();
        let path = uri.to_file_path().unwrap();
        assert_eq!(path.file_name().unwrap(), "..-a-b--.json");
        fs::write(&path, "mine").unwrap();
        assert_eq!(pages.write_draft("../a b/名.json", "{}", draft.clone()).unwrap(), uri);
        assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
        assert_eq!(pages.draft(&uri), Some(draft));
        pages.clear();
        assert!(!path.exists());
        assert_eq!(pages.draft(&uri), None);
    }
}
