//! The user's hand on the team itself: `swarm/team/*`.

use serde::{Deserialize, Serialize};

/// Params of `swarm/team/create`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TeamCreateParams {
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// Params of `swarm/team/delete`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TeamDeleteParams {
    pub name: String,
}
