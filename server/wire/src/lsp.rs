//! The `swarm/*` messages between server and editor. `docs/protocol.md` is checked against this file.

mod checkpoint;
mod conversation;
mod editor;
mod event;
mod members;
mod plan;
mod task;
mod team;
mod terminal;

use serde::{Deserialize, Serialize};

pub use self::checkpoint::{
    Checkpoint, CheckpointListParams, CheckpointListResult, CheckpointRestoreParams, CheckpointRestoreResult,
};
pub use self::conversation::{
    ConversationListResult, ConversationOpenParams, ConversationRenameParams, ConversationView,
};
pub use self::editor::{
    EditorDiagnostic, EditorDiagnosticsParams, EditorDiagnosticsResult, EditorLocation, EditorLookUpParams,
    EditorLookUpResult, EditorSaveParams, EditorSaveResult, Severity, Spot,
};
pub use self::event::{Event, EventParams, TurnEnd};
pub use self::members::{ConfigureParams, MemberMode, SetModesParams, TeammateParams, Worktree};
pub use self::plan::{PlanListParams, PlanListResult, PlanRequest, PlanResolveParams};
pub use self::task::{TaskCreateParams, TaskListParams, TaskListResult, TaskUpdateParams};
pub use self::team::{TeamCreateParams, TeamDeleteParams};
pub use self::terminal::{TerminalClosedParams, TerminalOpenParams, TerminalParams};
use crate::ids::{AgentId, MemberName, MessageId, RequestId, TeamName, TurnId};
use crate::permission::{Mode, Outcome, PermissionRequest, RuleUpdate};
use crate::settings::{BackendChoice, Effort};
use crate::task::Task;
use crate::team::BackendType;
use crate::transcript::Entry;

/// The version in the server's `experimental.swarm` capability.
pub const PROTOCOL_VERSION: &str = "1";

/// The client's `capabilities.experimental.swarm`; all false for a plain LSP editor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ClientFeatures {
    /// Wants `swarm/event`.
    pub events: bool,
    /// Draws questions itself, so that no `window/showMessageRequest` is sent for them.
    pub permissions: bool,
    /// Answers `swarm/terminal/*`.
    pub terminals: bool,
    /// Answers `swarm/editor/*`.
    pub editor: bool,
}

/// What a member is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum MemberState {
    Starting,
    Working,
    Idle,
    /// For a person's decision.
    Waiting,
    Planning,
    RateLimited,
    /// Its budget is spent; it goes on when that is raised.
    Paused,
    Stalled,
    Completed,
    Failed,
    Killed,
    /// Its process was lost; it can be restarted.
    Gone,
}

impl MemberState {
    /// Whether the member will never work again in this life.
    pub fn has_ended(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Killed | Self::Gone)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Tokens {
    pub input: u64,
    pub output: u64,
    /// Input that the provider had in its cache.
    pub cached: u64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct TeamView {
    pub name: TeamName,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    pub workspace: String,
    pub lead_agent_id: AgentId,
    /// US dollars that all who were ever in it spent, as far as prices are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct MemberView {
    pub agent_id: AgentId,
    pub name: MemberName,
    pub team: TeamName,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub color: Option<String>,
    pub state: MemberState,
    /// The running turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<TurnId>,
    /// The running tool and what it does, in a line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The calls that run, by their ids.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub running: Vec<String>,
    /// How many calls it has made since the server started.
    #[serde(default)]
    pub tool_calls: u32,
    /// When it was last heard of, in Unix milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_activity: Option<u64>,
    /// It does not run: an earlier server ended, and it starts again when it hears from someone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub asleep: bool,
    /// Its last turn was cut off when an earlier server ended, and it has not gone on since.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub interrupted: bool,
    /// Its kind, by the name of its file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_type: Option<String>,
    pub tokens: Tokens,
    /// US dollars, where the model's price is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    pub mode: Mode,
    pub backend: BackendType,
    /// Where it works, when it has a git worktree of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree: Option<Worktree>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// How hard its model is to think; the provider's own without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effort: Option<Effort>,
}

/// Result of `swarm/state`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct StateResult {
    /// The `seq` of the last `swarm/event` that this state includes.
    pub seq: u64,
    pub teams: Vec<TeamView>,
    pub members: Vec<MemberView>,
    /// Pending ones, oldest first.
    pub permissions: Vec<PermissionRequest>,
    pub plans: Vec<PlanRequest>,
    /// In the order made.
    pub tasks: Vec<Task>,
}

/// Names a member; without one, the leader's agent; without a team, the only or first one.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct MemberParams {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub member: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub team: Option<String>,
}

/// A piece of a document that goes with a prompt. Lines and characters count as LSP does, in the client's encoding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Attachment {
    pub uri: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<Range>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Position {
    pub line: u32,
    pub character: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Range {
    pub start: Position,
    pub end: Position,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PromptParams {
    pub text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub member: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<Attachment>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PromptResult {
    /// Names the prompt's turn: exactly one `turnEnded` comes for it, also when the member was busy and the
    /// prompt joined the turn that ran.
    pub turn_id: TurnId,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct InterruptResult {
    /// Whether a turn was running.
    pub interrupted: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct TranscriptParams {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub member: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub team: Option<String>,
    /// The `next` of an earlier answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<u64>,
    /// At most 1000, which is also the default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TranscriptResult {
    pub entries: Vec<Entry>,
    /// Pass as `after` for what comes next.
    pub next: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct MessageParams {
    /// A member's name, or `*` for each.
    pub to: String,
    pub text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MessageResult {
    pub id: MessageId,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct PermissionListParams {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub team: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PermissionListResult {
    pub requests: Vec<PermissionRequest>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum DecisionName {
    Allow,
    Reject,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PermissionResolveParams {
    pub ids: Vec<RequestId>,
    pub decision: DecisionName,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_input: Option<serde_json::Value>,
    /// Of the change only these hunks, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hunks: Vec<Hunk>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feedback: Option<String>,
    /// A rule to keep, so that the like does not ask again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remember: Option<RuleUpdate>,
}

/// Lines of a request's change: those of the text before make room for those of the text after.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Hunk {
    pub before: LineRange,
    pub after: LineRange,
}

/// Lines counted from 0; `end` is the first that is not among them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LineRange {
    pub start: usize,
    pub end: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PermissionResolveResult {
    pub results: Vec<ResolveOutcome>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ResolveOutcome {
    pub id: RequestId,
    pub outcome: Outcome,
}

/// Params of `swarm/teammate/stop`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct StopParams {
    pub member: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team: Option<String>,
    /// End it now, whatever it does.
    #[serde(default)]
    pub force: bool,
    /// Told to the teammate when it is asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct StopResult {
    pub outcome: StopOutcome,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum StopOutcome {
    /// Its model is asked; `memberEnded` or `shutdownRefused` follows.
    Asked,
    Stopped,
    AlreadyEnded,
}

/// Params of `swarm/teammate/spawn`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SpawnParams {
    pub name: String,
    pub prompt: String,
    /// The same id again gives the same member.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team: Option<String>,
    /// The kind of teammate; see docs/agents.md.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_type: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effort: Option<Effort>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub color: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,
    /// It plans first: only what reads runs until the user approves its plan, which then sets the mode.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub plan_mode_required: bool,
    /// How it runs; the setting's `teammateBackend` when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backend: Option<BackendChoice>,
    /// It gets a git branch and a worktree of its own.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub worktree: bool,
}
