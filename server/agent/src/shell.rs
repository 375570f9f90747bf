//! How a member's commands run: behind which walls, with which environment.

use swarm_guard::exec::{Environment, Helper, Policy};

/// The same for all commands of one member.
#[derive(Debug, Clone)]
pub struct Shell {
    pub policy: Policy,
    pub env: Environment,
    pub helper: Helper,
}
