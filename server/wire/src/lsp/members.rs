//! What the user sets of members that there are: how they think, what they may do, that they run again.

use serde::{Deserialize, Serialize};

use crate::permission::Mode;

/// Params of `swarm/member/configure`; what is not named stays, and an empty text is the setting's again.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ConfigureParams {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub member: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub team: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effort: Option<String>,
}

/// Params of `swarm/teammate/restart`, `swarm/teammate/show` and `swarm/teammate/hide`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TeammateParams {
    pub member: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team: Option<String>,
}

/// The git worktree that a member has for itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Worktree {
    /// Its top folder, absolute.
    pub path: String,
    /// The branch that it was made with.
    pub branch: String,
}

/// Params of `swarm/teammate/setModes`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SetModesParams {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team: Option<String>,
    pub modes: Vec<MemberMode>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MemberMode {
    pub member: String,
    pub mode: Mode,
}
