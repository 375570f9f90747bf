//! The conversations of a member: `swarm/conversation/*`.

use serde::{Deserialize, Serialize};

use crate::conversation::Conversation;
use crate::ids::ConversationId;

/// A conversation as a client sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ConversationView {
    #[serde(flatten)]
    pub conversation: Conversation,
    /// Whether it is the present one.
    pub current: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ConversationListResult {
    /// Newest first, by their last entry.
    pub conversations: Vec<ConversationView>,
    /// How many tokens the member's model takes, so that a conversation's share of it can be shown.
    pub context_window: u32,
}

/// Params of `swarm/conversation/open`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ConversationOpenParams {
    pub id: ConversationId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub member: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team: Option<String>,
}

/// Params of `swarm/conversation/rename`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ConversationRenameParams {
    /// The present one without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<ConversationId>,
    pub title: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub member: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team: Option<String>,
}
