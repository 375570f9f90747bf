//! How teammates come to life in processes of their own, and where their mail goes.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use swarm_agent::Incoming;
use swarm_agent::life::TurnSwitch;
use swarm_agent::ports::Editor;
use swarm_guard::Bounds;
use swarm_store::mailbox::Content;
use swarm_store::{LiveLock, Origin, Standing};
use swarm_wire::lsp::{Event as ClientEvent, MemberState, TeammateParams};
use swarm_wire::mail::Protocol;
use swarm_wire::permission::{Answer, Outcome, ResolvedBy};
use swarm_wire::process::{MemberModel, StartOrder};
use swarm_wire::team::BackendType;
use swarm_wire::{AgentId, RequestId};
use tokio::sync::{mpsc, watch};

use super::Hub;
use super::members::{blocking, bounded, snapshots};
use super::models::own_choice;
use crate::backend::{Backend, Handle, Launch};
use crate::command::{Refusal, Reply};
use crate::ports::HubPorts;
use crate::process::{self, Begins, Led, Link, Word, convert};
use crate::roster::{Live, Member};
use crate::team::{self, IN_PROCESS};
use crate::worktrees::Ground;

/// How much of the leader's pane those of teammates take, in percent, where no setting says.
const DEFAULT_SHARE: u8 = 30;
/// How long teammates wait for another leader, where no setting says.
const DEFAULT_LEADERLESS_SECONDS: u64 = 600;

impl Hub {
    /// Starts a member of the roster as a process.
    pub(super) async fn start_process(
        &mut self,
        agent: &AgentId,
        backend: Arc<dyn Backend>,
        ground: Ground,
        state: Option<MemberState>,
    ) -> Result<(), Refusal> {
        let confinement = self.confinement().await;
        let bounds = self.bounds_of(agent, &ground, confinement);
        let Some(view) = self.roster.get(agent).map(|member| member.view.clone()) else {
            return Err(Refusal::ShuttingDown);
        };
        let (tools, about_kind) = self.about(&view, &ground).await?;
        let Some(member) = self.roster.get(agent) else { return Err(Refusal::ShuttingDown) };
        let (color, model) = (member.view.color.clone(), self.member_model(&member.own));
        let Some(team) = &self.team else { return Err(Refusal::ShuttingDown) };
        let order = StartOrder {
            agent: agent.clone(),
            backend: backend.kind(),
            color: color.clone(),
            cwd: ground.cwd.clone(),
            tools,
            about_kind,
            editor_knows: self.editor.knows(),
            leaderless_seconds: self.settings.leaderless_seconds.unwrap_or(DEFAULT_LEADERLESS_SECONDS),
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
            cwd: ground.cwd.clone(),
            env: environment(agent, self.root.path()),
        };
        let begun = Begun { ground, bounds, model, has_model: true, incarnation, order: Some(file), state };
        self.lead_process(agent, (backend, Begins::Launch(launch)), begun)
    }

    /// Leads the process of a member of the roster.
    fn lead_process(
        &mut self,
        agent: &AgentId,
        (backend, begins): (Arc<dyn Backend>, Begins),
        begun: Begun,
    ) -> Result<(), Refusal> {
        let Begun { ground, bounds, model, has_model, incarnation, order, state } = begun;
        let color = self.roster.get(agent).and_then(|member| member.view.color.clone());
        let Some(team) = &self.team else { return Err(Refusal::ShuttingDown) };
        let Some(post) = team.lead_post.clone() else { return Err(Refusal::ShuttingDown) };
        let (bounds, bounds_view) = watch::channel(bounds);
        let (model, model_view) = watch::channel(model);
        let (mail, mail_view) = mpsc::unbounded_channel();
        let (words, words_view) = mpsc::unbounded_channel();
        let life = self.process.child_token();
        let led = Led {
            agent: agent.clone(),
            color,
            cwd: ground.cwd.clone(),
            root: self.root.clone(),
            dir: team.led.dir.clone(),
            backend,
            begins,
            post,
            ports: Arc::new(HubPorts { events: self.events.clone() }),
            editor: self.editor.clone(),
            snapshots: snapshots(&ground, &team.checkpoints),
            reports: self.reports.clone(),
            bounds: bounds_view,
            model: model_view,
            has_model,
            mail: mail_view,
            words: words_view,
        };
        let root = self.root.clone();
        let live = bounded(process::lead(led, life.clone()), life.clone());
        let task = self.lives.spawn(async move {
            let end = live.await;
            // One that ended before it read its order leaves no key behind.
            let _ = tokio::task::spawn_blocking(move || order.map(|order| root.take_back(&order))).await;
            end
        });
        self.names.insert(task.id(), agent.clone());
        let now = model.borrow().clone();
        let live = Live {
            // Its inbox and its switch are in its own process.
            inbox: mpsc::unbounded_channel().0,
            switch: TurnSwitch::default(),
            wishes: mpsc::unbounded_channel().0,
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

    /// Takes up the processes that an earlier leader left alive, and frees what those had that are gone.
    pub(super) async fn take_up_processes(&mut self) {
        let left = std::mem::take(&mut self.left);
        for agent in &left.gone {
            self.release_tasks(agent).await;
        }
        if !left.alive.is_empty() {
            let has_model = self.ensure_provider().await.is_ok();
            // Its agent's mailbox is where they report.
            if let Err(refusal) = self.ensure_lead().await {
                tracing::error!(%refusal, "processes of teammates are not led");
                return;
            }
            for agent in &left.alive {
                if let Err(refusal) = self.take_up_process(agent, has_model).await {
                    let text = format!("the process of {} lives and is not led: {refusal}", agent.name);
                    self.publish(vec![ClientEvent::Warning { text }]);
                }
            }
        }
        if !left.gone.is_empty() {
            self.tasks_changed().await;
        }
    }

    async fn take_up_process(&mut self, agent: &AgentId, has_model: bool) -> Result<(), Refusal> {
        let ground = self.ground_of(agent)?;
        let confinement = self.confinement().await;
        let bounds = self.bounds_of(agent, &ground, confinement);
        let Some(team) = &self.team else { return Err(Refusal::ShuttingDown) };
        let Some(member) = self.roster.get(agent) else { return Err(Refusal::ShuttingDown) };
        let Some(backend) = self.backends.known(member.view.backend) else {
            return Err(Refusal::Failed(format!("this version knows no `{}`", member.view.backend.as_str())));
        };
        let model = self.member_model(&member.own);
        let entry = team.led.file.members.iter().find(|entry| entry.agent_id == *agent);
        let id = entry.map(|entry| entry.tmux_pane_id.clone()).unwrap_or_default();
        let (dir, id_of) = (team.led.dir.clone(), agent.clone());
        let incarnation = blocking(move || dir.incarnation(&id_of)).await?;
        let begins = Begins::Found(Handle { id, process: None });
        let begun = Begun { ground, bounds, model, has_model, incarnation, order: None, state: None };
        self.lead_process(agent, (backend, begins), begun)
    }

    /// Tells those in terminals to wait for the next server, where the user wants that.
    pub(super) fn leave_terminals(&self) {
        for member in self.roster.iter().filter(|member| self.outlives(member)) {
            let process = member.live.as_ref().and_then(|live| live.process.as_ref());
            // One that ends in this moment waits for nobody.
            process.into_iter().for_each(|process| drop(process.words.send(Word::Leave)));
        }
    }

    fn outlives(&self, member: &Member) -> bool {
        let in_process = member.live.as_ref().is_some_and(|live| live.process.is_some() && !live.killed);
        self.settings.keep_terminals && in_process && member.view.backend != BackendType::Hidden
    }

    /// Notes that the processes that ended with this server have no place any more.
    pub(super) async fn unplaced(&mut self) {
        let ended = self.roster.iter().filter(|member| {
            let has_place =
                member.view.backend != BackendType::InProcess && member.view.state != MemberState::Gone;
            has_place && !self.outlives(member)
        });
        let ended: Vec<AgentId> = ended.map(|member| member.view.agent_id.clone()).collect();
        for agent in ended {
            self.placed(&agent, String::new()).await;
        }
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
                | Protocol::Conversed { .. }
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

/// What a process is led with.
struct Begun {
    ground: Ground,
    bounds: Bounds,
    model: MemberModel,
    /// Whether there is a model to ask.
    has_model: bool,
    incarnation: u64,
    /// The file with its order.
    order: Option<PathBuf>,
    state: Option<MemberState>,
}

/// The processes that an earlier leader started.
#[derive(Default)]
pub(super) struct Left {
    pub(super) alive: Vec<AgentId>,
    pub(super) gone: Vec<AgentId>,
}

impl Left {
    /// Looks who of the team lives. Blocks.
    pub(super) fn of(led: &crate::team::Led) -> Result<Self, swarm_store::Error> {
        let alive = LiveLock::all(&led.dir)?;
        let mut left = Self::default();
        for entry in &led.file.members {
            let is_process = entry.backend_type.is_some_and(|kind| kind != BackendType::InProcess);
            let had_place = !matches!(entry.tmux_pane_id.as_str(), "" | IN_PROCESS);
            match alive.contains(&entry.agent_id) {
                true if is_process => left.alive.push(entry.agent_id.clone()),
                // One that ended with its server has no place in the team file.
                false if is_process && had_place => left.gone.push(entry.agent_id.clone()),
                _ => {}
            }
        }
        Ok(left)
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
