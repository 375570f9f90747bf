//! How a member writes to others: free text for models, protocol messages for programs.

use swarm_store::{Draft, Durability, Sender, Tasks, TeamDir};
use swarm_wire::mail::{Kind, Protocol};
use swarm_wire::{AgentId, MessageId};

/// Why mail was not sent. Told to the model or the user.
#[derive(Debug, thiserror::Error)]
pub enum PostError {
    #[error("There is no member `{name}`. There are: {members}.")]
    Nobody { name: String, members: String },
    #[error("There is nobody else in the team.")]
    Alone,
    #[error(transparent)]
    Store(#[from] swarm_store::Error),
    #[error("{0}")]
    Internal(String),
}

/// Free text to send.
#[derive(Debug, Clone)]
pub struct Letter {
    pub text: String,
    pub summary: Option<String>,
}

/// One sender's way into the mailboxes of its team.
pub struct Post {
    team: TeamDir,
    me: AgentId,
    color: Option<String>,
    sender: Sender,
}

impl Post {
    pub fn new(team: TeamDir, me: AgentId, color: Option<String>, sender: Sender) -> Self {
        Self { team, me, color, sender }
    }

    /// The team's list of tasks.
    pub fn tasks(&self) -> Tasks {
        self.team.tasks()
    }

    /// Everybody in the team. Blocks.
    pub fn members(&self) -> Result<Vec<AgentId>, swarm_store::Error> {
        Ok(self.team.read()?.members.into_iter().map(|member| member.agent_id).collect())
    }

    /// Sends free text to a member, or with `*` to each but the sender; gives who got it, and as
    /// which message.
    pub async fn send_text(&self, to: &str, letter: Letter) -> Result<Vec<(AgentId, MessageId)>, PostError> {
        let team = self.team.clone();
        let file = blocking(move || Ok(team.read()?)).await?;
        let others: Vec<AgentId> =
            file.members.into_iter().map(|member| member.agent_id).filter(|id| *id != self.me).collect();
        let receivers: Vec<AgentId> = match to {
            "*" if others.is_empty() => return Err(PostError::Alone),
            "*" => others.clone(),
            name => others.iter().filter(|id| id.is_called(name)).cloned().collect(),
        };
        if receivers.is_empty() {
            let members: Vec<&str> = others.iter().map(|id| id.name.as_str()).collect();
            return Err(PostError::Nobody { name: to.to_owned(), members: members.join(", ") });
        }
        let mut sent = Vec::with_capacity(receivers.len());
        for receiver in receivers {
            let draft = Draft {
                text: letter.text.clone(),
                kind: Kind::Text,
                summary: letter.summary.clone(),
                color: self.color.clone(),
            };
            let id = self.send(receiver.clone(), draft, Durability::Buffered).await?;
            sent.push((receiver, id));
        }
        Ok(sent)
    }

    /// Sends a protocol message; it is on disk for good before this returns.
    pub async fn send_protocol(&self, to: &AgentId, message: &Protocol) -> Result<MessageId, PostError> {
        let text = serde_json::to_string(message).map_err(|error| PostError::Internal(error.to_string()))?;
        let draft = Draft { text, kind: Kind::Protocol, summary: None, color: self.color.clone() };
        self.send(to.clone(), draft, Durability::Synced).await
    }

    /// Sends a protocol message that a power cut may take.
    pub async fn send_news(&self, to: &AgentId, message: &Protocol) -> Result<MessageId, PostError> {
        let text = serde_json::to_string(message).map_err(|error| PostError::Internal(error.to_string()))?;
        let draft = Draft { text, kind: Kind::Protocol, summary: None, color: None };
        self.send(to.clone(), draft, Durability::Buffered).await
    }

    async fn send(&self, to: AgentId, draft: Draft, durability: Durability) -> Result<MessageId, PostError> {
        let sender = self.sender.clone();
        let mailbox = self.team.mailbox(&to);
        blocking(move || Ok(sender.send(&mailbox, draft, durability)?)).await
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, PostError> + Send + 'static,
) -> Result<T, PostError> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|lost| Err(PostError::Internal(lost.to_string())))
}
