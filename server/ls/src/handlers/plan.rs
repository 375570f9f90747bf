//! `swarm/plan/list` and `resolve`: the plans that wait for the user, and code lenses on their documents.

use std::path::Path;
use std::sync::Arc;

use swarm_wire::lsp::{PermissionResolveResult, PlanListParams, PlanListResult, PlanResolveParams};

use crate::documents::canonical;
use crate::error::Problem;
use crate::lsp::types::{CodeLens, CodeLensParams, Command, Range};
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

/// What can be done about the plan in this document, above its first line.
pub(crate) fn code_lens(
    session: &Session,
    params: &CodeLensParams,
) -> Result<Option<Vec<CodeLens>>, Problem> {
    let snapshot = session.leader()?.snapshot();
    let Ok(path) = params.text_document.uri.to_file_path() else { return Ok(None) };
    let path = canonical(&path);
    let Some(plan) = snapshot.plans.iter().find(|plan| canonical(Path::new(&plan.document)) == path) else {
        return Ok(None);
    };
    let lens = |(title, command, argument): (String, &str, serde_json::Value)| CodeLens {
        range: Range::default(),
        command: Some(Command::new(title, command.to_owned(), Some(vec![argument]))),
        data: None,
    };
    Ok(Some(crate::words::plan_deeds(plan).into_iter().map(lens).collect()))
}
