//! `swarm/teammate/spawn`, `stop`, `restart` and `setModes`: the user's own hand on the team.

use std::sync::Arc;

use swarm_wire::lsp::{MemberView, RestartParams, SetModesParams, SpawnParams, StopParams, StopResult};

use crate::error::Problem;
use crate::session::Session;

pub(crate) async fn spawn(session: Arc<Session>, params: SpawnParams) -> Result<MemberView, Problem> {
    Ok(session.leader()?.spawn(params).await?)
}

pub(crate) async fn stop(session: Arc<Session>, params: StopParams) -> Result<StopResult, Problem> {
    Ok(session.leader()?.stop(params).await?)
}

pub(crate) async fn restart(session: Arc<Session>, params: RestartParams) -> Result<(), Problem> {
    Ok(session.leader()?.restart(params).await?)
}

pub(crate) async fn set_modes(
    session: Arc<Session>,
    params: SetModesParams,
) -> Result<Vec<MemberView>, Problem> {
    Ok(session.leader()?.set_modes(params).await?)
}
