//! What the server asks of the editor: `swarm/editor/*`.
//!
//! Lines and characters count from 0, characters in UTF-16 code units, whatever was negotiated for documents.

use serde::{Deserialize, Serialize};

/// Params of the request `swarm/editor/save` to the client.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct EditorSaveParams {
    pub uri: String,
}

/// Result of `swarm/editor/save`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct EditorSaveResult {
    /// Whether the document is on disk as the editor shows it.
    pub saved: bool,
}

/// A place between two characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Spot {
    pub line: u32,
    pub character: u32,
}

/// Params of the request `swarm/editor/diagnostics` to the client.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct EditorDiagnosticsParams {
    /// Of this document only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uri: Option<String>,
}

/// Result of `swarm/editor/diagnostics`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct EditorDiagnosticsResult {
    pub diagnostics: Vec<EditorDiagnostic>,
}

/// What one of the editor's other servers found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct EditorDiagnostic {
    pub uri: String,
    pub start: Spot,
    pub severity: Severity,
    pub message: String,
    /// Who says so, such as `rustc`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Severity {
    Error,
    Warning,
    Information,
    Hint,
}

/// Params of the requests `swarm/editor/definition` and `swarm/editor/references` to the client.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct EditorLookUpParams {
    pub uri: String,
    pub position: Spot,
}

/// Result of `swarm/editor/definition` and `swarm/editor/references`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct EditorLookUpResult {
    pub locations: Vec<EditorLocation>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct EditorLocation {
    pub uri: String,
    pub start: Spot,
}
