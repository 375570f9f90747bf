//! The places that the processes of teammates run in, and which of them is taken.

pub(crate) mod editor_terminal;
mod hidden;
mod iterm2;
mod making;
pub(crate) mod tmux;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use swarm_guard::exec::Helper;
use swarm_wire::TeamName;
use swarm_wire::settings::BackendChoice;
use swarm_wire::team::BackendType;

use editor_terminal::{EditorTerminal, Terminals};
use hidden::Hidden;
use iterm2::Iterm2;
use tmux::{Tmux, TmuxPane};

/// The terminal that this process was started in.
#[derive(Debug, Clone, Default)]
pub struct StartedIn {
    pub tmux: Option<TmuxPane>,
    /// The session of iTerm2.
    pub iterm2: Option<String>,
}

/// Keys of providers, which come with the order and never by an environment.
const KEYS: [&str; 2] = ["ANTHROPIC_API_KEY", "OPENAI_API_KEY"];

/// One teammate's process, to be started.
#[derive(Debug, Clone)]
pub(crate) struct Launch {
    /// The teammate's name.
    pub(crate) title: String,
    pub(crate) team: TeamName,
    pub(crate) color: Option<String>,
    /// How much of its leader's room a place beside it takes, in percent.
    pub(crate) share: u8,
    pub(crate) program: Helper,
    /// No secret is among them: every user of the machine can read them.
    pub(crate) args: Vec<String>,
    /// Absolute.
    pub(crate) cwd: PathBuf,
    /// Set over what the place has otherwise.
    pub(crate) env: BTreeMap<String, String>,
}

impl Launch {
    /// The program's absolute path.
    pub(crate) fn command(&self) -> std::io::Result<PathBuf> {
        match &self.program {
            Helper::ThisProgram => std::env::current_exe(),
            Helper::At(path) => Ok(path.clone()),
        }
    }
}

/// Where a process runs.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Handle {
    /// The place, as it is in the team file.
    pub(crate) id: String,
    /// The process in it, where the place tells.
    pub(crate) process: Option<u32>,
}

/// A kind of place for the processes of teammates. What runs in one is the same everywhere.
#[async_trait]
pub(crate) trait Backend: Send + Sync {
    fn kind(&self) -> BackendType;

    /// Whether it can be had here; else what to install or to set.
    async fn check(&self) -> Result<(), String>;

    /// Whether the user looks at it anyway, so that `auto` takes it.
    async fn is_at_hand(&self) -> bool;

    /// Starts a process; the handle of its place. Dropping the future leaves no place behind.
    async fn open(&self, launch: &Launch) -> Result<Handle, String>;

    /// Waits until the place is gone; what is known of why.
    async fn closed(&self, handle: &Handle) -> String;

    /// Ends the place and what runs in it. One that is gone is no error.
    async fn close(&self, handle: &Handle);

    /// Shows the place without taking the focus.
    async fn show(&self, _handle: &Handle) -> Result<(), String> {
        Err(unseen(self.kind()))
    }

    /// Takes the place out of sight; what is in it runs on.
    async fn hide(&self, _handle: &Handle) -> Result<(), String> {
        Err(unseen(self.kind()))
    }
}

fn unseen(kind: BackendType) -> String {
    format!("a teammate that runs as `{}` has nothing to show or to hide", kind.as_str())
}

/// Those that this version knows, in the order in which `auto` takes them.
pub(crate) struct Backends {
    all: Vec<Arc<dyn Backend>>,
}

impl Backends {
    /// With the terminals of the user's editor, and what this process was started in.
    pub(crate) fn new(terminals: Option<Arc<dyn Terminals>>, started_in: &StartedIn) -> Self {
        let all: [Arc<dyn Backend>; 4] = [
            Arc::new(EditorTerminal::new(terminals)),
            Arc::new(Tmux::new(started_in.tmux.clone())),
            Arc::new(Iterm2::new(started_in.iterm2.clone())),
            Arc::new(Hidden::default()),
        ];
        Self { all: all.into() }
    }

    /// What a choice comes to: a backend for a process, or `None` for the server's own.
    ///
    /// # Errors
    /// When that one cannot be had here; the text says what would help.
    pub(crate) async fn choose(&self, choice: BackendChoice) -> Result<Option<Arc<dyn Backend>>, String> {
        if let BackendChoice::Named(kind) = choice {
            return self.of(kind).await;
        }
        for backend in &self.all {
            if backend.is_at_hand().await && backend.check().await.is_ok() {
                return Ok(Some(backend.clone()));
            }
        }
        Ok(None)
    }

    /// The backend of this kind, whether or not it can be had here; `None` for the server's own process.
    pub(crate) fn known(&self, kind: BackendType) -> Option<Arc<dyn Backend>> {
        self.all.iter().find(|backend| backend.kind() == kind).cloned()
    }

    /// The backend of this kind, where it can be had; `None` for the server's own process.
    pub(crate) async fn of(&self, kind: BackendType) -> Result<Option<Arc<dyn Backend>>, String> {
        if kind == BackendType::InProcess {
            return Ok(None);
        }
        let backend = self.all.iter().find(|backend| backend.kind() == kind);
        let backend = backend.ok_or_else(|| "this version cannot run it".to_owned())?;
        backend.check().await.map(|()| Some(backend.clone()))
    }
}
