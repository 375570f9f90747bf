//! The places that the processes of teammates run in, and which of them is taken.

pub(crate) mod editor_terminal;
mod hidden;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use swarm_guard::exec::Helper;
use swarm_wire::settings::BackendChoice;
use swarm_wire::team::BackendType;

use editor_terminal::{EditorTerminal, Terminals};
use hidden::Hidden;

/// One teammate's process, to be started.
#[derive(Debug, Clone)]
pub(crate) struct Launch {
    /// The teammate's name.
    pub(crate) title: String,
    pub(crate) color: Option<String>,
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

/// A kind of place for the processes of teammates. What runs in one is the same everywhere.
#[async_trait]
pub(crate) trait Backend: Send + Sync {
    fn kind(&self) -> BackendType;

    /// Whether it can be had here; else what to install or to set.
    fn check(&self) -> Result<(), String>;

    /// Whether the user looks at it anyway, so that `auto` takes it.
    fn is_at_hand(&self) -> bool;

    /// Starts a process; the handle of its place. Dropping the future leaves no place behind.
    async fn open(&self, launch: &Launch) -> Result<String, String>;

    /// Waits until the place is gone; what is known of why.
    async fn closed(&self, handle: &str) -> String;

    /// Ends the place and what runs in it. One that is gone is no error.
    async fn close(&self, handle: &str);

    /// Shows the place without taking the focus.
    async fn show(&self, _handle: &str) -> Result<(), String> {
        Err(unseen(self.kind()))
    }

    /// Takes the place out of sight; what is in it runs on.
    async fn hide(&self, _handle: &str) -> Result<(), String> {
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
    pub(crate) fn new(terminals: Option<Arc<dyn Terminals>>) -> Self {
        Self { all: vec![Arc::new(EditorTerminal::new(terminals)), Arc::new(Hidden::default())] }
    }

    /// What a choice comes to: a backend for a process, or `None` for the server's own.
    ///
    /// # Errors
    /// When that one cannot be had here; the text says what would help.
    pub(crate) fn choose(&self, choice: BackendChoice) -> Result<Option<Arc<dyn Backend>>, String> {
        match choice {
            BackendChoice::Auto => {
                Ok(self.all.iter().find(|backend| backend.is_at_hand() && backend.check().is_ok()).cloned())
            }
            BackendChoice::Named(kind) => self.of(kind),
        }
    }

    /// The backend of this kind, where it can be had; `None` for the server's own process.
    pub(crate) fn of(&self, kind: BackendType) -> Result<Option<Arc<dyn Backend>>, String> {
        if kind == BackendType::InProcess {
            return Ok(None);
        }
        let backend = self.all.iter().find(|backend| backend.kind() == kind).ok_or_else(|| {
            let names: Vec<String> =
                self.all.iter().map(|backend| format!("`{}`", backend.kind().as_str())).collect();
            format!("this version cannot run it; use `in-process`, {} or `auto`", names.join(", "))
        })?;
        backend.check().map(|()| Some(backend.clone()))
    }
}
