//! `swarm/permission/list` and `resolve`: the open questions and the user's decisions.

use std::sync::Arc;

use swarm_wire::lsp::{
    PermissionListParams, PermissionListResult, PermissionResolveParams, PermissionResolveResult,
};

use crate::error::Problem;
use crate::session::Session;

pub(crate) async fn list(
    session: Arc<Session>,
    params: PermissionListParams,
) -> Result<PermissionListResult, Problem> {
    let snapshot = session.leader()?.snapshot();
    super::check_team(&snapshot, params.team.as_deref())?;
    Ok(PermissionListResult { requests: snapshot.permissions.clone() })
}

pub(crate) async fn resolve(
    session: Arc<Session>,
    params: PermissionResolveParams,
) -> Result<PermissionResolveResult, Problem> {
    Ok(session.leader()?.resolve(params).await?)
}
