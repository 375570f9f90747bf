//! `swarm/conversation/compact`: a member's history is replaced by its summary, at the user's wish.

use std::sync::Arc;

use swarm_wire::lsp::MemberParams;

use crate::error::Problem;
use crate::session::Session;

pub(crate) async fn compact(session: Arc<Session>, params: MemberParams) -> Result<(), Problem> {
    Ok(session.leader()?.compact(params).await?)
}
