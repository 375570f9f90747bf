//! A request that a provider refuses for its pictures goes again without them, so that no history is refused for ever.

use swarm_model::{CallError, Reply};
use swarm_wire::TurnId;
use swarm_wire::transcript::Body;
use tokio_util::sync::CancellationToken;

use crate::context::HistoryError;
use crate::event::Report;
use crate::turn::{Engine, cut_middle};

/// The longest reason that is kept, in bytes: some servers give back the request that they refuse.
const REASON_MAX: usize = 600;

impl Engine {
    /// Puts the history to the model. Where it is answered only without its pictures, they are text from then on; what is
    /// refused either way was not refused for them.
    pub(crate) async fn ask(
        &mut self,
        turn: &TurnId,
        cancel: &CancellationToken,
    ) -> Result<Result<Reply, CallError>, HistoryError> {
        let reason = match self.ask_model(turn, cancel).await {
            Err(CallError { error, partial })
                if partial.is_empty() && error.may_be_about_pictures() && self.history.album.shows_any() =>
            {
                cut_middle(error.to_string(), REASON_MAX)
            }
            outcome => return Ok(outcome),
        };
        tracing::warn!(reason, "the model is asked again without pictures");
        self.history.album.try_without(Some(&reason));
        let outcome = self.ask_model(turn, cancel).await;
        self.history.album.try_without(None);
        if outcome.is_ok() {
            let text =
                format!("the model is shown text in place of its pictures, which were refused: {reason}");
            self.history.push(turn, Body::PicturesRefused { reason }).await?;
            self.reporter.send(Report::Warned { text }).await;
        }
        Ok(outcome)
    }
}
