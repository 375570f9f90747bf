//! The texts that are open in the editor, saved or not: what agents read in place of the disk.
//!
//! [`Documents`] follows the client's notifications; [`editor`] changes documents through the client.
//! [`knowledge`] asks it what its other servers know.
//! Nothing here reads or writes a document's file.

pub(crate) mod diff;
pub(crate) mod editor;
mod knowledge;
mod path;
mod text;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::sync::watch;

pub(crate) use self::path::{canonical, uri_of};
pub(crate) use self::text::Encoding;
use crate::error::{Problem, parse};
use crate::lsp::types::notification::{
    DidChangeTextDocument, DidCloseTextDocument, DidOpenTextDocument, DidSaveTextDocument, Notification,
};
use crate::lsp::types::{
    DidChangeTextDocumentParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams,
    DidSaveTextDocumentParams, Range, TextDocumentContentChangeEvent, Url,
};

/// An open document as of now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Document {
    pub(crate) uri: Url,
    pub(crate) version: i32,
    pub(crate) text: Arc<str>,
}

struct Open {
    version: i32,
    /// Changed in place while nobody else holds it.
    text: String,
    path: Option<PathBuf>,
    saves: u64,
}

#[derive(Default)]
struct Table {
    documents: HashMap<Url, Open>,
    /// The document that stands for a file. Two names of one file are one document: the last opened.
    paths: HashMap<PathBuf, Url>,
}

/// All open documents.
pub(crate) struct Documents {
    table: Mutex<Table>,
    encoding: OnceLock<Encoding>,
    /// Ticks at every change, opening, closing and save.
    changes: watch::Sender<u64>,
}

impl Documents {
    pub(crate) fn new() -> Self {
        Self { table: Mutex::default(), encoding: OnceLock::new(), changes: watch::Sender::new(0) }
    }

    /// Fixes how the client counts characters; only the first call counts.
    pub(crate) fn set_encoding(&self, encoding: Encoding) {
        let _ = self.encoding.set(encoding);
    }

    pub(crate) fn encoding(&self) -> Encoding {
        self.encoding.get().copied().unwrap_or_default()
    }

    /// Applies a notification about a document; whether it was one. Called in the order of the wire.
    pub(crate) fn apply(&self, method: &str, params: Option<&Value>) -> bool {
        let applied = match method {
            DidOpenTextDocument::METHOD => read(params).map(|params| self.opened(params)),
            DidChangeTextDocument::METHOD => read(params).map(|params| self.changed(params)),
            DidSaveTextDocument::METHOD => read(params).map(|params| self.saved(&params)),
            DidCloseTextDocument::METHOD => read(params).map(|params| self.closed(&params)),
            _ => return false,
        };
        if let Err(problem) = applied {
            tracing::warn!(method, %problem, "a notification was ignored");
        }
        self.changes.send_modify(|tick| *tick += 1);
        true
    }

    /// The open document of a file, by any of the file's names.
    pub(crate) fn of_path(&self, path: &Path) -> Option<Document> {
        let path = canonical(path);
        let table = self.lock();
        let uri = table.paths.get(&path)?;
        table.documents.get(uri).map(|open| open.snapshot(uri))
    }

    /// The name and version of a file's open document, without its text.
    pub(crate) fn version_of_path(&self, path: &Path) -> Option<(Url, i32)> {
        let path = canonical(path);
        let table = self.lock();
        let uri = table.paths.get(&path)?;
        table.documents.get(uri).map(|open| (uri.clone(), open.version))
    }

    pub(crate) fn of_uri(&self, uri: &Url) -> Option<Document> {
        self.lock().documents.get(uri).map(|open| open.snapshot(uri))
    }

    /// A receiver that wakes whenever a document changed.
    pub(crate) fn watch(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// The text of a range.
    pub(crate) fn slice(&self, text: &str, range: Range) -> String {
        let at = |position| text::offset(text, position, self.encoding());
        let (start, end) = (at(range.start), at(range.end));
        text[start.min(end)..start.max(end)].to_owned()
    }

    /// The range of the lines `lines` of `text`, counted as a diff does, up to the end of the last.
    pub(crate) fn lines(&self, text: &str, lines: std::ops::Range<usize>) -> Range {
        let (mut start, mut end, mut at) = (text.len(), text.len(), 0);
        let last = lines.end.max(lines.start + 1) - 1;
        for (number, line) in text.split_inclusive('\n').enumerate() {
            if number == lines.start {
                start = at;
            }
            if number == last {
                end = at + line.trim_end_matches(['\n', '\r']).len();
            }
            at += line.len();
        }
        let position = |offset| text::position(text, offset, self.encoding());
        Range { start: position(start.min(end)), end: position(end) }
    }

    fn opened(&self, params: DidOpenTextDocumentParams) {
        let document = params.text_document;
        let path = document.uri.to_file_path().ok().map(|path| canonical(&path));
        let mut table = self.lock();
        table.forget(&document.uri);
        if let Some(path) = &path {
            table.paths.insert(path.clone(), document.uri.clone());
        }
        let open = Open { version: document.version, text: document.text, path, saves: 0 };
        table.documents.insert(document.uri, open);
    }

    fn changed(&self, params: DidChangeTextDocumentParams) {
        let encoding = self.encoding();
        let mut table = self.lock();
        let Some(open) = table.documents.get_mut(&params.text_document.uri) else {
            tracing::warn!(uri = %params.text_document.uri, "a change of a document that is not open was ignored");
            return;
        };
        open.version = params.text_document.version;
        for TextDocumentContentChangeEvent { range, text, .. } in params.content_changes {
            match range {
                Some(range) => text::replace(&mut open.text, range, &text, encoding),
                None => open.text = text,
            }
        }
    }

    fn saved(&self, params: &DidSaveTextDocumentParams) {
        if let Some(open) = self.lock().documents.get_mut(&params.text_document.uri) {
            open.saves += 1;
        }
    }

    fn closed(&self, params: &DidCloseTextDocumentParams) {
        self.lock().forget(&params.text_document.uri);
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table {
    fn forget(&mut self, uri: &Url) {
        if let Some(Open { path: Some(path), .. }) = self.documents.remove(uri)
            && self.paths.get(&path) == Some(uri)
        {
            self.paths.remove(&path);
        }
    }
}

impl Open {
    fn snapshot(&self, uri: &Url) -> Document {
        Document { uri: uri.clone(), version: self.version, text: self.text.as_str().into() }
    }
}

fn read<T: DeserializeOwned>(params: Option<&Value>) -> Result<T, Problem> {
    parse(params.cloned().unwrap_or(Value::Null))
}

#[cfg(test)]
mod tests;
