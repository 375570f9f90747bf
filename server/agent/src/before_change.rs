//! Has the workspace kept before a turn's first change.

use std::sync::Arc;

use swarm_guard::Effect;
use swarm_wire::permission::Level;
use swarm_wire::{AgentId, TurnId};
use tokio::sync::OnceCell;

use crate::ports::Snapshots;

/// One turn's.
pub(crate) struct BeforeChange {
    pub(crate) snapshots: Arc<dyn Snapshots>,
    pub(crate) agent: AgentId,
    pub(crate) turn: TurnId,
    pub(crate) kept: OnceCell<()>,
}

impl BeforeChange {
    /// Called before each call of the turn; what only reads changes nothing.
    pub(crate) async fn call(&self, effect: &Effect, description: &str) {
        let changes = match effect {
            Effect::Writes { .. } | Effect::Destroys { .. } => true,
            Effect::Runs { .. } => effect.level() > Level::ReadOnly,
            Effect::Reads { .. }
            | Effect::Leaves { .. }
            | Effect::Team
            | Effect::EndsPlanning
            | Effect::Widens { .. } => false,
        };
        if changes {
            self.kept.get_or_init(|| self.snapshots.keep(&self.agent, &self.turn, description)).await;
        }
    }
}
