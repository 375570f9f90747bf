//! The team file. Unknown fields survive a rewrite.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::ids::{AgentId, MemberName, TeamName};
use crate::permission::{Mode, RuleUpdate};
use crate::settings::Effort;

/// How a member runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum BackendType {
    /// In the server.
    InProcess,
    /// Each in a terminal of the editor.
    EditorTerminal,
    /// Each in a pane of tmux.
    Tmux,
    /// Each in a process of its own, without a screen.
    Hidden,
    /// Each in a split of iTerm2.
    Iterm2,
}

impl BackendType {
    pub const ALL: [Self; 5] =
        [Self::InProcess, Self::EditorTerminal, Self::Tmux, Self::Hidden, Self::Iterm2];

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::InProcess => "in-process",
            Self::EditorTerminal => "editor-terminal",
            Self::Tmux => "tmux",
            Self::Hidden => "hidden",
            Self::Iterm2 => "iterm2",
        }
    }
}

/// `<root>/teams/<team>.json`. Times are Unix milliseconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TeamFile {
    pub name: TeamName,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    pub created_at: u64,
    /// The absolute path whose leader resumes this team.
    pub workspace: String,
    pub lead_agent_id: AgentId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lead_session_id: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hidden_pane_ids: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub team_allowed_paths: Vec<AllowedPath>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub team_rules: Vec<RuleUpdate>,
    pub members: Vec<MemberEntry>,
    /// By all who were ever in the team.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spent: Option<Spending>,
    #[serde(flatten)]
    pub unknown: Map<String, Value>,
}

/// What models were asked for, and what it cost, since a member or a team began.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Spending {
    /// Tokens of prompts, without those out of the provider's cache.
    pub input: u64,
    pub output: u64,
    /// Tokens of prompts out of the provider's cache.
    pub cached: u64,
    /// US dollars, as far as prices were known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    /// US dollars that the user granted beyond the budget.
    #[serde(skip_serializing_if = "is_nothing")]
    pub granted: f64,
}

fn is_nothing(dollars: &f64) -> bool {
    *dollars == 0.0
}

/// Allows `toolName` beneath `path` for the whole team.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AllowedPath {
    pub path: String,
    pub tool_name: String,
    pub added_by: String,
    pub added_at: u64,
    #[serde(flatten)]
    pub unknown: Map<String, Value>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MemberEntry {
    pub agent_id: AgentId,
    pub name: MemberName,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_type: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// How hard its model thinks, where that is not the setting's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effort: Option<Effort>,
    /// The head of the first prompt; the whole of it is the first mail.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub color: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan_mode_required: Option<bool>,
    pub joined_at: u64,
    /// The pane or terminal handle; `in-process` for such a teammate.
    pub tmux_pane_id: String,
    pub cwd: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree_path: Option<String>,
    /// The branch that the worktree was made with; there where `worktreePath` is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree_branch: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// Kept and unused.
    #[serde(default)]
    pub subscriptions: Vec<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backend_type: Option<BackendType>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_active: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spent: Option<Spending>,
    #[serde(flatten)]
    pub unknown: Map<String, Value>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_fields_survive_a_rewrite() {
        let text = r#"{"name":"shop","createdAt":1,"workspace":"/w","leadAgentId":"team-lead@shop","future":{"a":1},
            "members":[{"agentId":"team-lead@shop","name":"team-lead","joinedAt":1,"tmuxPaneId":"in-process","cwd":"/w","later":[2]}]}"#;
        let team: TeamFile = serde_json::from_str(text).unwrap();
        let json = serde_json::to_value(&team).unwrap();
        assert_eq!(json["future"]["a"], 1);
        assert_eq!(json["members"][0]["later"][0], 2);
    }
}
