//! `swarm/team/create` and `delete`: the user's hand on the team itself.

use std::sync::Arc;

use swarm_wire::lsp::{TeamCreateParams, TeamDeleteParams, TeamView};

use crate::error::Problem;
use crate::session::Session;

pub(crate) async fn create(session: Arc<Session>, params: TeamCreateParams) -> Result<TeamView, Problem> {
    Ok(session.leader()?.create_team(params).await?)
}

pub(crate) async fn delete(session: Arc<Session>, params: TeamDeleteParams) -> Result<(), Problem> {
    Ok(session.leader()?.delete_team(params).await?)
}
