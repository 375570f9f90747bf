//! A member's conversations: the present one and those put away, as the disk and the editor have them.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::ids::ConversationId;

/// One conversation of a member, in figures. The entries themselves are in its transcript.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Conversation {
    pub id: ConversationId,
    /// The user's, else the head of its first prompt; none before that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Unix milliseconds.
    pub created_at: u64,
    /// When its last entry was made, in Unix milliseconds.
    pub updated_at: u64,
    pub entries: u64,
    /// What the model is shown of it, in tokens, roughly.
    pub tokens: u64,
}

/// `<root>/teams/<team>/transcripts/<agentId>.json`. Without the file there is the first conversation alone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ConversationIndex {
    /// The present one.
    pub current: ConversationId,
    /// All of them. The figures of the present one are those of when it was last put away.
    pub conversations: Vec<Conversation>,
    #[serde(flatten)]
    pub unknown: Map<String, Value>,
}

impl Default for ConversationIndex {
    fn default() -> Self {
        Self { current: ConversationId::first(), conversations: Vec::new(), unknown: Map::new() }
    }
}

impl ConversationIndex {
    pub fn get(&self, id: &ConversationId) -> Option<&Conversation> {
        self.conversations.iter().find(|conversation| conversation.id == *id)
    }

    /// Keeps these figures in place of those of the same id.
    pub fn set(&mut self, conversation: Conversation) {
        self.remove(&conversation.id);
        self.conversations.push(conversation);
    }

    pub fn remove(&mut self, id: &ConversationId) {
        self.conversations.retain(|conversation| conversation.id != *id);
    }
}

/// Another conversation that a member is to be in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum ConversationWish {
    /// An empty one; the present one is put away.
    New,
    /// The same, and a present one that no model answered is let go.
    Clear,
    /// One that was put away.
    Open { id: ConversationId },
}
