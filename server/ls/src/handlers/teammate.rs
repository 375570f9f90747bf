//! `swarm/teammate/spawn`, `stop`, `restart`, `show`, `hide` and `setModes`: the user's own hand on the team.

use std::sync::Arc;

use swarm_wire::lsp::{MemberView, SetModesParams, SpawnParams, StopParams, StopResult, TeammateParams};

use crate::error::Problem;
use crate::session::Session;

pub(crate) async fn spawn(session: Arc<Session>, params: SpawnParams) -> Result<MemberView, Problem> {
    Ok(session.leader()?.spawn(params).await?)
}

pub(crate) async fn stop(session: Arc<Session>, params: StopParams) -> Result<StopResult, Problem> {
    Ok(session.leader()?.stop(params).await?)
}

pub(crate) async fn restart(session: Arc<Session>, params: TeammateParams) -> Result<(), Problem> {
    Ok(session.leader()?.restart(params).await?)
}

pub(crate) async fn show(session: Arc<Session>, params: TeammateParams) -> Result<(), Problem> {
    Ok(session.leader()?.show(params).await?)
}

pub(crate) async fn hide(session: Arc<Session>, params: TeammateParams) -> Result<(), Problem> {
    Ok(session.leader()?.hide(params).await?)
}

pub(crate) async fn set_modes(
    session: Arc<Session>,
    params: SetModesParams,
) -> Result<Vec<MemberView>, Problem> {
    Ok(session.leader()?.set_modes(params).await?)
}
