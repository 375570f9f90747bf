//! A teammate in a pane of iTerm2, by its command `it2` (the package of that name on PyPI). That one types a line into a
//! new pane's shell, since it can start no command there: the line has ids and paths only.

use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use swarm_wire::team::BackendType;
use tokio::process::Command;
use tokio::sync::{Mutex, OnceCell};

use super::making::{Closes, made};
use super::{Backend, Handle, KEYS, Launch};

/// How long `it2` may take for an answer; it is a program of Python.
const ANSWER_BOUND: Duration = Duration::from_secs(8);
/// What `it2` says of a new pane, in front of its id.
const MADE: &str = "Created new pane:";

/// The backend.
pub(super) struct Iterm2 {
    found: OnceCell<()>,
    sessions: Arc<Sessions>,
}

struct Sessions {
    /// The one that this process was started in; else the pane that has the focus is split.
    leader: Option<String>,
    /// The newest pane; one is made after the other, since each splits the one before.
    last: Mutex<Option<String>>,
}

impl Iterm2 {
    pub(super) fn new(leader: Option<String>) -> Self {
        Self { found: OnceCell::new(), sessions: Arc::new(Sessions { leader, last: Mutex::new(None) }) }
    }
}

#[async_trait]
impl Backend for Iterm2 {
    fn kind(&self) -> BackendType {
        BackendType::Iterm2
    }

    async fn check(&self) -> Result<(), String> {
        self.found.get_or_try_init(find_it2).await.copied()
    }

    async fn is_at_hand(&self) -> bool {
        false
    }

    async fn open(&self, launch: &Launch) -> Result<Handle, String> {
        let (sessions, launch) = (self.sessions.clone(), launch.clone());
        made(self.sessions.clone(), async move { sessions.make(&launch).await }).await
    }

    async fn closed(&self, _handle: &Handle) -> String {
        // `it2` tells of no end; the teammate's own lock does.
        std::future::pending().await
    }

    async fn close(&self, handle: &Handle) {
        let (sessions, handle) = (self.sessions.clone(), handle.clone());
        // It goes on when nobody has the time for it.
        if let Err(lost) = tokio::spawn(async move { sessions.close(&handle).await }).await {
            tracing::error!(%lost, "a pane of iTerm2 was not closed");
        }
    }
}

impl Sessions {
    async fn make(&self, launch: &Launch) -> Result<Handle, String> {
        let line = line(launch)?;
        let mut last = self.last.lock().await;
        let told = match &*last {
            // Below the one before, unless that is gone.
            Some(before) => match it2(&["session", "split", "--session", before]).await {
                Ok(told) => Ok(told),
                Err(_) => self.beside_the_leader().await,
            },
            None => self.beside_the_leader().await,
        };
        let told = told?;
        let id = told.lines().find_map(|line| line.trim().strip_prefix(MADE)).map(str::trim);
        let id =
            id.filter(|id| !id.is_empty()).ok_or_else(|| format!("it2 told no pane: {}", told.trim()))?;
        let handle = Handle { id: id.to_owned(), process: None };
        *last = Some(handle.id.clone());
        if let Err(error) = it2(&["session", "run", "--session", id, &line]).await {
            self.close(&handle).await;
            return Err(error);
        }
        if let Err(error) = it2(&["session", "set-name", "--session", id, &launch.title]).await {
            tracing::warn!(error, "a teammate's pane has no title");
        }
        Ok(handle)
    }

    async fn beside_the_leader(&self) -> Result<String, String> {
        let mut split = vec!["session", "split", "--vertical"];
        if let Some(leader) = &self.leader {
            split.extend(["--session", leader]);
        }
        it2(&split).await
    }
}

#[async_trait]
impl Closes for Sessions {
    async fn close(&self, handle: &Handle) {
        if let Err(error) = it2(&["session", "close", "--force", "--session", &handle.id]).await {
            tracing::debug!(error, pane = handle.id, "a pane of iTerm2 could not be closed; it may be gone");
        }
    }
}

/// What is typed into a pane's shell, whichever it is: the teammate's process takes its place.
fn line(launch: &Launch) -> Result<String, String> {
    let program = launch.command().map_err(|error| format!("the path of swarm-ls is not known: {error}"))?;
    let (cwd, program) = (launch.cwd.display().to_string(), program.display().to_string());
    // The shell's own start may have set keys.
    let kept = KEYS.iter().map(|name| format!("{name}="));
    let set = launch.env.iter().map(|(name, value)| format!("{name}={value}"));
    let words = kept.chain(set).chain([program]).chain(launch.args.iter().cloned());
    let words: Result<Vec<String>, String> = words.map(|word| quoted(&word)).collect();
    Ok(format!("cd {} && exec env {}", quoted(&cwd)?, words?.join(" ")))
}

/// One word for any shell; a terminal would take a control character for a key.
fn quoted(word: &str) -> Result<String, String> {
    if word.chars().any(char::is_control) {
        return Err(format!("{word:?} has a control character, which cannot be typed into a pane"));
    }
    Ok(format!("'{}'", word.replace('\'', "'\\''")))
}

/// Runs `it2`; what it prints.
async fn it2(words: &[&str]) -> Result<String, String> {
    let mut command = Command::new("it2");
    for key in KEYS {
        command.env_remove(key);
    }
    let ran = command.args(words).stdin(Stdio::null()).kill_on_drop(true).output();
    let output = match tokio::time::timeout(ANSWER_BOUND, ran).await {
        Ok(ran) => ran.map_err(|error| format!("it2 cannot be run: {error}"))?,
        Err(_) => return Err(format!("it2 gave no answer within {} s", ANSWER_BOUND.as_secs())),
    };
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(format!("it2: {}", String::from_utf8_lossy(&output.stderr).trim()))
}

/// Whether there is an iTerm2 that does what `it2` says.
async fn find_it2() -> Result<(), String> {
    it2(&["session", "list", "--json"]).await.map(drop).map_err(|error| {
        format!(
            "{error}; it takes iTerm2, its command `it2` (`pip install it2`), and its Python API, which is enabled in \
             Settings, General, Magic"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_one_word_in_any_shell_and_no_key() {
        assert_eq!(quoted("it's $(a); `b`").unwrap(), r"'it'\''s $(a); `b`'");
        assert!(quoted("a\nb").unwrap_err().contains("control character"));
    }
}
