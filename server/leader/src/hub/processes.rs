//! How teammates come to life in processes of their own, and where their mail goes.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use swarm_agent::Incoming;
use swarm_agent::life::TurnSwitch;
use swarm_store::mailbox::Content;
use swarm_store::{Origin, Standing};
use swarm_wire::lsp::{MemberState, TeammateParams};
use swarm_wire::mail::Protocol;
use swarm_wire::permission::{Answer, Outcome, ResolvedBy};
use swarm_wire::process::StartOrder;
use swarm_wire::{AgentId, RequestId};
use tokio::sync::{mpsc, watch};

use super::Hub;
use super::members::{blocking, bounded};
use super::models::own_choice;
use crate::backend::{Backend, Launch};
use crate::command::{Refusal, Reply};
use crate::ports::HubPorts;
use crate::process::{self, Led, Link, Word, convert};
use crate::roster::Live;
use crate::team;

/// How much of the leader's pane those of teammates take, in percent, where no setting says.
const DEFAULT_SHARE: u8 = 30;

impl Hub {
    /// Starts a member of the roster as a process.
    pub(super) async fn start_process(
        &mut self,
        agent: &AgentId,
        backend: Arc<dyn Backend>,
        state: Option<MemberState>,
    ) -> Result<(), Refusal> {
        let workspace = self.workspace.clone().ok_or(Refusal::ShuttingDown)?;
        let confinement = self.confinement().await;
        let bounds = self.bounds_of(agent, &workspace, confinement);
        let Some(view) = self.roster.get(agent).map(|member| member.view.clone()) else {
            return Err(Refusal::ShuttingDown);
        };
        let (tools, about_kind) = self.kind_of_member(&view).await?;
        let Some(member) = self.roster.get(agent) else { return Err(Refusal::ShuttingDown) };
        let (color, model) = (member.view.color.clone(), self.member_model(&member.own));
        let Some(team) = &self.team else { return Err(Refusal::ShuttingDown) };
        let Some(post) = team.lead_post.clone() else { return Err(Refusal::ShuttingDown) };
        let order = StartOrder {
            agent: agent.clone(),
            backend: backend.kind(),
            color: color.clone(),
            cwd: workspace.clone(),
            tools,
            about_kind,
            editor_knows: self.editor.knows(),
            bounds: convert::bounds_for(&bounds),
            model: model.clone(),
        };
        let (dir, key, root, id) =
            (team.led.dir.clone(), team.led.key.clone(), self.root.clone(), agent.clone());
        let (incarnation, file) = blocking(move || {
            let own = team::new_key(&dir, &key, &id)?;
            Ok((own.incarnation(), own.hand_over(&root, &order)?))
        })
        .await?;
        let launch = Launch {
            title: agent.name.to_string(),
            team: agent.team.clone(),
            share: self.settings.tmux_share.unwrap_or(DEFAULT_SHARE).clamp(10, 90),
            color: color.clone(),
            program: self.machine.helper.clone(),
            args: vec!["teammate".to_owned(), file.display().to_string()],
            cwd: workspace.clone(),
            env: environment(agent, self.root.path()),
        };
        let (bounds, bounds_view) = watch::channel(bounds);
        let (model, model_view) = watch::channel(model);
        let (mail, mail_view) = mpsc::unbounded_channel();
        let (words, words_view) = mpsc::unbounded_channel();
        let life = self.process.child_token();
        let led = Led {
            agent: agent.clone(),
            color,
            cwd: workspace,
            root: self.root.clone(),
            dir: team.led.dir.clone(),
            backend,
            launch,
            post,
            ports: Arc::new(HubPorts { events: self.events.clone() }),
            editor: self.editor.clone(),
            snapshots: team.checkpoints.clone(),
            reports: self.reports.clone(),
            bounds: bounds_view,
            model: model_view,
            mail: mail_view,
            words: words_view,
        };
        let root = self.root.clone();
        let live = bounded(process::lead(led, life.clone()), life.clone());
        let task = self.lives.spawn(async move {
            let end = live.await;
            // One that ended before it read its order leaves no key behind.
            let _ = tokio::task::spawn_blocking(move || root.take_back(&file)).await;
            end
        });
        self.names.insert(task.id(), agent.clone());
        let now = model.borrow().clone();
        let live = Live {
            // Its inbox and its switch are in its own process.
            inbox: mpsc::unbounded_channel().0,
            switch: TurnSwitch::default(),
            bounds,
            choice: watch::channel(own_choice(&now)).0,
            process: Some(Link { incarnation, mail, model, words }),
            life,
            asked: HashSet::new(),
            killed: false,
            promised: HashSet::new(),
            heard: Instant::now(),
        };
        self.came_up(agent, live, (now.model, now.effort), state);
        Ok(())
    }

    /// Notes where a teammate's process runs.
    pub(super) async fn placed(&mut self, agent: &AgentId, handle: String) {
        let Some(team) = &mut self.team else { return };
        let (dir, agent) = (team.led.dir.clone(), agent.clone());
        let written = blocking(move || {
            dir.update(|file| {
                for member in file.members.iter_mut().filter(|member| member.agent_id == agent) {
                    member.tmux_pane_id.clone_from(&handle);
                }
                file.clone()
            })
        });
        match written.await {
            Ok(file) => team.led.file = file,
            Err(error) => tracing::error!(%error, "where a teammate runs is not in the team file"),
        }
    }

    /// The person at a teammate's own terminal answers a question of it. The first answer wins, as everywhere.
    pub(super) async fn answered_there(
        &mut self,
        agent: &AgentId,
        id: &RequestId,
        answer: Answer,
    ) -> Result<(), String> {
        let is_open = self.team.as_ref().is_some_and(|team| team.queue.call_of(agent, id).is_some());
        if !is_open {
            return Err("that question is not open any more, or is one for the leader's editor".to_owned());
        }
        match self.resolve_one(id, answer, ResolvedBy::Worker).await {
            Ok(Outcome::Resolved) => Ok(()),
            Ok(_) => Err("somebody answered that question before".to_owned()),
            Err(refusal) => Err(refusal.to_string()),
        }
    }

    /// Brings a teammate's terminal into sight, or takes it out; answered once that is done.
    pub(super) fn show(&mut self, params: &TeammateParams, visible: bool, reply: Reply<()>) {
        let link = self.check_team(params.team.as_deref()).and_then(|()| {
            let member = self.roster.find(Some(&params.member))?;
            let link = member.live.as_ref().and_then(|live| live.process.as_ref());
            link.ok_or_else(|| {
                let (name, how) = (&member.view.name, member.view.backend.as_str());
                Refusal::Failed(format!("`{name}` has no terminal: it runs as `{how}`, or does not run now"))
            })
        });
        match link {
            // One that ends in this moment has nothing to show, and drops the reply.
            Ok(link) => drop(link.words.send(Word::Show { visible, reply })),
            Err(refusal) => drop(reply.send(Err(refusal))),
        }
    }

    /// Hands on what a teammate's process says to its leader; gives back what is not such.
    pub(super) async fn for_process(&mut self, incoming: Incoming) -> Option<Incoming> {
        let (Content::Protocol(message), Origin::Agent(from), Standing::Member) =
            (&incoming.content, &incoming.origin, incoming.standing)
        else {
            return Some(incoming);
        };
        let is_of_process = matches!(
            **message,
            Protocol::Progress { .. }
                | Protocol::PermissionRequest(_)
                | Protocol::PermissionWithdraw { .. }
                | Protocol::LeaderRequest { .. }
        );
        if !is_of_process {
            return Some(incoming);
        }
        let live = self.roster.get(from).and_then(|member| member.live.as_ref());
        let process = live.and_then(|live| live.process.as_ref());
        match process.filter(|process| incarnation(&incoming) == Some(process.incarnation)) {
            Some(process) => {
                // One that ends in this moment asks no more.
                let _ = process.mail.send(incoming);
            }
            // What an earlier process of it said counts no more.
            None => incoming.receipt.acknowledge().await,
        }
        None
    }
}

/// The start of its sender that a message is of; its id begins with it.
fn incarnation(incoming: &Incoming) -> Option<u64> {
    incoming.message.id.as_str().split('.').next()?.parse().ok()
}

/// What a teammate's process finds in its environment, for who looks at it; no secret is in it.
fn environment(agent: &AgentId, root: &Path) -> BTreeMap<String, String> {
    let home = std::path::absolute(root).unwrap_or_else(|_| root.to_owned());
    [
        ("SWARM_HOME", home.display().to_string()),
        ("SWARM_TEAM", agent.team.to_string()),
        ("SWARM_AGENT_ID", agent.to_string()),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .into()
}
