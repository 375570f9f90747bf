//! `swarm/message`: the user's word to a member, or to all.

use std::sync::Arc;

use swarm_wire::lsp::{MessageParams, MessageResult};

use crate::error::Problem;
use crate::session::Session;

pub(crate) async fn message(session: Arc<Session>, params: MessageParams) -> Result<MessageResult, Problem> {
    Ok(session.leader()?.message(params).await?)
}
