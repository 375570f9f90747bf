//! `window/workDoneProgress` for each running turn; cancelling it interrupts the turn.

use std::collections::HashMap;
use std::sync::Arc;

use swarm_wire::lsp::{MemberParams, MemberView, StateResult};
use swarm_wire::{AgentId, TurnId};
use tokio::task::{AbortHandle, JoinError, JoinSet};

use crate::error::Problem;
use crate::ingress::proxy::{CallError, Proxy};
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
    let mut bars = Bars { proxy: session.proxy.clone(), shown: HashMap::new(), creating: JoinSet::new() };
    loop {
        // Not held while waiting: the leader would have to copy it for each change.
        bars.update(&snapshots.borrow_and_update().clone());
        tokio::select! {
            changed = snapshots.changed() => if changed.is_err() { break },
            Some(created) = bars.creating.join_next() => bars.created(created),
        }
    }
    bars.shown.values().for_each(|bar| bar.end(&bars.proxy));
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

/// The progress of all turns that run: one look at each change for all of them.
struct Bars {
    proxy: Proxy,
    shown: HashMap<AgentId, Bar>,
    /// What the client is asked; an answer is of the turn that it was asked for.
    creating: JoinSet<(AgentId, TurnId, Result<(), CallError>)>,
}

/// The progress of one turn.
struct Bar {
    token: ProgressToken,
    turn: TurnId,
    /// The tool that runs.
    tool: Option<String>,
    state: BarState,
}

enum BarState {
    /// Until the client has made room for it. Aborted, the request is taken back.
    Creating(AbortHandle),
    Shown,
    Refused,
}

impl Bars {
    fn update(&mut self, snapshot: &StateResult) {
        let turns = snapshot.members.iter().filter_map(|member| Some((member, member.turn_id.as_ref()?)));
        let running: HashMap<&AgentId, &TurnId> =
            turns.clone().map(|(member, turn)| (&member.agent_id, turn)).collect();
        let proxy = &self.proxy;
        self.shown.retain(|agent, bar| {
            let runs = running.get(agent).is_some_and(|turn| **turn == bar.turn);
            if !runs {
                bar.end(proxy);
            }
            runs
        });
        for (member, turn) in turns {
            match self.shown.get_mut(&member.agent_id) {
                Some(bar) => bar.show(&self.proxy, &member.tool),
                None => self.begin(member, turn),
            }
        }
    }

    fn begin(&mut self, member: &MemberView, turn: &TurnId) {
        let agent = &member.agent_id;
        let token = token(agent, turn);
        let params = WorkDoneProgressCreateParams { token: token.clone() };
        let (proxy, of_agent, of_turn) = (self.proxy.clone(), agent.clone(), turn.clone());
        let asked = self.creating.spawn(async move {
            let created = proxy.request::<WorkDoneProgressCreate>(params).await;
            (of_agent, of_turn, created)
        });
        let state = BarState::Creating(asked);
        let bar = Bar { token, turn: turn.clone(), tool: member.tool.clone(), state };
        self.shown.insert(agent.clone(), bar);
    }

    fn created(&mut self, created: Result<(AgentId, TurnId, Result<(), CallError>), JoinError>) {
        // One that was taken back needs nothing more.
        let Ok((agent, turn, created)) = created else { return };
        let Some(bar) = self.shown.get_mut(&agent).filter(|bar| bar.turn == turn) else { return };
        if let Err(error) = created {
            tracing::info!(%error, "progress is not shown");
            bar.state = BarState::Refused;
            return;
        }
        let begin = WorkDoneProgressBegin {
            title: format!("{} works", agent.name),
            cancellable: Some(true),
            message: None,
            percentage: None,
        };
        self.proxy.notify::<Progress>(progress(&bar.token, WorkDoneProgress::Begin(begin)));
        bar.state = BarState::Shown;
        bar.report(&self.proxy);
    }
}

impl Bar {
    /// Shows the tool that runs, where it is another.
    fn show(&mut self, proxy: &Proxy, tool: &Option<String>) {
        if self.tool != *tool {
            self.tool.clone_from(tool);
            self.report(proxy);
        }
    }

    fn report(&self, proxy: &Proxy) {
        if !matches!(self.state, BarState::Shown) {
            return;
        }
        let report = WorkDoneProgressReport {
            cancellable: Some(true),
            message: Some(self.tool.clone().unwrap_or_else(|| "thinking".into())),
            percentage: None,
        };
        let params = progress(&self.token, WorkDoneProgress::Report(report));
        proxy.notify_latest::<Progress>(&key(&self.token), params);
    }

    fn end(&self, proxy: &Proxy) {
        match &self.state {
            BarState::Creating(asked) => asked.abort(),
            BarState::Shown => {
                let end = WorkDoneProgressEnd { message: None };
                proxy.notify::<Progress>(progress(&self.token, WorkDoneProgress::End(end)));
            }
            BarState::Refused => {}
        }
    }
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
