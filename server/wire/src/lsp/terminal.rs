//! Terminals of the editor that teammates run in: `swarm/terminal/*`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Params of the request `swarm/terminal/open` to the client.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TerminalOpenParams {
    /// The teammate's name.
    pub title: String,
    /// An absolute path. It is started with `args` as they are, by no shell.
    pub command: String,
    pub args: Vec<String>,
    /// An absolute path.
    pub cwd: String,
    /// Set over what terminals of the editor have otherwise.
    pub env: BTreeMap<String, String>,
    /// The teammate's colour, when it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub color: Option<String>,
    /// Runs without being shown until `swarm/terminal/show`.
    pub hidden: bool,
}

/// Result of `swarm/terminal/open`; params of `swarm/terminal/close`, `swarm/terminal/show` and
/// `swarm/terminal/hide`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct TerminalParams {
    /// The client's name for the terminal.
    pub terminal_id: String,
}

/// Params of the notification `swarm/terminal/closed` to the server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct TerminalClosedParams {
    pub terminal_id: String,
    /// How its process ended, when that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
}
