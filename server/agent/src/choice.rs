//! Which model a member asks, and how: set from outside, read anew for each request.

use std::sync::Arc;

use swarm_model::{Client, Effort};

/// What a member's next request is made with.
#[derive(Debug, Clone)]
pub struct ModelChoice {
    pub client: Arc<Client>,
    /// The provider's own name of the model.
    pub model: Arc<str>,
    /// The longest answer, thinking included, in tokens.
    pub max_tokens: u32,
    /// How hard the model thinks; `None` leaves it to the provider.
    pub effort: Option<Effort>,
    /// How many tokens the model takes, history and answer together.
    pub context_window: u32,
    /// Whether the model is shown pictures; else it is given text in their place.
    pub pictures: bool,
    /// Whether a budget holds, so that each request wants an allowance.
    pub metered: bool,
}

impl ModelChoice {
    /// Whose answers come of it, as transcripts say.
    pub(crate) fn by(&self) -> String {
        format!("{}/{}", self.client.format().name(), self.model)
    }
}
