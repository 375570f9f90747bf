//! A permission request and its decision: one shape as a file, as mail and towards the editor (system.md §6 of the design).

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::ids::{AgentId, MemberName, RequestId, TeamName};

/// How far a member may go before it must ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Mode {
    /// Asks for everything that is not plain reading.
    #[default]
    Default,
    /// Edits inside the workspace go through.
    AcceptEdits,
    /// Only reads, until a plan is approved.
    Plan,
    /// What would ask is refused instead.
    DontAsk,
    /// Nothing asks but what destroys; what a rule denies is refused.
    BypassPermissions,
}

/// What a call does at its worst, from harmless to irreversible.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Level {
    ReadOnly,
    ChangesFiles,
    RunsCode,
    LeavesMachine,
    Destroys,
}

/// How much the user lets through unasked, for the whole workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Trust {
    /// Whatever changes something asks.
    #[default]
    Ask,
    /// Edits in the workspace go through, and commands behind walls.
    Workspace,
    /// All but what destroys goes through.
    Full,
}

/// What a rule does with the calls that it matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Behavior {
    Allow,
    Ask,
    Deny,
}

/// How long and for whom a remembered rule holds; `session` is the asking member's life.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Scope {
    Session,
    Team,
    Project,
    User,
}

/// A change of rules: offered with a request as a suggestion, or applied with its answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct RuleUpdate {
    /// Rules as text, `Tool` or `Tool(pattern)`.
    pub rules: Vec<String>,
    pub behavior: Behavior,
    pub scope: Scope,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Status {
    Pending,
    Approved,
    Rejected,
}

/// Where the deciding person sat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum ResolvedBy {
    /// At the teammate's own terminal.
    Worker,
    /// At the leader's editor.
    Leader,
}

/// One question to the user, from the moment it is asked to its answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PermissionRequest {
    pub id: RequestId,
    pub worker_id: AgentId,
    pub worker_name: MemberName,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worker_color: Option<String>,
    pub team_name: TeamName,
    pub tool_name: String,
    pub tool_use_id: String,
    /// One line for a person: what the call would do.
    pub description: String,
    pub level: Level,
    /// Why it asks, as a clause, with the rule and its scope where one decided: "it leaves the machine".
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// The whole input of the call, as the model gave it.
    pub input: Value,
    /// The text before and after, when the call changes one text file. Not part of the request's file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change: Option<FileChange>,
    #[serde(default)]
    pub permission_suggestions: Vec<RuleUpdate>,
    pub status: Status,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resolved_by: Option<ResolvedBy>,
    /// Unix milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resolved_at: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feedback: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_input: Option<Value>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub permission_updates: Vec<RuleUpdate>,
    /// The first of the like questions that came shortly after it; all of them can be answered together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch: Option<RequestId>,
    /// Unix milliseconds.
    pub created_at: u64,
}

impl PermissionRequest {
    /// An open question of `worker`, with nothing said of its call yet but its tool, id and input.
    pub fn open(id: RequestId, worker: &AgentId, tool_name: &str, tool_use_id: &str, input: Value) -> Self {
        Self {
            id,
            worker_id: worker.clone(),
            worker_name: worker.name.clone(),
            worker_color: None,
            team_name: worker.team.clone(),
            tool_name: tool_name.to_owned(),
            tool_use_id: tool_use_id.to_owned(),
            description: String::new(),
            level: Level::RunsCode,
            why: String::new(),
            input,
            change: None,
            permission_suggestions: Vec::new(),
            status: Status::Pending,
            resolved_by: None,
            resolved_at: None,
            feedback: None,
            updated_input: None,
            permission_updates: Vec::new(),
            batch: None,
            created_at: 0,
        }
    }
}

/// What an edit would do to one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct FileChange {
    /// Absolute path.
    pub path: String,
    /// Absent when the file does not exist yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    pub after: String,
}

/// What the user decided about one request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Answer {
    pub allow: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feedback: Option<String>,
    /// The input to run in place of the model's; checked against the rules again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_input: Option<Value>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub permission_updates: Vec<RuleUpdate>,
}

impl Answer {
    pub fn allow() -> Self {
        Self { allow: true, feedback: None, updated_input: None, permission_updates: Vec::new() }
    }

    pub fn reject(feedback: Option<String>) -> Self {
        Self { allow: false, feedback, updated_input: None, permission_updates: Vec::new() }
    }
}

/// What became of an attempt to answer a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Outcome {
    Resolved,
    AlreadyResolved,
    Unknown,
}
