//! What clients of a language server say most: documents, events, diagnostics, the state.

use std::time::Instant;

use serde_json::{Value, json};

use super::{Editor, WAIT};

impl Editor {
    /// Opens a document.
    pub fn open(&mut self, uri: &str, text: &str) {
        let document = json!({ "uri": uri, "languageId": "plaintext", "version": 1, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }));
    }

    /// Replaces a document's text.
    pub fn change(&mut self, uri: &str, version: i32, text: &str) {
        self.change_with(uri, version, json!([{ "text": text }]));
    }

    /// Reports content changes of a document.
    pub fn change_with(&mut self, uri: &str, version: i32, changes: Value) {
        let document = json!({ "uri": uri, "version": version });
        self.notify("textDocument/didChange", json!({ "textDocument": document, "contentChanges": changes }));
    }

    /// Waits for a `swarm/event` of this kind; its params.
    pub fn await_event(&mut self, kind: &str) -> Value {
        self.await_notification("swarm/event", |params| params["event"]["kind"] == kind)
    }

    /// Waits for a `swarm/event` of this kind that `is_it` accepts; the event itself.
    pub fn await_event_where(&mut self, kind: &str, is_it: impl Fn(&Value) -> bool) -> Value {
        let is_it = |params: &Value| params["event"]["kind"] == kind && is_it(&params["event"]);
        self.await_notification("swarm/event", is_it)["event"].take()
    }

    /// Waits until the diagnostics of a document are as `are_they` accepts.
    pub fn await_diagnostics(&mut self, uri: &str, are_they: impl Fn(&[Value]) -> bool) -> Vec<Value> {
        let is_it = |params: &Value| {
            params["uri"] == uri && params["diagnostics"].as_array().is_some_and(|list| are_they(list))
        };
        let mut params = self.await_notification("textDocument/publishDiagnostics", is_it);
        match params["diagnostics"].take() {
            Value::Array(list) => list,
            _ => Vec::new(),
        }
    }

    /// Takes in what has arrived: what is sent in answer to `request` is behind everything before it.
    pub fn sync(&mut self) {
        self.request("swarm/state", json!({}));
    }

    /// Asks for the state until it is as `is_it` accepts; each look is behind what happened before it.
    pub fn until_state(&mut self, is_it: impl Fn(&Value) -> bool) -> Value {
        let deadline = Instant::now() + WAIT;
        loop {
            let state = self.request("swarm/state", json!({}));
            if is_it(&state) {
                return state;
            }
            assert!(Instant::now() < deadline, "the state did not come to be; it is {state:#}");
        }
    }
}
