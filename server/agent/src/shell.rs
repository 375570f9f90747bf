//! How a member's commands run: behind which walls, with which environment.

use std::path::PathBuf;
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
    /// Where the team's tools keep what they download; without, nothing is kept.
    caches: Option<Arc<Caches>>,
    /// The way out for commands; set by the member itself, since its questions are its own.
    pub(crate) proxy: Option<Proxy>,
}

/// The caches of a team, begun from the user's when the first command needs them.
#[derive(Debug)]
pub struct Caches {
    path: PathBuf,
    begun: OnceCell<()>,
}

impl Caches {
    pub fn new(path: PathBuf) -> Self {
        Self { path, begun: OnceCell::new() }
    }
}

impl Shell {
    pub fn new(mut policy: Policy, env: Environment, helper: Helper, caches: Option<Arc<Caches>>) -> Self {
        policy.caches = caches.as_ref().map(|caches| caches.path.clone());
        Self { policy, env, helper, caches, proxy: None }
    }

    /// Makes ready what commands need. The first time it may take a moment, and a cache that cannot be made is
    /// only told to the log: the command then says itself what it misses.
    pub(crate) async fn ready(&self) {
        let Some(caches) = &self.caches else { return };
        let (path, home) = (caches.path.clone(), self.policy.home.clone());
        let begin = || async move {
            match tokio::task::spawn_blocking(move || caches::prepare(&path, &home)).await {
                Ok(Ok(())) => {}
                Ok(Err(error)) => tracing::warn!(%error, "the team's caches cannot be made"),
                Err(lost) => tracing::error!(%lost, "making the team's caches failed"),
            }
        };
        caches.begun.get_or_init(begin).await;
    }
}
