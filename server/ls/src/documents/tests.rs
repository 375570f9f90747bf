//! Documents through the notifications of a client.

use serde_json::json;

use super::*;

fn tell(documents: &Documents, method: &str, params: Value) {
    assert!(documents.apply(method, Some(&params)));
}

fn open(documents: &Documents, uri: &str, text: &str) {
    let document = json!({ "uri": uri, "languageId": "rust", "version": 1, "text": text });
    tell(documents, "textDocument/didOpen", json!({ "textDocument": document }));
}

fn change(documents: &Documents, uri: &str, version: i32, changes: Value) {
    let document = json!({ "uri": uri, "version": version });
    tell(documents, "textDocument/didChange", json!({ "textDocument": document, "contentChanges": changes }));
}

fn text(documents: &Documents, uri: &str) -> Option<String> {
    documents.of_uri(&uri.parse().unwrap()).map(|document| document.text.to_string())
}

#[test]
fn changes_apply_in_order_each_to_the_text_before_it() {
    for (encoding, character) in [(Encoding::Utf8, 4), (Encoding::Utf16, 2), (Encoding::Utf32, 1)] {
        let documents = Documents::new();
        documents.set_encoding(encoding);
        open(&documents, "file:///a.rs", "😀 one\n");
        let at = json!({ "line": 0, "character": character });
        change(
            &documents,
            "file:///a.rs",
            2,
            json!([
                { "range": { "start": at, "end": at }, "text": "é" },
                { "range": { "start": { "line": 1, "character": 0 }, "end": { "line": 1, "character": 0 } }, "text": "two" },
            ]),
        );
        assert_eq!(text(&documents, "file:///a.rs").unwrap(), "😀é one\ntwo");
        change(&documents, "file:///a.rs", 3, json!([{ "text": "whole" }]));
        assert_eq!(text(&documents, "file:///a.rs").unwrap(), "whole");
        assert_eq!(documents.of_uri(&"file:///a.rs".parse().unwrap()).unwrap().version, 3);
    }
}

#[test]
fn a_document_is_found_by_every_name_of_its_file() {
    let root = tempfile::tempdir().unwrap();
    let file = root.path().join("空 file.txt");
    std::fs::write(&file, "disk").unwrap();
    let link = root.path().join("link.txt");
    std::os::unix::fs::symlink(&file, &link).unwrap();
    let documents = Documents::new();
    let uri = uri_of(&link).unwrap();
    open(&documents, uri.as_str(), "buffer");
    assert_eq!(&*documents.of_path(&file).unwrap().text, "buffer");
    assert_eq!(documents.of_path(&link).unwrap().uri, uri);
    tell(&documents, "textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
    assert!(documents.of_path(&file).is_none());
}

#[test]
fn closing_one_name_leaves_the_other_names_document() {
    let root = tempfile::tempdir().unwrap();
    let file = root.path().join("a");
    std::fs::write(&file, "").unwrap();
    let link = root.path().join("b");
    std::os::unix::fs::symlink(&file, &link).unwrap();
    let documents = Documents::new();
    open(&documents, uri_of(&file).unwrap().as_str(), "first");
    open(&documents, uri_of(&link).unwrap().as_str(), "second");
    tell(&documents, "textDocument/didClose", json!({ "textDocument": { "uri": uri_of(&file).unwrap() } }));
    assert_eq!(&*documents.of_path(&file).unwrap().text, "second");
}

#[test]
fn what_makes_no_sense_changes_nothing() {
    let documents = Documents::new();
    open(&documents, "untitled:Untitled-1", "kept");
    change(&documents, "file:///never-opened", 2, json!([{ "text": "x" }]));
    tell(&documents, "textDocument/didChange", json!({ "textDocument": 5 }));
    tell(&documents, "textDocument/didOpen", json!(null));
    assert_eq!(text(&documents, "untitled:Untitled-1").unwrap(), "kept");
    assert!(text(&documents, "file:///never-opened").is_none());
    assert!(!documents.apply("textDocument/hover", None));
}

#[test]
fn lines_end_where_their_text_does() {
    let documents = Documents::new();
    let text = "ab\ncd\r\nef";
    let range = documents.lines(text, 1..3);
    assert_eq!((range.start.line, range.end.line, range.end.character), (1, 2, 2));
    let range = documents.lines(text, 1..1);
    assert_eq!((range.start.line, range.end.line, range.end.character), (1, 1, 2));
    assert_eq!(documents.lines("", 0..5).end, crate::lsp::types::Position { line: 0, character: 0 });
}
