//! `swarm/transcript`: a member's history, page by page.

use std::sync::Arc;

use swarm_wire::lsp::{TranscriptParams, TranscriptResult};

use crate::error::Problem;
use crate::session::Session;

pub(crate) async fn transcript(
    session: Arc<Session>,
    params: TranscriptParams,
) -> Result<TranscriptResult, Problem> {
    Ok(session.leader()?.transcript(params).await?)
}
