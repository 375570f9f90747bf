//! The commands that decide a plan: `swarm.plan.approve` and `reject`.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;
use swarm_wire::RequestId;
use swarm_wire::lsp::PlanResolveParams;
use swarm_wire::permission::Mode;

use super::decide::{Reject, Said};
use super::{decide, draft};
use crate::error::Problem;
use crate::handlers::plan;
use crate::pages::Purpose;
use crate::session::Session;

#[derive(Deserialize)]
pub(super) struct Approve {
    id: RequestId,
    mode: Option<Mode>,
    feedback: Option<String>,
}

pub(super) async fn approve(session: Arc<Session>, wanted: Approve) -> Result<Value, Problem> {
    let Approve { id, mode, feedback } = wanted;
    resolve(session, PlanResolveParams { id, approve: true, feedback, mode, team: None }).await
}

pub(super) async fn reject(session: Arc<Session>, wanted: Reject) -> Result<Value, Problem> {
    let feedback = match wanted.said(&session).await? {
        Said::Words(feedback) => feedback,
        Said::InDraft => {
            let snapshot = session.leader()?.snapshot();
            let Some(plan) = snapshot.plans.iter().find(|plan| plan.id == wanted.id) else {
                return Err(Problem::failed(format!("no plan `{}` is open", wanted.id)));
            };
            let about =
                draft::About { who: format!("{}-plan", plan.name), id: &plan.id, input: &Value::Null };
            return draft::open(&session, &about, Purpose::Feedback);
        }
    };
    let params = PlanResolveParams { id: wanted.id, approve: false, feedback, mode: None, team: None };
    resolve(session, params).await
}

async fn resolve(session: Arc<Session>, params: PlanResolveParams) -> Result<Value, Problem> {
    let result = plan::resolve(session.clone(), params).await?;
    decide::told(&session, result)
}
