//! What the server asks of the editor: `swarm/editor/*`.

use serde::{Deserialize, Serialize};

/// Params of the request `swarm/editor/save` to the client.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EditorSaveParams {
    pub uri: String,
}

/// Result of `swarm/editor/save`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EditorSaveResult {
    /// Whether the document is on disk as the editor shows it.
    pub saved: bool,
}
