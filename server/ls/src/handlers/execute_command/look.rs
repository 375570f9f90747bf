//! The commands that show something: `swarm.status`, `swarm.pending` and `swarm.diff`.

use std::fmt::Write;

use serde::Deserialize;
use serde_json::{Value, json};
use similar::TextDiff;
use swarm_wire::RequestId;
use swarm_wire::lsp::{ConversationListResult, ConversationView, MemberParams, PlanRequest, StateResult};
use swarm_wire::permission::PermissionRequest;

use super::decide;
use crate::error::Problem;
use crate::lsp::types::Url;
use crate::pages;
use crate::session::Session;
use crate::words;

#[derive(Deserialize)]
pub(super) struct Which {
    id: RequestId,
}

pub(super) fn status(session: &Session) -> Result<Value, Problem> {
    let snapshot = session.leader()?.snapshot();
    page(session, "status.md", &status_page(&snapshot))
}

pub(super) fn pending(session: &Session) -> Result<Value, Problem> {
    let snapshot = session.leader()?.snapshot();
    page(session, "pending.md", &pending_page(&snapshot.permissions, &snapshot.plans))
}

/// A member's conversations, for who opens one by its id.
pub(super) async fn conversations(session: &Session, params: MemberParams) -> Result<Value, Problem> {
    let listed = session.leader()?.conversations(params).await?;
    page(session, "conversations.md", &conversations_page(&listed))
}

/// The change that a request would make, or for one without a file, what it would run.
pub(super) fn diff(session: &Session, Which { id }: Which) -> Result<Value, Problem> {
    if let Some(plan) = session.leader()?.snapshot().plans.iter().find(|plan| plan.id == id) {
        return Ok(match Url::from_file_path(&plan.document) {
            Ok(uri) if session.started()?.client.shows_documents => pages::show(session, uri),
            _ => json!({ "text": plan.plan }),
        });
    }
    let request = decide::pending(session, &id)?;
    let name = format!("{}-{}-{id}", request.worker_name, request.tool_name);
    match diff_page(&request) {
        Some(diff) => page(session, &format!("{name}.diff"), &diff),
        None => page(session, &format!("{name}.md"), &pending_page(&[request], &[])),
    }
}

/// Shows a page, or gives its text where the editor shows no documents.
fn page(session: &Session, name: &str, text: &str) -> Result<Value, Problem> {
    if !session.started()?.client.shows_documents {
        return Ok(json!({ "text": text }));
    }
    let uri = session.pages.write(name, text);
    let uri = uri.map_err(|error| Problem::failed(format!("no document can be made: {error}")))?;
    Ok(pages::show(session, uri))
}

fn status_page(state: &StateResult) -> String {
    let mut page = String::from("# Team\n");
    if state.members.is_empty() {
        page.push_str("\nNobody works yet. The first prompt makes a team.\n");
    }
    for team in &state.teams {
        let _ = writeln!(page, "\n## {} in {}\n", team.name, team.workspace);
        let _ = writeln!(page, "| member | state | does | tokens in / out | mode |\n|---|---|---|---|---|");
        for member in state.members.iter().filter(|member| member.team == team.name) {
            let does = cell(member.tool.as_deref().unwrap_or("-"));
            let (state, mode) = (name(&member.state), name(&member.mode));
            let (input, output) = (member.tokens.input, member.tokens.output);
            let on =
                member.worktree.as_ref().map(|tree| format!(" on `{}`", tree.branch)).unwrap_or_default();
            let who = format!("{}{on}", member.name);
            let _ = writeln!(page, "| {who} | {state} | {does} | {input} / {output} | {mode} |");
        }
    }
    if !state.permissions.is_empty() || !state.plans.is_empty() {
        page.push('\n');
        page.push_str(&pending_page(&state.permissions, &state.plans));
    }
    page
}

fn conversations_page(listed: &ConversationListResult) -> String {
    let mut page = String::from("# Conversations\n\n| title | entries | tokens | id |\n|---|---|---|---|\n");
    for ConversationView { conversation, current } in &listed.conversations {
        let title = cell(conversation.title.as_deref().unwrap_or("new"));
        let title = if *current { format!("**{title}**") } else { title };
        let share = share(conversation.tokens, listed.context_window);
        let (entries, tokens, id) = (conversation.entries, conversation.tokens, &conversation.id);
        let _ = writeln!(page, "| {title} | {entries} | {tokens}{share} | `{id}` |");
    }
    page
}

/// How much of the model's window that is.
fn share(tokens: u64, window: u32) -> String {
    let share = (tokens * 100).checked_div(u64::from(window));
    share.map(|percent| format!(" ({percent} %)")).unwrap_or_default()
}

fn pending_page(requests: &[PermissionRequest], plans: &[PlanRequest]) -> String {
    let mut page = String::from("# Waiting for you\n");
    if requests.is_empty() && plans.is_empty() {
        page.push_str("\nNothing.\n");
    }
    for plan in plans {
        let _ = writeln!(page, "\n## {}\n\nid `{}`\n", words::plan_wish(plan), plan.id);
        for line in plan.plan.lines() {
            let _ = writeln!(page, "    {line}");
        }
    }
    for request in requests {
        let _ = writeln!(page, "\n## {}\n\nid `{}`\n", words::wish(request), request.id);
        let body = match diff_page(request) {
            Some(diff) => diff,
            None => words::question(request),
        };
        for line in body.lines() {
            let _ = writeln!(page, "    {line}");
        }
    }
    page
}

fn diff_page(request: &PermissionRequest) -> Option<String> {
    let change = request.change.as_ref()?;
    let before = change.before.as_deref();
    let old = if before.is_some() { change.path.as_str() } else { "/dev/null" };
    let diff = TextDiff::from_lines(before.unwrap_or_default(), change.after.as_str());
    Some(diff.unified_diff().context_radius(3).header(old, &change.path).to_string())
}

/// Text that cannot break a table's row.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace(['\n', '\r'], " ")
}

/// A state or mode as it is on the wire.
fn name(value: &impl serde::Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}
