//! A teammate as a child process without a screen. A word on its stdin ends it. When that only closes, its leader was
//! killed, and it waits for another.

use std::collections::HashMap;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::{Arc, Mutex as Table, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use swarm_guard::exec::Helper;
use swarm_wire::team::BackendType;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{ChildStderr, ChildStdin, Command};
use tokio::sync::Mutex;
use tokio::task::JoinHandle;

use super::{Backend, Handle, KEYS, Launch};

/// How long it may take to end by itself.
const END_BOUND: Duration = Duration::from_millis(500);
/// How much of what it says on stderr is kept, in bytes.
const SAID_MAX: u64 = 2000;

/// The backend, with the processes that it started.
#[derive(Default)]
pub(super) struct Hidden {
    children: Table<HashMap<Handle, Arc<Child>>>,
}

/// A teammate's process.
struct Child {
    /// Where it is told to end.
    lifeline: Table<Option<ChildStdin>>,
    process: Mutex<Running>,
}

struct Running {
    process: tokio::process::Child,
    said: Option<JoinHandle<String>>,
}

impl Hidden {
    fn child(&self, handle: &Handle) -> Option<Arc<Child>> {
        self.children.lock().unwrap_or_else(PoisonError::into_inner).get(handle).cloned()
    }
}

#[async_trait]
impl Backend for Hidden {
    fn kind(&self) -> BackendType {
        BackendType::Hidden
    }

    async fn check(&self) -> Result<(), String> {
        Ok(())
    }

    async fn is_at_hand(&self) -> bool {
        false
    }

    async fn open(&self, launch: &Launch) -> Result<Handle, String> {
        let mut command = Command::new(match &launch.program {
            // Also when the file was replaced since.
            Helper::ThisProgram => PathBuf::from("/proc/self/exe"),
            Helper::At(path) => path.clone(),
        });
        command.arg0("swarm-ls").args(&launch.args).current_dir(&launch.cwd).envs(&launch.env);
        for key in KEYS {
            command.env_remove(key);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        // A group of its own: what the editor sends to the server's is not for it.
        let mut process =
            command.process_group(0).kill_on_drop(true).spawn().map_err(|error| error.to_string())?;
        let lifeline = Table::new(process.stdin.take());
        let said = process.stderr.take().map(|stderr| tokio::spawn(first_words(stderr)));
        let id = process.id();
        let handle = Handle { id: id.map_or_else(|| "ended".to_owned(), |id| id.to_string()), process: id };
        let child = Arc::new(Child { lifeline, process: Mutex::new(Running { process, said }) });
        self.children.lock().unwrap_or_else(PoisonError::into_inner).insert(handle.clone(), child);
        Ok(handle)
    }

    async fn closed(&self, handle: &Handle) -> String {
        let Some(child) = self.child(handle) else { return "its process is not known".to_owned() };
        let mut running = child.process.lock().await;
        let status = match running.process.wait().await {
            Ok(status) => status.to_string(),
            Err(error) => error.to_string(),
        };
        let said = match running.said.take() {
            Some(said) => said.await.unwrap_or_default(),
            None => String::new(),
        };
        if said.trim().is_empty() { status } else { format!("{status}: {}", said.trim()) }
    }

    async fn close(&self, handle: &Handle) {
        let known = self.children.lock().unwrap_or_else(PoisonError::into_inner).remove(handle);
        let Some(child) = known else { return };
        // By itself within a moment, else by force.
        let lifeline = child.lifeline.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(mut lifeline) = lifeline {
            // One that is gone hears nothing.
            let _ = lifeline.write_all(b"end\n").await;
        }
        let mut running = child.process.lock().await;
        if tokio::time::timeout(END_BOUND, running.process.wait()).await.is_err()
            && let Err(error) = running.process.kill().await
        {
            tracing::error!(%error, "a teammate's process could not be ended");
        }
    }
}

async fn first_words(stderr: ChildStderr) -> String {
    let mut words = Vec::new();
    let mut stderr = stderr.take(SAID_MAX);
    // What was read before an error is still said.
    let _ = stderr.read_to_end(&mut words).await;
    // The rest is read, so that the process never waits for us.
    let _ = tokio::io::copy(&mut stderr.into_inner(), &mut tokio::io::sink()).await;
    String::from_utf8_lossy(&words).into_owned()
}
