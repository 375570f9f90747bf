//! A teammate as a child process without a screen. It lives as long as the pipe to its stdin: when its leader ends,
//! however that comes, it ends too.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use swarm_guard::exec::Helper;
use tokio::io::AsyncReadExt;
use tokio::process::{ChildStderr, ChildStdin, Command};
use tokio::task::JoinHandle;

/// How long it may take to end by itself.
const END_BOUND: Duration = Duration::from_millis(500);
/// How much of what it says on stderr is kept, in bytes.
const SAID_MAX: u64 = 2000;
/// Keys of providers, which come with the order instead.
const KEYS: [&str; 2] = ["ANTHROPIC_API_KEY", "OPENAI_API_KEY"];

/// A teammate's process.
pub(crate) struct Child {
    process: tokio::process::Child,
    lifeline: Option<ChildStdin>,
    said: Option<JoinHandle<String>>,
}

impl Child {
    /// Starts it with an order that was handed over.
    pub(crate) fn start(program: &Helper, root: &Path, cwd: &Path, order: &Path) -> std::io::Result<Self> {
        let mut command = Command::new(match program {
            Helper::ThisProgram => PathBuf::from("/proc/self/exe"),
            Helper::At(path) => path.clone(),
        });
        command.arg0("swarm-ls").arg("teammate").arg(order).current_dir(cwd).env("SWARM_HOME", root);
        for key in KEYS {
            command.env_remove(key);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        // A group of its own: what the editor sends to the server's is not for it.
        let mut process = command.process_group(0).kill_on_drop(true).spawn()?;
        let lifeline = process.stdin.take();
        let said = process.stderr.take().map(|stderr| tokio::spawn(first_words(stderr)));
        Ok(Self { process, lifeline, said })
    }

    /// Waits until it ended by itself; says how, and what it said of it.
    pub(crate) async fn ended(&mut self) -> String {
        let status = match self.process.wait().await {
            Ok(status) => status.to_string(),
            Err(error) => error.to_string(),
        };
        let said = match self.said.take() {
            Some(said) => said.await.unwrap_or_default(),
            None => String::new(),
        };
        if said.trim().is_empty() { status } else { format!("{status}: {}", said.trim()) }
    }

    /// Ends it: by itself within a moment, else by force.
    pub(crate) async fn end(&mut self) {
        self.lifeline = None;
        if tokio::time::timeout(END_BOUND, self.process.wait()).await.is_err()
            && let Err(error) = self.process.kill().await
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
