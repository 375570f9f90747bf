//! How a member's commands run: behind which walls, with which environment.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use swarm_guard::exec::{Environment, Helper, Policy, caches};
use swarm_guard::proxy::Proxy;
use tokio::sync::OnceCell;

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
}

impl TeamShell {
    pub fn new(caches: Option<PathBuf>) -> Self {
        Self { caches, ready: OnceCell::new() }
    }
}

impl Shell {
    pub fn new(mut policy: Policy, env: Environment, helper: Helper, team: Arc<TeamShell>) -> Self {
        policy.caches.clone_from(&team.caches);
        Self { policy, env, helper, team, proxy: None }
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
