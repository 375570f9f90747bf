//! `textDocument/codeAction`: what can be done about the pending requests here.
//!
//! Those that would change this file show on the lines that they would change; those without a file show
//! wherever the user asks, and all of them in a conversation's document. And what can be handed over to the team.

mod handing;

use std::sync::Arc;

use serde_json::{Value, json};
use swarm_wire::RequestId;
use swarm_wire::permission::PermissionRequest;

use crate::error::Problem;
use crate::lsp::types::{
    CodeAction, CodeActionKind, CodeActionOrCommand, CodeActionParams, CodeActionResponse, Command,
    Diagnostic,
};
use crate::pages::Purpose;
use crate::pending;
use crate::session::Session;
use crate::words;

pub(crate) fn code_action(
    session: &Arc<Session>,
    params: &CodeActionParams,
) -> Result<CodeActionResponse, Problem> {
    if !wanted(params) {
        return Ok(Vec::new());
    }
    let started = session.started()?;
    let snapshot = started.leader.snapshot();
    let uri = &params.text_document.uri;
    let mut actions = Vec::new();
    if let Some(draft) = session.pages.draft(uri)
        && let Some(request) = snapshot.permissions.iter().find(|request| request.id == draft.request)
    {
        let (deed, command) = match draft.purpose {
            Purpose::Input => ("allow with this input", "swarm.permission.edit"),
            Purpose::Feedback => ("reject with this text", "swarm.permission.reject"),
        };
        let argument = json!({ "id": request.id, "draft": uri });
        actions.push(Action { title: words::title(request, deed), command, argument, diagnostics: None });
    }
    for plan in &snapshot.plans {
        let feedback = session.pages.draft(uri).filter(|draft| draft.request == plan.id).map(|_| {
            let argument = json!({ "id": plan.id, "draft": uri });
            (format!("{}: reject the plan with this text", plan.name), "swarm.plan.reject", argument)
        });
        let deeds = feedback.into_iter().chain(words::plan_deeds(plan));
        actions.extend(deeds.map(Action::without_lines));
    }
    let conversation = session.conversations.of_uri(uri);
    if let Some(shown) = &conversation {
        let title = format!("{}: send what is written below", shown.agent.name);
        actions.push(Action::without_lines((title, "swarm.send", json!({ "uri": uri }))));
    }
    for mark in pending::marks(&snapshot, &session.documents) {
        if has_file(mark.request) && mark.uri == *uri && mark.meets(params.range) {
            let batch = pending::batch(&snapshot, mark.request);
            actions.extend(decisions(mark.request, &batch, Some(mark.diagnostics())));
        }
    }
    let anywhere = |request: &&PermissionRequest| !has_file(request) || conversation.is_some();
    for request in snapshot.permissions.iter().filter(anywhere) {
        actions.extend(decisions(request, &pending::batch(&snapshot, request), None));
    }
    let offers = handing::offers(&session.documents, uri, params.range);
    actions.extend(offers.into_iter().map(Action::without_lines));
    Ok(actions.into_iter().map(|action| action.into_response(started.client.action_literals)).collect())
}

/// Kinds are asked for by prefix; ours are quick fixes.
fn wanted(params: &CodeActionParams) -> bool {
    let own = CodeActionKind::QUICKFIX;
    params
        .context
        .only
        .as_ref()
        .is_none_or(|only| only.iter().any(|kind| kind.as_str().is_empty() || *kind == own))
}

/// Whether there are lines to show it on. A file that is yet to be made cannot be opened to decide it.
fn has_file(request: &PermissionRequest) -> bool {
    request.change.as_ref().is_some_and(|change| change.before.is_some())
}

struct Action {
    title: String,
    command: &'static str,
    argument: Value,
    diagnostics: Option<Vec<Diagnostic>>,
}

impl Action {
    /// One that marks no lines.
    fn without_lines((title, command, argument): (String, &'static str, Value)) -> Self {
        Self { title, command, argument, diagnostics: None }
    }

    fn into_response(self, literals: bool) -> CodeActionOrCommand {
        let command = Command::new(self.title.clone(), self.command.into(), Some(vec![self.argument]));
        if !literals {
            return CodeActionOrCommand::Command(command);
        }
        CodeActionOrCommand::CodeAction(CodeAction {
            title: self.title,
            kind: Some(CodeActionKind::QUICKFIX),
            diagnostics: self.diagnostics,
            command: Some(command),
            ..CodeAction::default()
        })
    }
}

/// Everything that can be done about one request.
fn decisions(
    request: &PermissionRequest,
    batch: &[RequestId],
    diagnostics: Option<Vec<Diagnostic>>,
) -> Vec<Action> {
    let id = json!({ "id": request.id });
    let always = request.permission_suggestions.iter().enumerate().map(|(index, rule)| {
        let argument = json!({ "id": request.id, "suggestion": index });
        (words::always(rule), "swarm.permission.allowAlways", argument)
    });
    let what = &request.description;
    let mut deeds = vec![(format!("allow: {what}"), "swarm.permission.allow", id.clone())];
    if !batch.is_empty() {
        let together = json!({ "ids": batch });
        deeds.push((words::all(batch.len()), "swarm.permission.allow", together));
    }
    deeds.extend(always);
    deeds.push((format!("show the diff: {what}"), "swarm.diff", id.clone()));
    deeds.push((format!("edit the input: {what}"), "swarm.permission.edit", id.clone()));
    deeds.push((format!("reject: {what}"), "swarm.permission.reject", id));
    let feedback = json!({ "id": request.id, "ask": true });
    deeds.push((format!("reject with feedback: {what}"), "swarm.permission.reject", feedback));
    let action = |(deed, command, argument): (String, &'static str, Value)| Action {
        title: words::title(request, &deed),
        command,
        argument,
        diagnostics: diagnostics.clone(),
    };
    deeds.into_iter().map(action).collect()
}
