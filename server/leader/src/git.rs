//! The one way in which the leader runs git: nothing of the user's set-up runs with it but what git's own settings say of
//! files, and nothing is asked. What is run, and why, is who calls' to know.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;

/// Told to every command: nothing of the user's set-up may run, and nothing may be asked.
const SETTINGS: [&str; 7] = [
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "commit.gpgSign=false",
    "i18n.commitEncoding=UTF-8",
    "gc.auto=0",
    "core.quotePath=false",
    "advice.addEmbeddedRepo=false",
];

/// Variables that would lead git to another repository or index.
const MISLEADING: [&str; 6] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_NAMESPACE",
    "GIT_LITERAL_PATHSPECS",
];

/// Why git did not do it.
#[derive(Debug, thiserror::Error)]
pub(crate) enum GitError {
    #[error("the folder is in no git repository")]
    NoRepository,
    #[error("git cannot be run: {0}")]
    NotRun(io::Error),
    #[error("`git {command}` failed: {said}")]
    Failed { command: String, said: String },
    #[error("cannot {doing} {}: {source}", path.display())]
    File { doing: &'static str, path: PathBuf, source: io::Error },
}

pub(crate) type Result<T> = std::result::Result<T, GitError>;

/// Runs git in the folder `at`, and gives what it printed.
pub(crate) async fn told(at: &Path, arguments: &[&str]) -> Result<String> {
    let output = run(at, arguments, None, None).await?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Runs git in the folder `at`, with an index of its own and with an input, where they are named.
pub(crate) async fn run(
    at: &Path,
    arguments: &[&str],
    index: Option<&Path>,
    input: Option<Vec<u8>>,
) -> Result<Output> {
    let mut command = Command::new("git");
    for setting in SETTINGS {
        command.args(["-c", setting]);
    }
    for name in MISLEADING {
        command.env_remove(name);
    }
    command
        .args(arguments)
        .current_dir(at)
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("LC_ALL", "C")
        .envs([("GIT_AUTHOR_NAME", "swarm-ls"), ("GIT_AUTHOR_EMAIL", "swarm-ls@localhost")])
        .envs([("GIT_COMMITTER_NAME", "swarm-ls"), ("GIT_COMMITTER_EMAIL", "swarm-ls@localhost")])
        .stdin(if input.is_some() { Stdio::piped() } else { Stdio::null() })
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    if let Some(index) = index {
        command.env("GIT_INDEX_FILE", index);
    }
    let mut child = command.spawn().map_err(GitError::NotRun)?;
    let pipe = child.stdin.take();
    let feed = async move {
        if let (Some(mut pipe), Some(input)) = (pipe, input) {
            // A git that ended early says why itself.
            let _ = pipe.write_all(&input).await;
        }
    };
    let ((), output) = tokio::join!(feed, child.wait_with_output());
    let output = output.map_err(GitError::NotRun)?;
    if output.status.success() {
        return Ok(output);
    }
    let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    Err(GitError::Failed { command: arguments.first().unwrap_or(&"").to_string(), said })
}
