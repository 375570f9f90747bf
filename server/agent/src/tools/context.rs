//! What a tool can reach: the member it works for, its files, its team. Not the turn, not the leader's state.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use swarm_guard::{Bounds, Sight};
use swarm_store::Tasks;
use swarm_wire::AgentId;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::tasks::Completed;
use crate::before_change::BeforeChange;
use crate::choice::ModelChoice;
use crate::ending::Ending;
use crate::event::Reporter;
use crate::files::Files;
use crate::jobs::Jobs;
use crate::ports::{Editor, Team};
use crate::post::Post;
use crate::shell::Shell;

/// One member's view for its tools, for one call.
pub(crate) struct ToolContext {
    pub(crate) agent: AgentId,
    /// Absolute, with symbolic links resolved. Relative paths start here, and commands run here.
    pub(crate) cwd: PathBuf,
    pub(crate) files: Arc<Files>,
    /// Asked only for what it knows of the code; its documents are reached through `files`.
    pub(crate) editor: Arc<dyn Editor>,
    pub(crate) post: Arc<Post>,
    pub(crate) reporter: Reporter,
    pub(crate) shell: Arc<Shell>,
    /// The member's own long results, which it may read.
    pub(crate) outputs: PathBuf,
    /// What the member's next request is made with.
    pub(crate) choice: watch::Receiver<ModelChoice>,
    /// What holds for the member.
    pub(crate) bounds: watch::Receiver<Bounds>,
    pub(crate) jobs: Arc<Jobs>,
    pub(crate) tasks: Tasks,
    pub(crate) completed: Arc<Completed>,
    pub(crate) ending: Arc<Ending>,
    /// Set for the leader's agent alone.
    pub(crate) team: Option<Arc<dyn Team>>,
    pub(crate) before_change: BeforeChange,
    /// Cancelled when the member ends.
    pub(crate) life: CancellationToken,
    /// Cancelled when the turn is interrupted or the member ends.
    pub(crate) turn: CancellationToken,
}

impl ToolContext {
    /// What a call of the member does not get to see, as things are now.
    pub(crate) fn sight(&self) -> Sight {
        Sight::new(&self.bounds.borrow())
    }

    /// The file that is to be changed. One that stands in for another is named before anything is said of the other.
    pub(crate) async fn resolve_for_change(&self, path: &str) -> Result<PathBuf, String> {
        let path = self.files.resolve(path).await?;
        let bounds = self.bounds.borrow();
        match bounds.worktree.as_ref().and_then(|worktree| worktree.instead(&path)) {
            Some(why) => Err(format!("Not allowed: {why}.")),
            None => Ok(path),
        }
    }

    /// `path` as a person would write it: relative when it is beneath the working directory.
    pub(crate) fn shown<'a>(&self, path: &'a Path) -> std::path::Display<'a> {
        path.strip_prefix(&self.cwd).unwrap_or(path).display()
    }
}
