//! What the server tells a client that follows the team: `swarm/event`.

use serde::{Deserialize, Serialize};

use super::{Checkpoint, MemberState, MemberView, PlanRequest, TeamView};
use crate::ids::{AgentId, ConversationId, MessageId, RequestId, TeamName, TurnId};
use crate::permission::{Mode, PermissionRequest, ResolvedBy};
use crate::task::Task;

/// Params of the notification `swarm/event`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct EventParams {
    /// Counts what was sent on this connection; a gap means: ask `swarm/state`.
    pub seq: u64,
    pub team: TeamName,
    pub event: Event,
}

/// What happened in a team.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Event {
    /// The team is new; without `team` it was deleted.
    TeamChanged {
        team: Option<Box<TeamView>>,
    },
    MemberChanged {
        member: Box<MemberView>,
    },
    Text {
        member: AgentId,
        turn_id: TurnId,
        text: String,
    },
    ToolStarted {
        member: AgentId,
        turn_id: TurnId,
        tool_use_id: String,
        name: String,
        description: String,
    },
    ToolFinished {
        member: AgentId,
        turn_id: TurnId,
        tool_use_id: String,
        is_error: bool,
        content: String,
    },
    PermissionRequested {
        request: Box<PermissionRequest>,
    },
    /// `allowed` is absent when the question was taken back, since it no longer needs an answer.
    PermissionResolved {
        id: RequestId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        allowed: Option<bool>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        resolved_by: Option<ResolvedBy>,
    },
    /// A member in the mode `plan` wants to go to work.
    PlanRequested {
        plan: Box<PlanRequest>,
    },
    /// `approved` is absent when the plan was taken back.
    PlanResolved {
        id: RequestId,
        member: AgentId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        approved: Option<bool>,
        /// The member's mode from now on, when it was approved.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mode: Option<Mode>,
    },
    Message {
        from: String,
        to: AgentId,
        id: MessageId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        summary: Option<String>,
        text: String,
    },
    /// A member that was asked to end would rather go on; the user can end it all the same.
    ShutdownRefused {
        member: AgentId,
        reason: String,
    },
    /// Something was refused or passed over that the user should see, such as forged mail.
    Warning {
        text: String,
    },
    /// A member's history was replaced by its summary; in tokens, roughly.
    Compacted {
        member: AgentId,
        before: usize,
        after: usize,
    },
    /// Another conversation of a member is the present one, or this present one has another title.
    ConversationChanged {
        member: AgentId,
        id: ConversationId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        title: Option<String>,
    },
    TaskChanged {
        task: Box<Task>,
    },
    /// The workspace was kept as it was before a turn's first change.
    CheckpointMade {
        checkpoint: Box<Checkpoint>,
    },
    /// The workspace is again what it was at a checkpoint; `files` are the absolute paths that changed for it.
    CheckpointRestored {
        id: String,
        files: Vec<String>,
    },
    TurnRestarted {
        member: AgentId,
        turn_id: TurnId,
        attempt: u32,
        discarded_text: String,
    },
    TurnEnded {
        member: AgentId,
        turn_id: TurnId,
        reason: TurnEnd,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        detail: Option<String>,
    },
    MemberEnded {
        member: AgentId,
        outcome: MemberState,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        summary: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum TurnEnd {
    /// The model stopped by itself.
    Completed,
    Interrupted,
    Failed,
}
