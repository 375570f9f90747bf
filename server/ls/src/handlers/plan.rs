//! `swarm/plan/list` and `resolve`: the plans that wait for the user.

use std::sync::Arc;

use swarm_wire::lsp::{PermissionResolveResult, PlanListParams, PlanListResult, PlanResolveParams};

use crate::error::Problem;
use crate::session::Session;

pub(crate) async fn list(session: Arc<Session>, params: PlanListParams) -> Result<PlanListResult, Problem> {
    let snapshot = session.leader()?.snapshot();
    super::check_team(&snapshot, params.team.as_deref())?;
    Ok(PlanListResult { plans: snapshot.plans.clone() })
}

pub(crate) async fn resolve(
    session: Arc<Session>,
    params: PlanResolveParams,
) -> Result<PermissionResolveResult, Problem> {
    Ok(session.leader()?.resolve_plan(params).await?)
}
