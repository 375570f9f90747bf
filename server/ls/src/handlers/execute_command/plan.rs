//! The commands that decide a plan: `swarm.plan.approve` and `reject`.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;
use swarm_wire::RequestId;
use swarm_wire::lsp::PlanResolveParams;
use swarm_wire::permission::Mode;

use super::{decide, draft};
use crate::error::Problem;
use crate::handlers::plan;
use crate::lsp::types::Url;
use crate::pages::Purpose;
use crate::session::Session;

#[derive(Deserialize)]
pub(super) struct Approve {
    id: RequestId,
    mode: Option<Mode>,
    feedback: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Reject {
    id: RequestId,
    feedback: Option<String>,
    /// A draft that holds the feedback.
    draft: Option<Url>,
    /// Opens a draft for the feedback in place of rejecting at once.
    #[serde(default)]
    ask: bool,
}

pub(super) async fn approve(session: Arc<Session>, wanted: Approve) -> Result<Value, Problem> {
    let Approve { id, mode, feedback } = wanted;
    resolve(session, PlanResolveParams { id, approve: true, feedback, mode, team: None }).await
}

pub(super) async fn reject(session: Arc<Session>, wanted: Reject) -> Result<Value, Problem> {
    let feedback = match (wanted.feedback, wanted.draft) {
        (Some(feedback), _) => Some(feedback),
        (None, Some(uri)) => Some(draft::text(&session, &uri).await?),
        (None, None) if wanted.ask => {
            let snapshot = session.leader()?.snapshot();
            let Some(plan) = snapshot.plans.iter().find(|plan| plan.id == wanted.id) else {
                return Err(Problem::failed(format!("no plan `{}` is open", wanted.id)));
            };
            let about =
                draft::About { who: format!("{}-plan", plan.name), id: &plan.id, input: &Value::Null };
            return draft::open(&session, &about, Purpose::Feedback);
        }
        (None, None) => None,
    };
    let feedback = feedback.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    let params = PlanResolveParams { id: wanted.id, approve: false, feedback, mode: None, team: None };
    resolve(session, params).await
}

async fn resolve(session: Arc<Session>, params: PlanResolveParams) -> Result<Value, Problem> {
    let result = plan::resolve(session.clone(), params).await?;
    decide::told(&session, result)
}
