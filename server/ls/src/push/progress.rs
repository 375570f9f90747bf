//! `window/workDoneProgress` for each running turn; cancelling it interrupts the turn.

use std::collections::HashMap;
use std::sync::Arc;

use swarm_leader::Leader;
use swarm_wire::lsp::{MemberParams, MemberView, StateResult};
use swarm_wire::{AgentId, TurnId};

use crate::error::Problem;
use crate::ingress::proxy::Proxy;
use crate::lsp::types::notification::Progress;
use crate::lsp::types::request::WorkDoneProgressCreate;
use crate::lsp::types::{
    NumberOrString, ProgressParams, ProgressParamsValue, ProgressToken, WorkDoneProgress,
    WorkDoneProgressBegin, WorkDoneProgressCancelParams, WorkDoneProgressCreateParams, WorkDoneProgressEnd,
    WorkDoneProgressReport,
};
use crate::session::Session;

/// Shows every turn from its beginning to its end, until the leader ends.
pub(super) async fn follow(session: Arc<Session>) {
    let Ok(leader) = session.leader() else { return };
    let mut snapshots = leader.watch();
    let mut shown: HashMap<AgentId, TurnId> = HashMap::new();
    loop {
        let snapshot = snapshots.borrow_and_update().clone();
        shown.retain(|agent, turn| tool_of(&snapshot, agent, turn).is_some());
        for member in &snapshot.members {
            if let Some(turn) = &member.turn_id
                && shown.get(&member.agent_id) != Some(turn)
            {
                shown.insert(member.agent_id.clone(), turn.clone());
                let bar = Bar { leader: leader.clone(), proxy: session.proxy.clone(), turn: turn.clone() };
                session.tasks.spawn("progress", bar.show(member.agent_id.clone()));
            }
        }
        if snapshots.changed().await.is_err() {
            return;
        }
    }
}

/// The client's `window/workDoneProgress/cancel`.
pub(crate) async fn cancel(
    session: Arc<Session>,
    params: WorkDoneProgressCancelParams,
) -> Result<(), Problem> {
    let leader = session.leader()?;
    let snapshot = leader.snapshot();
    let member = snapshot.members.iter().find(|member| {
        member.turn_id.as_ref().is_some_and(|turn| token(&member.agent_id, turn) == params.token)
    });
    // A turn that ended meanwhile has nothing to interrupt.
    let Some(MemberView { agent_id, .. }) = member else { return Ok(()) };
    let params =
        MemberParams { member: Some(agent_id.name.to_string()), team: Some(agent_id.team.to_string()) };
    leader.interrupt(params).await?;
    Ok(())
}

/// The progress of one turn.
struct Bar {
    leader: Leader,
    proxy: Proxy,
    turn: TurnId,
}

impl Bar {
    async fn show(self, agent: AgentId) {
        let token = token(&agent, &self.turn);
        let params = WorkDoneProgressCreateParams { token: token.clone() };
        tokio::select! {
            created = self.proxy.request::<WorkDoneProgressCreate>(params) => if let Err(error) = created {
                tracing::info!(%error, "progress is not shown");
                return;
            },
            () = self.ended(&agent) => return,
        }
        let begin = WorkDoneProgressBegin {
            title: format!("{} works", agent.name),
            cancellable: Some(true),
            message: None,
            percentage: None,
        };
        self.proxy.notify::<Progress>(progress(&token, WorkDoneProgress::Begin(begin)));
        let mut snapshots = self.leader.watch();
        let mut last = None;
        loop {
            let snapshot = snapshots.borrow_and_update().clone();
            let Some(tool) = tool_of(&snapshot, &agent, &self.turn) else { break };
            if last.as_ref() != Some(&tool) {
                let report = WorkDoneProgressReport {
                    cancellable: Some(true),
                    message: Some(tool.clone().unwrap_or_else(|| "thinking".into())),
                    percentage: None,
                };
                let params = progress(&token, WorkDoneProgress::Report(report));
                self.proxy.notify_latest::<Progress>(&key(&token), params);
                last = Some(tool);
            }
            if snapshots.changed().await.is_err() {
                break;
            }
        }
        let end = WorkDoneProgressEnd { message: None };
        self.proxy.notify::<Progress>(progress(&token, WorkDoneProgress::End(end)));
    }

    async fn ended(&self, agent: &AgentId) {
        let is_over = |snapshot: &Arc<StateResult>| tool_of(snapshot, agent, &self.turn).is_none();
        // An error means that the leader ended, and the turn with it.
        let _ = self.leader.watch().wait_for(is_over).await;
    }
}

/// The tool that the turn runs, if any; `None` when the turn is over.
fn tool_of(snapshot: &StateResult, agent: &AgentId, turn: &TurnId) -> Option<Option<String>> {
    let member = snapshot.members.iter().find(|member| member.agent_id == *agent)?;
    (member.turn_id.as_ref() == Some(turn)).then(|| member.tool.clone())
}

fn token(agent: &AgentId, turn: &TurnId) -> ProgressToken {
    NumberOrString::String(format!("swarm/{agent}/{turn}"))
}

fn key(token: &ProgressToken) -> String {
    match token {
        NumberOrString::String(token) => token.clone(),
        NumberOrString::Number(token) => token.to_string(),
    }
}

fn progress(token: &ProgressToken, value: WorkDoneProgress) -> ProgressParams {
    ProgressParams { token: token.clone(), value: ProgressParamsValue::WorkDone(value) }
}
