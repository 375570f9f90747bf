//! What a member reports while it lives. The leader turns it into state and `swarm/event`.

use std::sync::Arc;

use swarm_model::Usage;
use swarm_wire::lsp::TurnEnd;
use swarm_wire::{AgentId, ConversationId, MessageId, TurnId};
use tokio::sync::mpsc;

/// One report of one member.
#[derive(Debug, Clone, PartialEq)]
pub enum Report {
    TurnStarted {
        turn: TurnId,
    },
    Text {
        turn: TurnId,
        text: String,
    },
    /// The attempt broke: the text so far is void, and another begins.
    Restarted {
        turn: TurnId,
        attempt: u32,
        discarded_text: String,
    },
    /// No request goes out for so long.
    Waiting {
        turn: TurnId,
        seconds: f64,
        reason: String,
    },
    /// The wait is over.
    Resumed,
    /// What one request to this model took.
    Used {
        model: Arc<str>,
        usage: Usage,
    },
    ToolStarted {
        turn: TurnId,
        tool_use_id: String,
        name: String,
        description: String,
    },
    ToolFinished {
        turn: TurnId,
        tool_use_id: String,
        is_error: bool,
        content: String,
    },
    TurnEnded {
        turn: TurnId,
        end: TurnEnd,
        detail: Option<String>,
    },
    /// Something that the user should see, and that ended nothing.
    Warned {
        text: String,
    },
    /// Free text went to another member.
    Sent {
        to: AgentId,
        id: MessageId,
        summary: Option<String>,
        text: String,
    },
    /// Its history was replaced by a summary; in tokens, roughly.
    Compacted {
        before: usize,
        after: usize,
    },
    /// It is in this conversation from now on.
    ConversationChanged {
        id: ConversationId,
        title: Option<String>,
    },
    /// It changed the team's list of tasks.
    TasksChanged,
    /// The member's loop goes round, though nothing new came of it.
    Alive,
    /// Nothing waits; the member sleeps until mail comes.
    Idle,
}

/// A member's end of the channel to its leader. Full means: wait, since the hub takes reports as they come.
#[derive(Debug, Clone)]
pub struct Reporter {
    pub agent: AgentId,
    pub reports: mpsc::Sender<(AgentId, Report)>,
}

impl Reporter {
    pub(crate) async fn send(&self, report: Report) {
        // A hub that is gone wants no reports; the member's own cancellation follows.
        let _ = self.reports.send((self.agent.clone(), report)).await;
    }
}
