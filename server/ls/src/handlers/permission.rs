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
    let Some(team) = params.team else {
        return Ok(PermissionListResult { requests: snapshot.permissions.clone() });
    };
    if !snapshot.teams.iter().any(|known| known.name.as_str().eq_ignore_ascii_case(&team)) {
        let names: Vec<&str> = snapshot.teams.iter().map(|team| team.name.as_str()).collect();
        let there = if names.is_empty() { "there is none yet".to_owned() } else { names.join(", ") };
        return Err(Problem::failed(format!("no team `{team}`; teams: {there}")));
    }
    let of_team = |request: &&_| -> bool {
        let request: &swarm_wire::permission::PermissionRequest = request;
        request.team_name.as_str().eq_ignore_ascii_case(&team)
    };
    Ok(PermissionListResult { requests: snapshot.permissions.iter().filter(of_team).cloned().collect() })
}

pub(crate) async fn resolve(
    session: Arc<Session>,
    params: PermissionResolveParams,
) -> Result<PermissionResolveResult, Problem> {
    Ok(session.leader()?.resolve(params).await?)
}
