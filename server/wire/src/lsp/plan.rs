//! Plans that wait for the user: `swarm/plan/*`.

use serde::{Deserialize, Serialize};

use crate::ids::{AgentId, MemberName, RequestId, TeamName};
use crate::permission::Mode;

/// A member in the mode `plan` wants to go to work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PlanRequest {
    pub id: RequestId,
    pub member: AgentId,
    pub name: MemberName,
    pub team: TeamName,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub color: Option<String>,
    /// Markdown, as the member wrote it.
    pub plan: String,
    /// The absolute path of the file that holds it; what the user changes there is what is approved.
    pub document: String,
    /// Milliseconds since 1970.
    pub created_at: u64,
    /// The leader's agent looks at it first; the user can decide all the same.
    #[serde(default)]
    pub reviewing: bool,
}

/// Params of `swarm/plan/list`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct PlanListParams {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub team: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PlanListResult {
    /// Oldest first.
    pub plans: Vec<PlanRequest>,
}

/// Params of `swarm/plan/resolve`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PlanResolveParams {
    pub id: RequestId,
    pub approve: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feedback: Option<String>,
    /// The member's mode from then on; `default` when absent. Only with `approve`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team: Option<String>,
}
