//! How a member's commands run: behind which walls, with which environment.

use swarm_guard::exec::{Environment, Helper, Policy};
use swarm_guard::proxy::Proxy;

/// The same for all commands of one member.
#[derive(Clone)]
pub struct Shell {
    pub policy: Policy,
    pub env: Environment,
    pub helper: Helper,
    /// The way out for commands; set by the member itself, since its questions are its own.
    pub(crate) proxy: Option<Proxy>,
}

impl Shell {
    pub fn new(policy: Policy, env: Environment, helper: Helper) -> Self {
        Self { policy, env, helper, proxy: None }
    }
}
