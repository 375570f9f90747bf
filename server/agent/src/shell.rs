//! How a member's commands run: behind which walls, with which environment.

use swarm_guard::exec::{Helper, Policy};

/// The same for all commands of one member.
#[derive(Debug, Clone)]
pub struct Shell {
    pub policy: Policy,
    /// The whole environment; nothing of the server's own is inherited.
    pub env: Vec<(String, String)>,
    pub helper: Helper,
}
