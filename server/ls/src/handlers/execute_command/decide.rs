//! The commands that decide a request: `swarm.permission.allow`, `allowAlways`, `edit` and `reject`.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;
use swarm_wire::RequestId;
use swarm_wire::lsp::{DecisionName, PermissionResolveParams, PermissionResolveResult};
use swarm_wire::permission::{Outcome, PermissionRequest};

use super::{draft, json};
use crate::error::Problem;
use crate::handlers::permission;
use crate::lsp::types::{MessageType, Url};
use crate::pages::Purpose;
use crate::session::Session;

#[derive(Deserialize)]
pub(super) struct Allow {
    id: Option<RequestId>,
    /// Several at once.
    #[serde(default)]
    ids: Vec<RequestId>,
    feedback: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct AllowAlways {
    id: RequestId,
    /// Which of the request's suggestions, counted from zero.
    #[serde(default)]
    suggestion: usize,
}

#[derive(Deserialize)]
pub(super) struct Edit {
    id: RequestId,
    input: Option<Value>,
    /// A draft that holds the input.
    draft: Option<Url>,
    feedback: Option<String>,
}

/// A rejection of a call or of a plan.
#[derive(Deserialize)]
pub(super) struct Reject {
    pub(super) id: RequestId,
    feedback: Option<String>,
    /// A draft that holds the feedback.
    draft: Option<Url>,
    /// Opens a draft for the feedback in place of rejecting at once.
    #[serde(default)]
    ask: bool,
}

/// What is said with a rejection.
pub(super) enum Said {
    Words(Option<String>),
    /// It is to be written in a draft first.
    InDraft,
}

impl Reject {
    pub(super) async fn said(&self, session: &Session) -> Result<Said, Problem> {
        let feedback = match (&self.feedback, &self.draft) {
            (Some(feedback), _) => Some(feedback.clone()),
            (None, Some(uri)) => Some(draft::text(session, uri).await?),
            (None, None) if self.ask => return Ok(Said::InDraft),
            (None, None) => None,
        };
        // An empty draft says nothing, which is a plain rejection.
        Ok(Said::Words(feedback.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())))
    }
}

pub(super) async fn allow(session: Arc<Session>, wanted: Allow) -> Result<Value, Problem> {
    let Allow { id, ids, feedback } = wanted;
    let ids: Vec<RequestId> = id.into_iter().chain(ids).collect();
    if ids.is_empty() {
        return Err(Problem::field("arguments[0].id", "is missing; name the request to allow".to_owned()));
    }
    let params = PermissionResolveParams {
        ids,
        decision: DecisionName::Allow,
        updated_input: None,
        hunks: Vec::new(),
        feedback,
        remember: None,
    };
    resolve(session, params).await
}

pub(super) async fn allow_always(session: Arc<Session>, wanted: AllowAlways) -> Result<Value, Problem> {
    let request = pending(&session, &wanted.id)?;
    let Some(rule) = request.permission_suggestions.get(wanted.suggestion) else {
        let count = request.permission_suggestions.len();
        let what =
            format!("the request has {count} suggested rules; there is no number {}", wanted.suggestion);
        return Err(Problem::field("arguments[0].suggestion", what));
    };
    let remember = Some(rule.clone());
    resolve(session, PermissionResolveParams { remember, ..decision(wanted.id, DecisionName::Allow) }).await
}

pub(super) async fn edit(session: Arc<Session>, wanted: Edit) -> Result<Value, Problem> {
    let input = match (wanted.input, wanted.draft) {
        (Some(input), _) => input,
        (None, Some(uri)) => {
            let text = draft::text(&session, &uri).await?;
            serde_json::from_str(&text).map_err(|error| {
                Problem::field("arguments[0].draft", format!("the input is no JSON: {error}"))
                    .hint("correct the document and choose the action again")
            })?
        }
        (None, None) => {
            return draft::open(&session, &about(&pending(&session, &wanted.id)?), Purpose::Input);
        }
    };
    let params = PermissionResolveParams {
        updated_input: Some(input),
        hunks: Vec::new(),
        feedback: wanted.feedback,
        ..decision(wanted.id, DecisionName::Allow)
    };
    resolve(session, params).await
}

pub(super) async fn reject(session: Arc<Session>, wanted: Reject) -> Result<Value, Problem> {
    match wanted.said(&session).await? {
        Said::InDraft => draft::open(&session, &about(&pending(&session, &wanted.id)?), Purpose::Feedback),
        Said::Words(feedback) => {
            let params = PermissionResolveParams { feedback, ..decision(wanted.id, DecisionName::Reject) };
            resolve(session, params).await
        }
    }
}

fn about(request: &PermissionRequest) -> draft::About<'_> {
    let who = format!("{}-{}", request.worker_name, request.tool_name);
    draft::About { who, id: &request.id, input: &request.input }
}

fn decision(id: RequestId, decision: DecisionName) -> PermissionResolveParams {
    PermissionResolveParams {
        ids: vec![id],
        decision,
        updated_input: None,
        hunks: Vec::new(),
        feedback: None,
        remember: None,
    }
}

/// Decides. Most editors show no result of a command, so what came too late is told.
async fn resolve(session: Arc<Session>, params: PermissionResolveParams) -> Result<Value, Problem> {
    let result = permission::resolve(session.clone(), params).await?;
    told(&session, result)
}

/// Tells the user which decisions came too late.
pub(super) fn told(session: &Session, result: PermissionResolveResult) -> Result<Value, Problem> {
    for outcome in &result.results {
        match outcome.outcome {
            Outcome::Resolved => {}
            Outcome::AlreadyResolved => {
                session.proxy.show(MessageType::INFO, "swarm: this was decided already")
            }
            Outcome::Unknown => {
                let text = format!("swarm: there is no question `{}` any more", outcome.id);
                session.proxy.show(MessageType::WARNING, text);
            }
        }
    }
    json(result)
}

/// The pending request with this id.
pub(super) fn pending(session: &Session, id: &RequestId) -> Result<PermissionRequest, Problem> {
    let snapshot = session.leader()?.snapshot();
    let found = snapshot.permissions.iter().find(|request| request.id == *id);
    found.cloned().ok_or_else(|| Problem::failed(format!("no question `{id}` is open")))
}
