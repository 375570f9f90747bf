//! How a member's commands run: behind which walls, with which environment.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use swarm_guard::Sight;
use swarm_guard::exec::{Environment, Helper, Policy, caches, unseen};
use swarm_guard::proxy::Proxy;
use tokio::sync::OnceCell;

/// How long it is known where the files are that commands do not see.
const UNSEEN_KEPT: Duration = Duration::from_secs(2);

/// The same for all commands of one member.
#[derive(Clone)]
pub struct Shell {
    pub policy: Policy,
    pub env: Environment,
    pub helper: Helper,
    team: Arc<TeamShell>,
    /// The way out for commands; set by the member itself, since its questions are its own.
    pub(crate) proxy: Option<Proxy>,
}

/// What the commands of a team have in common, made ready when the first of them needs it.
#[derive(Debug)]
pub struct TeamShell {
    /// Where the team's tools keep what they download; without, nothing is kept.
    caches: Option<PathBuf>,
    ready: OnceCell<()>,
    unseen: Mutex<Option<Unseen>>,
}

/// What a look at the workspace found.
#[derive(Debug, Clone)]
struct Unseen {
    at: Instant,
    sight: Sight,
    files: Vec<PathBuf>,
}

impl TeamShell {
    pub fn new(caches: Option<PathBuf>) -> Self {
        Self { caches, ready: OnceCell::new(), unseen: Mutex::new(None) }
    }
}

impl Shell {
    pub fn new(mut policy: Policy, env: Environment, helper: Helper, team: Arc<TeamShell>) -> Self {
        policy.caches.clone_from(&team.caches);
        Self { policy, env, helper, team, proxy: None }
    }

    /// The walls of a command that sees this much of the workspace.
    pub(crate) async fn policy_for(&self, sight: Sight) -> Policy {
        let mut policy = self.policy.clone();
        for place in &policy.writable {
            // Git removes folders of branches that it packed, and the walls open only what is there.
            if let Err(error) = tokio::fs::create_dir_all(place).await {
                tracing::warn!(%error, path = %place.display(), "a place that commands write is missing");
            }
        }
        if sight.is_clear() {
            return policy;
        }
        let known = self.team.unseen.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let files = match known {
            Some(known) if known.at.elapsed() < UNSEEN_KEPT && known.sight.is_like(&sight) => known.files,
            _ => {
                let (workspace, look) = (policy.workspace.clone(), sight.clone());
                let looked = tokio::task::spawn_blocking(move || unseen(&workspace, &look)).await;
                let files = looked.unwrap_or_default();
                let now = Some(Unseen { at: Instant::now(), sight, files: files.clone() });
                *self.team.unseen.lock().unwrap_or_else(PoisonError::into_inner) = now;
                files
            }
        };
        policy.hidden.extend(files);
        policy
    }

    /// Makes ready what commands need. The first time it may take a moment.
    pub(crate) async fn ready(&self) {
        let (caches, home) = (self.team.caches.clone(), self.policy.home.clone());
        self.team.ready.get_or_init(|| async move { begin_caches(caches, &home).await }).await;
    }
}

/// A cache that cannot be made is only told to the log: the command then says itself what it misses.
async fn begin_caches(caches: Option<PathBuf>, home: &Path) {
    let Some(path) = caches else { return };
    let home = home.to_owned();
    match tokio::task::spawn_blocking(move || caches::prepare(&path, &home)).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::warn!(%error, "the team's caches cannot be made"),
        Err(lost) => tracing::error!(%lost, "making the team's caches failed"),
    }
}
