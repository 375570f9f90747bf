//! `swarm/member/configure`: which model a member asks.

use std::sync::Arc;

use swarm_wire::lsp::{ConfigureParams, MemberView};

use crate::error::Problem;
use crate::session::Session;

pub(crate) async fn configure(session: Arc<Session>, params: ConfigureParams) -> Result<MemberView, Problem> {
    Ok(session.leader()?.configure_member(params).await?)
}
