//! What can go wrong on disk, each with its path; callers ask questions rather than match on I/O kinds.

use std::io;
use std::path::{Path, PathBuf};

use swarm_wire::permission::Scope;
use swarm_wire::task::TaskId;
use swarm_wire::{AgentId, ConversationId, MemberName, NameError, TeamName};

pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why the store could not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("cannot {doing} {}: {source}", path.display())]
    Io { doing: &'static str, path: PathBuf, source: io::Error },
    #[error("{} is not what it should be: {source}", path.display())]
    Json { path: PathBuf, source: serde_json::Error },
    #[error("{} could not be written as JSON: {source}", path.display())]
    Encode { path: PathBuf, source: serde_json::Error },
    #[error("this system names no data directory; set SWARM_HOME to a folder of your own")]
    NoDataDir,
    #[error("{} cannot hold the team's state: {why}", path.display())]
    NotPrivate { path: PathBuf, why: String },
    #[error("the team `{0}` exists already")]
    TeamExists(TeamName),
    #[error("there is no team `{team}`; {}", list("there are", exist))]
    NoSuchTeam { team: TeamName, exist: Vec<TeamName> },
    #[error("nobody reads mail as `{to}`; {}", list("mail reaches", exist))]
    NoSuchMember { to: AgentId, exist: Vec<AgentId> },
    #[error("the team has no {}; {}", list("member", unknown), list("its members are", exist))]
    NoSuchMembers { unknown: Vec<MemberName>, exist: Vec<MemberName> },
    #[error("the team `{team}` is not deleted while members run: {}", list("alive is", live))]
    MembersRun { team: TeamName, live: Vec<AgentId> },
    #[error(
        "the team `{team}` is not deleted, since it holds git worktrees; {}; stop the members that work there, and remove \
         what you don't need with `git worktree remove PATH`",
        list("they are", worktrees)
    )]
    WorktreesLeft { team: TeamName, worktrees: Vec<String> },
    #[error("there is no task `{0}`")]
    NoSuchTask(TaskId),
    #[error("there is no conversation `{0}`; `swarm/conversation/list` says which there are")]
    NoSuchConversation(ConversationId),
    #[error("task `{0}` would wait for itself")]
    TaskWaitsForItself(TaskId),
    #[error("a rule of scope {0:?} is not kept in a settings file")]
    NotInSettings(Scope),
    #[error("{what} is {bytes} bytes long; the limit is {limit}")]
    TooLarge { what: String, bytes: u64, limit: u64 },
    #[error("`{id}` cannot name a file here: {why}")]
    BadId { id: String, why: &'static str },
    #[error(transparent)]
    Name(#[from] NameError),
    #[error("{} holds no key: {why}", path.display())]
    BadKey { path: PathBuf, why: &'static str },
    #[error("{} is another picture than was kept there", .0.display())]
    AnotherPicture(PathBuf),
    #[error("the system gave no random bytes: {0}")]
    NoRandomness(String),
    #[error("{} is held by {}", path.display(), holder(*pid))]
    Held { path: PathBuf, pid: Option<u32> },
}

impl Error {
    pub(crate) fn io(doing: &'static str, path: impl AsRef<Path>) -> impl FnOnce(io::Error) -> Self {
        let path = path.as_ref().to_owned();
        move |source| Self::Io { doing, path, source }
    }

    /// The disk or the user's share of it is full.
    pub fn is_full(&self) -> bool {
        matches!(self.io_kind(), Some(io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded))
    }

    /// The file system takes no writes at all.
    pub fn is_read_only(&self) -> bool {
        self.io_kind() == Some(io::ErrorKind::ReadOnlyFilesystem)
    }

    /// The file that it is about, when it is about reading or writing one.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::Io { path, .. } | Self::Json { path, .. } | Self::Encode { path, .. } => Some(path),
            _ => None,
        }
    }

    /// The file is not there.
    pub fn is_not_found(&self) -> bool {
        self.io_kind() == Some(io::ErrorKind::NotFound)
    }

    /// Another live process has what was asked for.
    pub fn is_held(&self) -> bool {
        matches!(self, Self::Held { .. })
    }

    fn io_kind(&self) -> Option<io::ErrorKind> {
        match self {
            Self::Io { source, .. } => Some(source.kind()),
            _ => None,
        }
    }
}

fn list<T: ToString>(lead: &str, names: &[T]) -> String {
    if names.is_empty() {
        return "there is none".to_owned();
    }
    let names: Vec<String> = names.iter().map(T::to_string).collect();
    format!("{lead} {}", names.join(", "))
}

fn holder(pid: Option<u32>) -> String {
    pid.map_or("another process".to_owned(), |pid| format!("process {pid}"))
}
