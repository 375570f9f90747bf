//! Snapshots of the workspace, each from before a turn's first change: `swarm/checkpoint/*`.

use serde::{Deserialize, Serialize};

use crate::ids::{AgentId, TurnId};

/// A snapshot of the workspace. Files that git ignores are not in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Checkpoint {
    pub id: String,
    /// Whose turn was about to change something; absent for what a restore replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub member: Option<AgentId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<TurnId>,
    /// The first change of that turn, or what was restored.
    pub summary: String,
    /// Milliseconds since 1970.
    pub created_at: u64,
}

/// Params of `swarm/checkpoint/list`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct CheckpointListParams {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub team: Option<String>,
    /// Only those of this member's turns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub member: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CheckpointListResult {
    /// Newest first.
    pub checkpoints: Vec<Checkpoint>,
}

/// Params of `swarm/checkpoint/restore`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CheckpointRestoreParams {
    pub id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CheckpointRestoreResult {
    /// Absolute paths that were written or removed.
    pub files: Vec<String>,
    /// What the workspace was before: restoring this one undoes the restore. Absent when nothing changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undo: Option<Checkpoint>,
}
