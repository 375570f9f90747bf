//! The mailbox: one message, and the protocol messages that ride in its text.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::conversation::{Conversation, ConversationWish};
use crate::ids::{AgentId, MessageId, RequestId, TurnId};
use crate::permission::{Answer, FileChange, Level, Mode, RuleUpdate};
use crate::picture::Picture;
use crate::process::{LeaderAnswer, LeaderCall, MemberBounds, Progress};
use crate::task::Task;

/// Whether a message's text is for a model or for the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Free text; never parsed.
    Text,
    /// A [`Protocol`] message as JSON.
    Protocol,
}

/// One file in a mailbox.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    pub id: MessageId,
    /// An agent id, `user`, or `external:<tool>`.
    pub from: String,
    pub text: String,
    /// RFC 3339, UTC.
    pub timestamp: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub color: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    #[serde(default)]
    pub read: bool,
    pub kind: Kind,
}

impl Message {
    /// Parses the protocol message in the text; free text is `None`, whatever it looks like.
    pub fn protocol(&self) -> Option<Result<Protocol, serde_json::Error>> {
        (self.kind == Kind::Protocol).then(|| serde_json::from_str(&self.text))
    }
}

/// Why a member fell idle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum IdleReason {
    Available,
    Interrupted,
    Failed,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum CompletedStatus {
    Resolved,
    Blocked,
    Failed,
}

/// What leader and members say to each other beside free text. `type` tells them apart.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Protocol {
    /// Worker to leader: a turn ended and nothing waits.
    IdleNotification(IdleNotification),
    /// Worker to leader: a call needs a person's decision.
    PermissionRequest(AskMail),
    /// Worker to leader: the turn or member that asked is gone. Leader to worker: nobody will answer.
    PermissionWithdraw { request_id: RequestId },
    /// Leader to worker.
    PermissionResponse(AnswerMail),
    /// Leader to worker: what the user typed to this member in the editor.
    UserMessage {
        request_id: RequestId,
        text: String,
        /// What goes with the text; the bytes are in the worker's `outputs`.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pictures: Vec<Picture>,
    },
    /// Leader to worker: end the running turn, keep the member.
    Interrupt {
        request_id: RequestId,
        /// Turns that were promised and may not have begun.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        turns: Vec<TurnId>,
    },
    /// Leader to worker: holds from the next tool call.
    ModeChange { request_id: RequestId, mode: Mode },
    /// Leader to worker in a process of its own: what holds for its calls from the next one on.
    RulesUpdate { bounds: MemberBounds },
    /// Leader to worker in a process of its own: a file with what its model requests are made with.
    ModelUpdate { file: String },
    /// Leader to worker in a process of its own: summarise the history before the next model request.
    Compact { request_id: RequestId },
    /// Leader to worker in a process of its own: be in another conversation.
    Converse { request_id: RequestId, wish: ConversationWish },
    /// Worker to leader: it is in this conversation now, or why it is not.
    Conversed {
        request_id: RequestId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        conversation: Option<Conversation>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        refused: Option<String>,
    },
    /// Worker to leader: what happened since the last one; with `ended` it was the last.
    Progress {
        reports: Vec<Progress>,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        ended: bool,
    },
    /// Worker to leader: do what only the leader can.
    LeaderRequest { request_id: RequestId, call: LeaderCall },
    /// Leader to worker.
    LeaderResponse { request_id: RequestId, answer: LeaderAnswer },
    /// Leader to worker in a process of its own: another leads now and knows nothing; say what you are at, and ask again
    /// what is open.
    LeaderChanged,
    /// Leader to worker: a free task is yours, in progress.
    TaskAssigned { task: Task },
    /// Leader to leader's agent: look at a teammate's plan before the user does.
    PlanReview { request_id: RequestId, from: AgentId, plan: String },
    /// Leader to worker: end after this turn, if you agree.
    ShutdownRequest {
        request_id: RequestId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// Worker to leader.
    ShutdownResponse {
        request_id: RequestId,
        approve: bool,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct IdleNotification {
    pub idle_reason: IdleReason,
    /// What the member said last, cut to a line or two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completed_task_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completed_status: Option<CompletedStatus>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure_reason: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AskMail {
    pub request_id: RequestId,
    pub agent_id: AgentId,
    pub tool_name: String,
    pub tool_use_id: String,
    pub description: String,
    pub level: Level,
    /// Why it asks, as a clause.
    #[serde(default)]
    pub why: String,
    pub input: Value,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<FileChange>,
    #[serde(default)]
    pub permission_suggestions: Vec<RuleUpdate>,
    /// Unix milliseconds.
    #[serde(default)]
    pub created_at: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AnswerSubtype {
    Success,
    Error,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AnswerMail {
    pub request_id: RequestId,
    pub subtype: AnswerSubtype,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feedback: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_input: Option<Value>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub permission_updates: Vec<RuleUpdate>,
}

impl AnswerMail {
    pub fn new(request_id: RequestId, answer: Answer) -> Self {
        let Answer { allow, feedback, updated_input, permission_updates } = answer;
        let subtype = if allow { AnswerSubtype::Success } else { AnswerSubtype::Error };
        Self { request_id, subtype, feedback, content: None, updated_input, permission_updates }
    }

    pub fn into_answer(self) -> Answer {
        let Self { subtype, feedback, updated_input, permission_updates, .. } = self;
        Answer { allow: subtype == AnswerSubtype::Success, feedback, updated_input, permission_updates }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn protocol_messages_carry_their_type_and_documented_fields() {
        let idle = Protocol::IdleNotification(IdleNotification {
            idle_reason: IdleReason::Available,
            summary: Some("done".into()),
            completed_task_id: None,
            completed_status: None,
            failure_reason: None,
        });
        let json = serde_json::to_value(&idle).unwrap();
        assert_eq!(json["type"], "idle_notification");
        assert_eq!(json["idleReason"], "available");
        assert_eq!(serde_json::from_value::<Protocol>(json).unwrap(), idle);
    }

    #[test]
    fn free_text_that_looks_like_protocol_stays_text() {
        let message = Message {
            id: MessageId::new("m1"),
            from: "ada@shop".into(),
            text: r#"{"type":"interrupt","request_id":"r"}"#.into(),
            timestamp: "2026-01-01T00:00:00Z".into(),
            color: None,
            summary: None,
            read: false,
            kind: Kind::Text,
        };
        assert!(message.protocol().is_none());
    }
}
