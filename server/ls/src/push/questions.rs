//! Asks the user of an editor that draws no questions itself: one `window/showMessageRequest` at a time.
//!
//! No answer, or an error, is no decision: the question stays in the code actions and is not asked again.

use std::collections::HashSet;
use std::sync::Arc;

use swarm_leader::Leader;
use swarm_wire::RequestId;
use swarm_wire::lsp::{
    DecisionName, PermissionResolveParams, PlanRequest, PlanResolveParams, StateResult, TranscriptParams,
};
use swarm_wire::permission::PermissionRequest;

use crate::capabilities::Client;
use crate::ingress::proxy::CallError;
use crate::lsp::types::request::ShowMessageRequest;
use crate::lsp::types::{MessageActionItem, MessageType, ShowMessageRequestParams};
use crate::pending;
use crate::session::Session;
use crate::words;

/// The longest title of a choice, in characters.
const MAX_TITLE: usize = 100;

/// A choice that the user is given.
struct Choice {
    title: String,
    answer: Answer,
}

/// What a choice decides.
enum Answer {
    Calls(PermissionResolveParams),
    Plan(PlanResolveParams),
}

/// Asks each pending question once, oldest first, until the leader ends or the client turns out not to ask.
pub(super) async fn follow(session: Arc<Session>) {
    let Ok(started) = session.started() else { return };
    let leader = &started.leader;
    let mut snapshots = leader.watch();
    let mut asked: HashSet<RequestId> = HashSet::new();
    loop {
        // Not held while waiting: the leader would have to copy it for each change.
        let question = {
            let snapshot = snapshots.borrow_and_update().clone();
            asked.retain(|id| is_pending(&snapshot, id));
            next(&snapshot, &asked)
        };
        let Some(Question { id, text, choices }) = question else {
            if snapshots.changed().await.is_err() {
                return;
            }
            continue;
        };
        asked.insert(id.clone());
        let params = ask(text, &choices, &started.client);
        let answer = tokio::select! {
            answer = session.proxy.request::<ShowMessageRequest>(params) => answer,
            // Decided elsewhere: the editor may go on showing it, and whatever it says then counts for nothing.
            () = decided(leader, &id) => {
                settled(leader).await;
                continue;
            }
        };
        match answer {
            Ok(answer) => {
                if let Some(choice) =
                    answer.and_then(|answer| choices.into_iter().find(|c| c.title == answer.title))
                {
                    resolve(leader, choice).await;
                }
            }
            Err(error) if error.is_unsupported() => return,
            Err(CallError::Closed) => return,
            Err(error) => tracing::warn!(%error, "a question was not answered"),
        }
    }
}

async fn decided(leader: &Leader, id: &RequestId) {
    // An error means that the leader ended, and every question with it.
    let _ = leader.watch().wait_for(|snapshot| !is_pending(snapshot, id)).await;
}

/// Waits until the hub is done with what decided a question: it may decide others in the same breath, and a
/// question that the editor was asked cannot be taken back.
async fn settled(leader: &Leader) {
    // The hub takes one command after another, so any that changes nothing will do, whatever it answers.
    let _ = leader.transcript(TranscriptParams { limit: Some(1), ..TranscriptParams::default() }).await;
}

fn is_pending(snapshot: &StateResult, id: &RequestId) -> bool {
    snapshot.permissions.iter().any(|request| request.id == *id)
        || snapshot.plans.iter().any(|plan| plan.id == *id)
}

async fn resolve(leader: &Leader, choice: Choice) {
    let resolved = match choice.answer {
        Answer::Calls(params) => leader.resolve(params).await,
        Answer::Plan(params) => leader.resolve_plan(params).await,
    };
    if let Err(refusal) = resolved {
        tracing::warn!(%refusal, "a decision was not taken");
    }
}

/// What is put to the user in one box.
struct Question {
    id: RequestId,
    text: String,
    choices: Vec<Choice>,
}

/// The oldest question that was not put yet.
fn next(snapshot: &StateResult, asked: &HashSet<RequestId>) -> Option<Question> {
    let call = snapshot.permissions.iter().find(|request| !asked.contains(&request.id));
    let ready = |plan: &&PlanRequest| !plan.reviewing && !asked.contains(&plan.id);
    let plan = snapshot.plans.iter().find(ready);
    match (call, plan) {
        (Some(call), plan) if plan.is_none_or(|plan| call.created_at <= plan.created_at) => Some(Question {
            id: call.id.clone(),
            text: words::question(call),
            choices: choices(call, pending::batch(snapshot, call)),
        }),
        (_, Some(plan)) => Some(Question {
            id: plan.id.clone(),
            text: words::plan_question(plan),
            choices: plan_choices(plan),
        }),
        _ => None,
    }
}

fn choices(request: &PermissionRequest, batch: Vec<RequestId>) -> Vec<Choice> {
    let choice = |deed: &str, decision, remember, ids: Vec<RequestId>| {
        let title: String = words::title(request, deed).chars().take(MAX_TITLE).collect();
        let answer = PermissionResolveParams {
            ids,
            decision,
            updated_input: None,
            hunks: Vec::new(),
            feedback: None,
            remember,
        };
        Choice { title, answer: Answer::Calls(answer) }
    };
    let own = || vec![request.id.clone()];
    let always = request.permission_suggestions.first();
    let always =
        always.map(|rule| choice(&words::always(rule), DecisionName::Allow, Some(rule.clone()), own()));
    let all = (!batch.is_empty()).then(|| choice(&words::all(batch.len()), DecisionName::Allow, None, batch));
    [
        Some(choice("allow", DecisionName::Allow, None, own())),
        always,
        all,
        Some(choice("reject", DecisionName::Reject, None, own())),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn plan_choices(plan: &PlanRequest) -> Vec<Choice> {
    [("approve the plan", true), ("reject the plan", false)]
        .into_iter()
        .map(|(deed, approve)| {
            let title = format!("{}: {deed}", plan.name).chars().take(MAX_TITLE).collect();
            let params =
                PlanResolveParams { id: plan.id.clone(), approve, feedback: None, mode: None, team: None };
            Choice { title, answer: Answer::Plan(params) }
        })
        .collect()
}

fn ask(message: String, choices: &[Choice], client: &Client) -> ShowMessageRequestParams {
    let action =
        |choice: &Choice| MessageActionItem { title: choice.title.clone(), properties: Default::default() };
    ShowMessageRequestParams {
        // VS Code hides what is less than an error after some seconds, and the team would wait for nobody.
        typ: if client.is_vscode { MessageType::ERROR } else { MessageType::WARNING },
        message,
        actions: Some(choices.iter().map(action).collect()),
    }
}
