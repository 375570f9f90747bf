//! What a member needs from outside its loop. Every port has a second implementation: an editor or none,
//! the hub's queue or the mailbox.

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value;
use swarm_wire::lsp::Spot;
use swarm_wire::permission::{Answer, Mode, PermissionRequest};
use swarm_wire::process::{CodePlace, Finding, LookUp};
use swarm_wire::settings::{BackendChoice, Effort};
use swarm_wire::{AgentId, MemberName, TurnId};
use tokio_util::sync::CancellationToken;

/// The asking turn ended before anybody answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Withdrawn;

/// Says what is wrong with an input that a person wants in place of the model's.
pub type InputCheck = Arc<dyn Fn(&Value) -> Result<(), String> + Send + Sync>;

/// Puts a question to the person who leads the team.
#[async_trait]
pub trait Ask: Send + Sync {
    /// Waits until the question is answered; a cancelled `turn` withdraws it.
    async fn ask(
        &self,
        request: PermissionRequest,
        check: InputCheck,
        turn: &CancellationToken,
    ) -> Result<Answer, Withdrawn>;

    /// Waits until the member may make a request to its model; the error says why it may not, for the user. What it
    /// spent before was reported before.
    async fn allowance(&self, agent: &AgentId) -> Result<(), String>;
}

/// The user's editor, whose open documents win over the disk.
#[async_trait]
pub trait Editor: Send + Sync {
    /// The document's text as the user sees it, saved or not; `None` when it is not open.
    async fn open_text(&self, path: &Path) -> Option<String>;

    /// Replaces the text of an open document, and saves it where the client can.
    ///
    /// `before` is the text that the edit was made from. Done means that the editor reported the
    /// expected text back, not that it said it would.
    async fn edit(&self, path: &Path, before: &str, after: &str) -> Result<Edited, EditError>;

    /// Whether it answers what its other language servers know of the code; the same for its whole life.
    fn knows(&self) -> bool;

    /// What those servers found in one file, or in all. The error is for the model.
    async fn diagnostics(&self, path: Option<&Path>) -> Result<Vec<Finding>, String>;

    /// Where the name leads that stands at a place. The error is for the model.
    async fn look_up(&self, what: LookUp, path: &Path, at: Spot) -> Result<Vec<CodePlace>, String>;
}

/// What an editor says that knows nothing of the code.
pub const KNOWS_NOTHING: &str = "The editor does not answer what it knows of the code.";

/// How an edit of an open document ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edited {
    Saved,
    /// The text is in the editor, but nothing could save it.
    Unsaved,
}

/// Why an open document was not edited.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    #[error("the document is no longer open in the editor")]
    NotOpen,
    #[error("the document changed in the editor meanwhile; read it again")]
    Changed,
    #[error("the editor refused the edit: {0}")]
    Refused(String),
    #[error("the editor did not report the edited text back")]
    Unconfirmed,
}

/// No editor: nothing is open, the disk is the truth.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoEditor;

#[async_trait]
impl Editor for NoEditor {
    async fn open_text(&self, _path: &Path) -> Option<String> {
        None
    }

    async fn edit(&self, _path: &Path, _before: &str, _after: &str) -> Result<Edited, EditError> {
        Err(EditError::NotOpen)
    }

    fn knows(&self) -> bool {
        false
    }

    async fn diagnostics(&self, _path: Option<&Path>) -> Result<Vec<Finding>, String> {
        Err(KNOWS_NOTHING.to_owned())
    }

    async fn look_up(&self, _what: LookUp, _path: &Path, _at: Spot) -> Result<Vec<CodePlace>, String> {
        Err(KNOWS_NOTHING.to_owned())
    }
}

/// Keeps what the workspace was, so that a turn can be undone.
#[async_trait]
pub trait Snapshots: Send + Sync {
    /// Called once a turn, before its first change, which waits for it. Failing is the implementation's to tell.
    async fn keep(&self, member: &AgentId, turn: &TurnId, change: &str);
}

/// Nothing is kept: the work is on a branch of its own.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoSnapshots;

#[async_trait]
impl Snapshots for NoSnapshots {
    async fn keep(&self, _member: &AgentId, _turn: &TurnId, _change: &str) {}
}

/// A teammate to be.
#[derive(Debug, Clone)]
pub struct SpawnRequest {
    pub name: MemberName,
    pub prompt: String,
    /// The leader's model when `None`.
    pub model: Option<String>,
    /// The setting's when `None`.
    pub effort: Option<Effort>,
    /// Its kind's when `None`, as far as its kind may say so; else `default`.
    pub mode: Option<Mode>,
    pub agent_type: Option<String>,
    /// How it runs; the setting's when `None`.
    pub backend: Option<BackendChoice>,
    /// Whether it gets a git branch and a worktree of its own.
    pub worktree: bool,
}

/// What only the leader's agent can ask of the team.
#[async_trait]
pub trait Team: Send + Sync {
    /// Registers and starts a teammate; does not wait for its work. The error is for the model.
    async fn spawn(&self, request: SpawnRequest) -> Result<AgentId, String>;

    /// The mode that a kind of teammate has by its file. The error, for the model, names the kinds there are.
    async fn mode_of_type(&self, agent_type: &str) -> Result<Option<Mode>, String>;

    /// Every member's mode.
    async fn modes(&self) -> Result<Vec<(AgentId, Mode)>, String>;

    /// Sets modes, all of them or none; the text is for the model, also the error.
    async fn set_modes(&self, modes: Vec<(AgentId, Mode)>) -> Result<String, String>;

    /// Sends a teammate's plan on to the user, or back; the text is for the model, also the error.
    async fn review_plan(
        &self,
        name: &str,
        approve: bool,
        feedback: Option<String>,
    ) -> Result<String, String>;

    /// Asks a teammate to end; the text is for the model, also the error.
    async fn request_shutdown(&self, name: &str, reason: Option<String>) -> Result<String, String>;
}
