//! Where in the documents the pending edits are.

use std::path::Path;
use std::sync::Arc;

use serde_json::json;
use swarm_wire::RequestId;
use swarm_wire::lsp::StateResult;
use swarm_wire::permission::{FileChange, PermissionRequest};

use crate::documents::diff::{LineMap, hunks};
use crate::documents::{Documents, canonical, uri_of};
use crate::lsp::types::{Diagnostic, DiagnosticSeverity, NumberOrString, Range, Url};
use crate::words;

/// The source of our diagnostics.
pub(crate) const SOURCE: &str = "swarm";

/// A pending edit and the ranges that it would change, in the document as it is now.
pub(crate) struct Mark<'a> {
    pub(crate) request: &'a PermissionRequest,
    pub(crate) uri: Url,
    pub(crate) ranges: Vec<Range>,
}

/// What a mark is computed from: the request, and the version of its document where that is open.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Basis(RequestId, Option<(Url, i32)>);

impl Mark<'_> {
    pub(crate) fn diagnostics(&self) -> Vec<Diagnostic> {
        let one = |&range: &Range| Diagnostic {
            range,
            severity: Some(DiagnosticSeverity::INFORMATION),
            source: Some(SOURCE.into()),
            code: Some(NumberOrString::String("permission".into())),
            message: words::wish(self.request),
            data: Some(json!({ "permission": self.request.id })),
            ..Diagnostic::default()
        };
        self.ranges.iter().map(one).collect()
    }

    /// Whether a range of whole lines meets one of the marked lines.
    pub(crate) fn meets(&self, range: Range) -> bool {
        let overlap = |own: &Range| own.start.line <= range.end.line && range.start.line <= own.end.line;
        self.ranges.iter().any(overlap)
    }
}

/// The request and those that wait with it for the same answer, when there are any.
pub(crate) fn batch(snapshot: &StateResult, request: &PermissionRequest) -> Vec<RequestId> {
    let first = |request: &PermissionRequest| request.batch.clone().unwrap_or_else(|| request.id.clone());
    let own = first(request);
    let ids: Vec<RequestId> = snapshot
        .permissions
        .iter()
        .filter(|other| first(other) == own)
        .map(|other| other.id.clone())
        .collect();
    if ids.len() > 1 { ids } else { Vec::new() }
}

/// What [`marks`] would be computed from.
pub(crate) fn basis(snapshot: &StateResult, documents: &Documents) -> Vec<Basis> {
    edits(snapshot)
        .map(|(request, change)| {
            Basis(request.id.clone(), documents.version_of_path(Path::new(&change.path)))
        })
        .collect()
}

/// The marks of all pending edits, oldest first.
pub(crate) fn marks<'a>(snapshot: &'a StateResult, documents: &Documents) -> Vec<Mark<'a>> {
    edits(snapshot).filter_map(|(request, change)| mark(request, change, documents)).collect()
}

fn edits(snapshot: &StateResult) -> impl Iterator<Item = (&PermissionRequest, &FileChange)> {
    snapshot.permissions.iter().filter_map(|request| request.change.as_ref().map(|change| (request, change)))
}

fn mark<'a>(request: &'a PermissionRequest, change: &FileChange, documents: &Documents) -> Option<Mark<'a>> {
    let path = Path::new(&change.path);
    let before = change.before.as_deref().unwrap_or_default();
    let (uri, now): (Url, Arc<str>) = match documents.of_path(path) {
        Some(document) => (document.uri, document.text),
        None => (uri_of(&canonical(path))?, before.into()),
    };
    let map = LineMap::new(before, &now);
    let ranges = hunks(before, &change.after)
        .into_iter()
        .map(|hunk| {
            let start = map.place(hunk.old.start);
            let last = map.place(hunk.old.end.max(hunk.old.start + 1) - 1);
            documents.lines(&now, start..last.max(start) + 1)
        })
        .collect();
    Some(Mark { request, uri, ranges })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn pending(path: &Path, before: Value, after: &str) -> StateResult {
        let request = json!({
            "id": "perm-1", "workerId": "ada@shop", "workerName": "ada", "teamName": "shop", "toolName": "Edit",
            "toolUseId": "t", "description": "Edit a.txt", "level": "changesFiles", "input": {}, "status": "pending",
            "createdAt": 1, "change": { "path": path, "before": before, "after": after },
        });
        StateResult { permissions: vec![serde_json::from_value(request).unwrap()], ..StateResult::default() }
    }

    fn lines(mark: &Mark) -> Vec<(u32, u32)> {
        mark.ranges.iter().map(|range| (range.start.line, range.end.line)).collect()
    }

    fn open(documents: &Documents, path: &Path, version: i32, text: &str) {
        let document =
            json!({ "uri": uri_of(path).unwrap(), "languageId": "", "version": version, "text": text });
        documents.apply("textDocument/didOpen", Some(&json!({ "textDocument": document })));
    }

    #[test]
    fn a_mark_moves_with_its_lines() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("a.txt");
        let documents = Documents::new();
        let snapshot = pending(&path, json!("a\nb\nc\nd\n"), "a\nB\nc\nd\ne\n");
        let closed = marks(&snapshot, &documents);
        assert_eq!(lines(&closed[0]), [(1, 1), (3, 3)]);
        let before = basis(&snapshot, &documents);

        open(&documents, &path, 1, "new\na\nb\nc\nd\n");
        let moved = marks(&snapshot, &documents);
        assert_eq!(lines(&moved[0]), [(2, 2), (4, 4)]);
        assert_ne!(basis(&snapshot, &documents), before);
        assert_eq!(moved[0].diagnostics()[0].data, Some(json!({ "permission": "perm-1" })));
    }

    #[test]
    fn a_new_file_is_marked_at_its_beginning() {
        let root = tempfile::tempdir().unwrap();
        let snapshot = pending(&root.path().join("new.txt"), Value::Null, "x\ny\n");
        assert_eq!(lines(&marks(&snapshot, &Documents::new())[0]), [(0, 0)]);
    }
}
