//! `swarm/interrupt`: ends a member's turn, not the member.

use std::sync::Arc;

use swarm_wire::lsp::{InterruptResult, MemberParams};

use crate::error::Problem;
use crate::session::Session;

pub(crate) async fn interrupt(
    session: Arc<Session>,
    params: MemberParams,
) -> Result<InterruptResult, Problem> {
    Ok(session.leader()?.interrupt(params).await?)
}
