//! What a teammate in a process of its own and its leader tell each other, beside the mail that all members have.

use std::path::PathBuf;

use serde::{Deserialize, Serialize, Serializer};

use crate::ids::{AgentId, ConversationId, MessageId, RequestId, TurnId};
use crate::lsp::{Severity, Spot, TurnEnd};
use crate::permission::{Behavior, Mode, Scope, Trust};
use crate::settings::{Effort, Provider, Secret};
use crate::team::BackendType;

/// What a teammate's process is started with. It goes by a file that is gone once read.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StartOrder {
    pub agent: AgentId,
    pub backend: BackendType,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub color: Option<String>,
    /// Absolute, with symbolic links resolved.
    pub cwd: PathBuf,
    /// The tools that its kind leaves it besides those of the team; all without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<String>>,
    /// What its model reads of its kind.
    #[serde(default)]
    pub about_kind: String,
    /// Whether the user's editor answers what it knows of the code.
    #[serde(default)]
    pub editor_knows: bool,
    /// How long it waits for another leader when its own is gone, in seconds.
    pub leaderless_seconds: u64,
    pub bounds: MemberBounds,
    pub model: MemberModel,
}

/// What its model requests are made with. It holds the key, so it never goes by mail.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MemberModel {
    pub provider: Option<Provider>,
    pub base_url: Option<String>,
    #[serde(serialize_with = "exposed")]
    pub api_key: Option<Secret>,
    pub model: String,
    pub effort: Option<Effort>,
    /// The longest answer, in tokens.
    pub max_tokens: u32,
    /// In tokens, history and answer together.
    pub context_window: u32,
    /// Whether it is shown pictures.
    pub pictures: bool,
    /// Whether a budget holds.
    pub metered: bool,
}

/// For the one file that carries a key to another process.
fn exposed<S: Serializer>(key: &Option<Secret>, serializer: S) -> Result<S::Ok, S::Error> {
    key.as_ref().map(Secret::expose).serialize(serializer)
}

/// What holds for a teammate's calls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MemberBounds {
    pub mode: Mode,
    pub trust: Trust,
    pub rules: Vec<HeldRule>,
    /// Further patterns of files that hold secrets.
    pub secrets: Vec<String>,
    pub walls: Walls,
    /// Where it is held to, when it has a git worktree of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree: Option<HeldTo>,
}

/// A git worktree that stands in for the user's checkout. Paths are absolute, with symbolic links resolved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HeldTo {
    pub path: PathBuf,
    pub branch: String,
    pub checkout: PathBuf,
}

/// One rule with where it comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HeldRule {
    pub rule: String,
    pub behavior: Behavior,
    pub scope: Scope,
    /// Whether it may grant.
    pub trusted: bool,
}

/// How far the walls around commands reach on this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Walls {
    Full,
    FilesOnly,
    None,
}

/// One thing that a teammate's process reports.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Progress {
    TurnStarted { turn: TurnId },
    Text { turn: TurnId, text: String },
    Restarted { turn: TurnId, attempt: u32, discarded_text: String },
    Waiting { turn: TurnId, seconds: f64, reason: String },
    Resumed,
    Used { model: String, input: u64, written: u64, output: u64, cached: u64 },
    ToolStarted { turn: TurnId, tool_use_id: String, name: String, description: String },
    ToolFinished { turn: TurnId, tool_use_id: String, is_error: bool, content: String },
    TurnEnded { turn: TurnId, end: TurnEnd, detail: Option<String> },
    Warned { text: String },
    Sent { to: AgentId, id: MessageId, summary: Option<String>, text: String },
    Compacted { before: usize, after: usize },
    ConversationChanged { id: ConversationId, title: Option<String> },
    TasksChanged,
    Alive,
    Idle,
}

/// What only the leader can do for a teammate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "camelCase")]
pub enum LeaderCall {
    /// The text of a document as the user's editor has it.
    OpenText { path: PathBuf },
    /// Changes an open document.
    Edit { path: PathBuf, before: String, after: String },
    /// What the editor's other servers found, in one file or in all.
    Diagnostics { path: Option<PathBuf> },
    /// Where a name leads that stands at a place.
    LookUp { what: LookUp, path: PathBuf, at: Spot },
    /// Keeps what the workspace is, before a turn's first change.
    Keep { turn: TurnId, change: String },
    /// Waits until a budget has room for a request.
    Allowance,
    /// The person at its own terminal writes to it.
    Prompt { text: String },
    /// The person at its own terminal answers one of its questions, once.
    Answer { id: RequestId, allow: bool, feedback: Option<String> },
}

/// What came of a [`LeaderCall`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "result", rename_all = "camelCase")]
pub enum LeaderAnswer {
    /// `None`: it is not open.
    Text {
        text: Option<String>,
    },
    Edited {
        saved: bool,
    },
    Findings {
        findings: Vec<Finding>,
    },
    Places {
        places: Vec<CodePlace>,
    },
    NotOpen,
    Changed,
    Unconfirmed,
    Refused {
        why: String,
    },
    Done,
}

/// What is wanted of a name in the code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum LookUp {
    Definition,
    References,
}

/// What one of the editor's servers found in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    pub place: CodePlace,
    pub severity: Severity,
    pub message: String,
    /// Who says so.
    pub source: Option<String>,
}

/// A place in a file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CodePlace {
    /// Absolute.
    pub path: PathBuf,
    pub at: Spot,
}
