//! `swarm/state`: everything there is to know, as of now.

use std::sync::Arc;

use serde::Deserialize;
use swarm_wire::lsp::StateResult;

use crate::error::Problem;
use crate::session::Session;

/// Takes nothing, and lets fields be that later clients may send.
#[derive(Deserialize)]
pub(crate) struct StateParams {}

pub(crate) async fn state(session: Arc<Session>, _: StateParams) -> Result<StateResult, Problem> {
    // In this order: the snapshot of an event is published before the event is, so that this state has
    // at least all that `seq` counts.
    let seq = session.proxy.last_seq();
    let snapshot = session.leader()?.snapshot();
    Ok(StateResult { seq, ..StateResult::clone(&snapshot) })
}
