//! A teammate in a terminal of the user's editor, which opens it at the server's request.

use std::sync::Arc;

use async_trait::async_trait;
use swarm_wire::lsp::TerminalOpenParams;
use swarm_wire::team::BackendType;

use super::{Backend, Handle, Launch};

/// The terminals of the user's editor.
#[async_trait]
pub trait Terminals: Send + Sync {
    /// Opens one; its id. Dropping the future closes what came of it.
    async fn open(&self, params: TerminalOpenParams) -> Result<String, String>;

    /// Waits until the editor says that it is gone; the exit code, where the editor knows it.
    async fn closed(&self, id: &str) -> Option<i32>;

    async fn close(&self, id: &str) -> Result<(), String>;

    async fn show(&self, id: &str) -> Result<(), String>;

    async fn hide(&self, id: &str) -> Result<(), String>;
}

/// The backend; without terminals where the editor offers none.
pub(super) struct EditorTerminal {
    terminals: Option<Arc<dyn Terminals>>,
}

impl EditorTerminal {
    pub(super) fn new(terminals: Option<Arc<dyn Terminals>>) -> Self {
        Self { terminals }
    }

    fn terminals(&self) -> Result<&dyn Terminals, String> {
        self.terminals.as_deref().ok_or_else(|| {
            "this editor opens no terminals for teammates; the extensions for VS Code and Neovim do"
                .to_owned()
        })
    }
}

#[async_trait]
impl Backend for EditorTerminal {
    fn kind(&self) -> BackendType {
        BackendType::EditorTerminal
    }

    async fn check(&self) -> Result<(), String> {
        self.terminals().map(drop)
    }

    async fn is_at_hand(&self) -> bool {
        true
    }

    async fn open(&self, launch: &Launch) -> Result<Handle, String> {
        let command =
            launch.command().map_err(|error| format!("the path of swarm-ls is not known: {error}"))?;
        let params = TerminalOpenParams {
            title: launch.title.clone(),
            command: command.display().to_string(),
            args: launch.args.clone(),
            cwd: launch.cwd.display().to_string(),
            env: launch.env.clone(),
            color: launch.color.clone(),
            hidden: false,
        };
        Ok(Handle { id: self.terminals()?.open(params).await?, process: None })
    }

    async fn closed(&self, handle: &Handle) -> String {
        let code = match self.terminals() {
            Ok(terminals) => terminals.closed(&handle.id).await,
            Err(_) => None,
        };
        match code {
            Some(code) => format!("its terminal is closed, with exit code {code}"),
            None => "its terminal is closed".to_owned(),
        }
    }

    async fn close(&self, handle: &Handle) {
        let closed = match self.terminals() {
            Ok(terminals) => terminals.close(&handle.id).await,
            Err(error) => Err(error),
        };
        if let Err(error) = closed {
            tracing::debug!(handle = handle.id, error, "a terminal could not be closed; it may be gone");
        }
    }

    async fn show(&self, handle: &Handle) -> Result<(), String> {
        self.terminals()?.show(&handle.id).await
    }

    async fn hide(&self, handle: &Handle) -> Result<(), String> {
        self.terminals()?.hide(&handle.id).await
    }
}
