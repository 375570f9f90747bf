//! What a client says that it can do.

use serde_json::{Value, json};

/// Client capabilities, for `initialize`.
#[derive(Debug, Clone)]
pub struct Caps(Value);

impl Caps {
    /// An editor with no extension: applies edits and shows documents, and knows nothing of `swarm/*`.
    pub fn plain() -> Self {
        Self(json!({
            "workspace": { "applyEdit": true, "workspaceEdit": { "documentChanges": true } },
            "window": { "showDocument": { "support": true }, "showMessage": {} },
            "textDocument": { "publishDiagnostics": { "dataSupport": true }, "codeAction": { "codeActionLiteralSupport": { "codeActionKind": { "valueSet": ["quickfix"] } } } },
        }))
    }

    /// An extension of ours: hears events, draws questions itself, saves documents.
    pub fn rich() -> Self {
        Self::plain()
            .with("experimental", json!({ "swarm": { "events": true, "permissions": true, "editor": true } }))
    }

    /// The same, with terminals for teammates.
    pub fn with_terminals() -> Self {
        let swarm = json!({ "events": true, "permissions": true, "editor": true, "terminals": true });
        Self::plain().with("experimental", json!({ "swarm": swarm }))
    }

    /// Hears events and is otherwise plain.
    pub fn listening() -> Self {
        Self::plain().with("experimental", json!({ "swarm": { "events": true } }))
    }

    /// An editor that can do nothing beyond documents.
    pub fn bare() -> Self {
        Self(json!({}))
    }

    /// With the top-level capability `name` set.
    pub fn with(mut self, name: &str, value: Value) -> Self {
        self.0[name] = value;
        self
    }

    /// Counting characters as the first of these encodings.
    pub fn encodings(self, encodings: &[&str]) -> Self {
        self.with("general", json!({ "positionEncodings": encodings }))
    }

    /// With progress shown.
    pub fn progress(mut self) -> Self {
        self.0["window"]["workDoneProgress"] = json!(true);
        self
    }

    pub fn json(&self) -> Value {
        self.0.clone()
    }
}
