//! What a command may touch: the walls as data. Serialisable, since the helper is another process.
//! It must not look at the disk or the environment; whoever builds a policy does.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// The walls around one command. Paths are absolute; what is not named is readable as far as the user can read it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Policy {
    /// Where the work is done: writable, unless it is `/` or the home itself, which is refused.
    pub workspace: PathBuf,
    /// The user's home: readable, not writable.
    pub home: PathBuf,
    /// Further writable places, such as the git paths that a commit in a worktree needs.
    pub writable: Vec<PathBuf>,
    /// Relative to every writable root, what stays read-only there.
    pub readonly_within: Vec<PathBuf>,
    /// What is not there at all.
    pub hidden: Vec<PathBuf>,
    /// Where the command's tools keep their caches, writable and shared by a team; none means none are kept.
    pub caches: Option<PathBuf>,
    pub network: Network,
}

/// What a command reaches beyond its own loopback.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Network {
    /// Nothing.
    None,
    /// What the leader's proxy lets through, host by host.
    Proxy,
    /// The machine's own network, with nobody asked.
    Open,
}
