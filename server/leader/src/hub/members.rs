//! How members of this process come to life.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use swarm_agent::life::{self, LifeEnd, Setup, TurnSwitch};
use swarm_agent::ports::{NoSnapshots, Snapshots, SpawnRequest};
use swarm_agent::{Inbox, Reporter, Shell, TeamShell, deliver};
use swarm_guard::exec::{Confinement, Network, Policy, coverage};
use swarm_guard::{Bounds, Secrets};
use swarm_store::Root;
use swarm_wire::lsp::{Event as ClientEvent, MemberState, MemberView};
use swarm_wire::mail::Protocol;
use swarm_wire::permission::Mode;
use swarm_wire::settings::{Effort, Settings};
use swarm_wire::team::{BackendType, MemberEntry};
use swarm_wire::{AgentId, RequestId, TeamName, TurnId};
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;

use super::models::Own;
use super::spending::tokens;
use super::{Hub, kinds};
use crate::checkpoints::Checkpoints;
use crate::command::Refusal;
use crate::event::Event;
use crate::handle::Machine;
use crate::ports::HubPorts;
use crate::roster::{Live, Member};
use crate::team::{self, Keys, Led, Opened};
use crate::worktrees::{self, Ground};

/// How many members a team has at most, the leader's agent included, where the settings say nothing.
const DEFAULT_MAX_MEMBERS: usize = 16;
/// How long a member that is ended may take; it is gone within a second.
const END_BOUND: Duration = Duration::from_millis(800);

/// A member of the team file, before anything of it runs.
pub(super) fn not_running(team: &TeamName, entry: &MemberEntry) -> Member {
    let spent = entry.spent.unwrap_or_default();
    let view = MemberView {
        agent_id: entry.agent_id.clone(),
        name: entry.name.clone(),
        team: team.clone(),
        color: entry.color.clone(),
        state: MemberState::Idle,
        turn_id: None,
        tool: None,
        running: Vec::new(),
        tool_calls: 0,
        last_activity: None,
        asleep: true,
        interrupted: false,
        tokens: tokens(&spent),
        cost: spent.cost,
        agent_type: entry.agent_type.clone(),
        mode: entry.mode.unwrap_or_default(),
        backend: entry.backend_type.unwrap_or(BackendType::InProcess),
        worktree: worktrees::view(entry),
        model: entry.model.clone(),
        effort: entry.effort,
    };
    Member { view, own: Own::of(entry), spent, live: None, session_rules: Vec::new() }
}

impl Hub {
    /// The team, founded now if there is none; and its lead, living.
    pub(super) async fn ensure_lead(&mut self) -> Result<AgentId, Refusal> {
        self.ensure_team().await?;
        let Some(team) = &self.team else { return Err(Refusal::ShuttingDown) };
        let lead = team.led.file.lead_agent_id.clone();
        if self.roster.get(&lead).is_none_or(|member| member.live.is_none()) {
            self.start(&lead, None).await?;
        }
        Ok(lead)
    }

    pub(super) async fn ensure_team(&mut self) -> Result<(), Refusal> {
        match &self.team {
            Some(_) => Ok(()),
            None => self.take_up(|root, workspace| team::found(root, workspace, None, None)).await,
        }
    }

    /// Takes up the workspace's team; one that has none gets it from `found`, which blocks.
    pub(super) async fn take_up(
        &mut self,
        found: impl FnOnce(&Root, &Path) -> Result<Led, swarm_store::Error> + Send + 'static,
    ) -> Result<(), Refusal> {
        let no_workspace =
            || Refusal::Failed("no folder is open; open one and the team works in it".to_owned());
        let workspace = self.workspace.clone().ok_or_else(no_workspace)?;
        if !workspace.is_dir() {
            return Err(Refusal::Failed(format!("the workspace {} is not a folder", workspace.display())));
        }
        let root = self.root.clone();
        let led = tokio::task::spawn_blocking(move || {
            root.prepare()?;
            // What cannot be read was told when the server started.
            match team::resume(&root, &workspace, &mut Vec::new())? {
                Some(led) => Ok(led),
                None => found(&root, &workspace),
            }
        });
        let led = led.await.map_err(|lost| Refusal::Failed(lost.to_string()))?;
        let notices = self.adopt(led.map_err(|error| Refusal::Failed(team::refusal(&error)))?);
        let is_new = self.team.as_ref().map(|team| Box::new(self.team_view(team)));
        let warnings = notices.into_iter().map(|text| ClientEvent::Warning { text });
        self.publish([ClientEvent::TeamChanged { team: is_new }].into_iter().chain(warnings).collect());
        self.refresh_rules().await;
        self.after(Duration::ZERO, Event::ProcessesLeft);
        // A crash before the first look at everybody is noticed as one, too.
        self.mark_led().await;
        Ok(())
    }

    /// A new teammate: in the team file, living, and with its prompt in its mailbox.
    pub(super) async fn spawn(
        &mut self,
        request: SpawnRequest,
        color: Option<String>,
        ground: Option<Ground>,
    ) -> Result<AgentId, Refusal> {
        let workspace = self.workspace.clone().ok_or(Refusal::ShuttingDown)?;
        let Ground { cwd, worktree } = ground.unwrap_or(Ground { cwd: workspace, worktree: None });
        let kind = self.kind(request.agent_type.as_deref()).await?;
        let color = color.unwrap_or_else(|| self.roster.next_color().to_owned());
        let backend = request.backend.or(self.settings.teammate_backend).unwrap_or_default();
        let backend = self.backends.choose(backend).await.map_err(unavailable)?;
        let backend = backend.map_or(BackendType::InProcess, |backend| backend.kind());
        let Some(team) = &mut self.team else { return Err(Refusal::ShuttingDown) };
        let Some(lead_post) = team.lead_post.clone() else { return Err(Refusal::ShuttingDown) };
        let max = self.settings.max_members.unwrap_or(DEFAULT_MAX_MEMBERS);
        if team.led.file.members.len() >= max {
            return Err(Refusal::Failed(format!(
                "the team has {} members, and the setting `maxMembers` allows {max}; end one first",
                team.led.file.members.len()
            )));
        }
        let SpawnRequest { name, prompt, model, effort, mode, agent_type, .. } = request;
        let mode = mode.unwrap_or_else(|| kinds::mode_of(kind.as_ref()));
        let model = model.or_else(|| kind.as_ref()?.model.clone());
        let effort = effort.or_else(|| kind.as_ref()?.effort);
        let (dir, head, coming) = (team.led.dir.clone(), prompt.clone(), self.making.clone());
        let (agent, file) = blocking(move || {
            dir.update(|file| {
                let agent = AgentId::new(team::free_name(&dir, file, &name, &coming)?, file.name.clone());
                let mut entry = team::entry(&agent, &cwd, Some(color), model, Some(&head));
                if let Some(worktree) = worktree {
                    entry.worktree_path = Some(worktree.path.display().to_string());
                    entry.worktree_branch = Some(worktree.branch);
                }
                entry.mode = Some(mode);
                entry.agent_type = agent_type;
                entry.backend_type = Some(backend);
                entry.effort = effort;
                entry.plan_mode_required = (mode == Mode::Plan).then_some(true);
                file.members.push(entry);
                Ok((agent, file.clone()))
            })?
        })
        .await?;
        if let Some(entry) = file.members.iter().find(|entry| entry.agent_id == agent) {
            self.roster.add(not_running(&file.name, entry));
        }
        team.led.file = file;
        let mut prompt = prompt;
        if let Some(task) = self.claim_for(&agent).await {
            prompt.push_str(&format!("\n\n{}", swarm_agent::wrap_task(&task)));
            self.tasks_changed().await;
        }
        let request_id = RequestId::new(swarm_agent::turn_id().as_str());
        let first_turn = TurnId::new(request_id.as_str());
        let first = Protocol::UserMessage { request_id, text: prompt, pictures: Vec::new() };
        let up = async {
            self.start(&agent, Some(MemberState::Starting)).await?;
            if let Some(live) = self.roster.get_mut(&agent).and_then(|member| member.live.as_mut()) {
                // It can be interrupted before it begins.
                live.promised.insert(first_turn);
            }
            lead_post.send_protocol(&agent, &first).await.map_err(|error| Refusal::Failed(error.to_string()))
        };
        if let Err(refusal) = up.await {
            self.never_came_up(&agent, &refusal).await;
            return Err(refusal);
        }
        Ok(agent)
    }

    /// What this machine has of walls, found out once, and said once where some are missing.
    pub(super) async fn confinement(&mut self) -> Confinement {
        if let Some(confinement) = self.confinement {
            return confinement;
        }
        let coverage = coverage(self.machine.helper.clone()).await;
        let confinement = coverage.confinement();
        if confinement != Confinement::Full {
            let not_held = coverage.not_held();
            tracing::warn!(?coverage, ?not_held, "some walls are missing");
            let text =
                "this machine does not have all walls for commands, so more is asked; see `swarm-ls doctor`";
            self.publish(vec![ClientEvent::Warning { text: text.to_owned() }]);
        }
        self.confinement = Some(confinement);
        confinement
    }

    /// Brings a member of the roster to life.
    pub(super) async fn start(&mut self, agent: &AgentId, state: Option<MemberState>) -> Result<(), Refusal> {
        let ground = self.ground_of(agent)?;
        let Some((view, own)) = self.roster.get(agent).map(|member| (member.view.clone(), &member.own))
        else {
            return Err(Refusal::Unknown(format!("there is no member `{agent}`")));
        };
        if let Some(backend) = self.backends.of(view.backend).await.map_err(unavailable)? {
            return self.start_process(agent, backend, ground, state).await;
        }
        let choice = self.choice(own);
        let (model, effort) = (choice.model.to_string(), own.effort.or(self.settings.effort));
        let (choice, choice_view) = watch::channel(choice);
        let (tools, about) = self.about(&view, &ground).await?;
        let Some(team) = &self.team else { return Err(Refusal::ShuttingDown) };
        let (dir, key, id) = (team.led.dir.clone(), team.led.key.clone(), agent.clone());
        let (color, file_watch) = (view.color.clone(), self.watch.clone());
        let folder = ground.cwd.clone();
        let opened = blocking(move || {
            team::open_member(&dir, Keys::of_here(&dir, &key, &id)?, color, &file_watch, &folder)
        });
        // The first time both wait, the one for the disk and the other for a process.
        let (opened, confinement) = tokio::join!(opened, self.confinement());
        let Opened { instructions, transcript, entries, conversations, letterbox, post, outputs } = opened?;
        let bounds = self.bounds_of(agent, &ground, confinement);
        let Some(team) = &mut self.team else { return Err(Refusal::ShuttingDown) };
        let shell = shell(&bounds, self.root.path(), &self.machine, confinement, team.shell.clone())?;
        let (bounds, bounds_view) = watch::channel(bounds);
        let (inbox, arrivals) = mpsc::unbounded_channel();
        let (wishes, wished) = mpsc::unbounded_channel();
        let (switch, life, post) = (TurnSwitch::default(), self.process.child_token(), Arc::new(post));
        let ports = Arc::new(HubPorts { events: self.events.clone() });
        let setup = Setup {
            agent: agent.clone(),
            color: view.color.clone(),
            cwd: ground.cwd.clone(),
            instructions: instructions + &about,
            tools,
            shell,
            outputs,
            transcript,
            entries,
            conversations,
            wishes: wished,
            choice: choice_view,
            bounds: bounds_view,
            inbox: Inbox::new(arrivals),
            post: post.clone(),
            reporter: Reporter { agent: agent.clone(), reports: self.reports.clone() },
            ask: ports.clone(),
            editor: self.editor.clone(),
            snapshots: snapshots(&ground, &team.checkpoints),
            team: agent.is_lead().then(|| ports.clone() as Arc<dyn swarm_agent::ports::Team>),
            switch: switch.clone(),
        };

        let task = if agent.is_lead() {
            team.lead_post = Some(post);
            let (mail, mut incoming) = mpsc::unbounded_channel();
            let (events, token) = (self.events.clone(), life.clone());
            let live = bounded(here(setup, life.clone()), life.clone());
            self.lives.spawn(async move {
                // The leader's mailbox is read by the hub, which gives its agent what is for the agent.
                let forward = async {
                    while let Some(arrival) = incoming.recv().await {
                        if events.send(Event::Mail(arrival)).await.is_err() {
                            return;
                        }
                    }
                };
                // What feeds the member ends when the member does.
                let (end, (), ()) = tokio::join!(live, letterbox.run(mail, token), forward);
                end
            })
        } else {
            let delivery = deliver(letterbox, setup.reporter.clone(), inbox.clone(), life.clone());
            let live = bounded(here(setup, life.clone()), life.clone());
            self.lives.spawn(async move {
                let (end, ()) = tokio::join!(live, delivery);
                end
            })
        };
        self.names.insert(task.id(), agent.clone());
        let live = Live {
            process: None,
            inbox,
            switch,
            wishes,
            bounds,
            choice,
            life,
            asked: HashSet::new(),
            killed: false,
            promised: HashSet::new(),
            heard: Instant::now(),
        };
        self.came_up(agent, live, (model, effort), state);
        Ok(())
    }

    /// What holds for a member's calls.
    pub(super) fn bounds_of(&self, agent: &AgentId, ground: &Ground, confinement: Confinement) -> Bounds {
        let member = self.roster.get(agent);
        let mode = member.map(|member| member.view.mode).unwrap_or_default();
        let rules = self.team.as_ref().map(|team| team.rules.clone()).unwrap_or_default();
        let mut bounds = Bounds::new(mode, rules, ground.cwd.clone());
        bounds.worktree.clone_from(&ground.worktree);
        for update in member.map(|member| member.session_rules.as_slice()).unwrap_or_default() {
            // Checked when it was remembered.
            let _ = bounds.rules.add(update);
        }
        bounds.trust = self.settings.trust;
        bounds.off_limits = vec![own_state(self.root.path())];
        bounds.secrets = secrets(&self.settings).unwrap_or_default();
        bounds.confinement = held(confinement);
        bounds
    }

    /// A member runs from now on.
    pub(super) fn came_up(
        &mut self,
        agent: &AgentId,
        live: Live,
        (model, effort): (String, Option<Effort>),
        state: Option<MemberState>,
    ) {
        let mut happened = Vec::new();
        if let Some(member) = self.roster.get_mut(agent) {
            member.live = Some(live);
            member.view.model = Some(model);
            member.view.effort = effort;
            member.view.asleep = false;
            member.view.state = state.unwrap_or(MemberState::Idle);
            happened.push(ClientEvent::MemberChanged { member: Box::new(member.view.clone()) });
        }
        self.publish(happened);
    }
}

/// A life in this process.
async fn here(setup: Setup, life: CancellationToken) -> Result<LifeEnd, String> {
    Ok(life::run(setup, life).await)
}

/// A life that ends soon after it was cancelled: time enough to write down where it was.
pub(super) async fn bounded(
    live: impl Future<Output = Result<LifeEnd, String>>,
    life: CancellationToken,
) -> Result<LifeEnd, String> {
    let overdue = async {
        life.cancelled().await;
        tokio::time::sleep(END_BOUND).await;
    };
    tokio::select! {
        end = live => end,
        () = overdue => Ok(LifeEnd::Cancelled),
    }
}

/// A backend that cannot be had.
fn unavailable(problem: String) -> Refusal {
    Refusal::Invalid { field: "backend".into(), problem }
}

/// The state root with links resolved, as paths of calls are.
pub(crate) fn own_state(root: &Path) -> PathBuf {
    root.canonicalize().unwrap_or_else(|_| root.to_owned())
}

/// What counts as a secret; an error names the pattern that is none.
pub(super) fn secrets(settings: &Settings) -> Result<Secrets, String> {
    Secrets::with(&settings.secrets).map_err(|error| format!("the setting `secrets` is passed over: {error}"))
}

/// How far the walls reach, as decisions see it.
fn held(confinement: Confinement) -> swarm_guard::Confinement {
    match confinement {
        Confinement::Full => swarm_guard::Confinement::Full,
        Confinement::Partial => swarm_guard::Confinement::FilesOnly,
        Confinement::Off => swarm_guard::Confinement::None,
    }
}

/// Does store work off the async threads.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, swarm_store::Error> + Send + 'static,
) -> Result<T, Refusal> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|lost| Refusal::Failed(lost.to_string()))?
        .map_err(|error| Refusal::Failed(error.to_string()))
}

/// What keeps the workspace before a member's turns. One with a branch of its own goes back with git.
pub(super) fn snapshots(ground: &Ground, checkpoints: &Arc<Checkpoints>) -> Arc<dyn Snapshots> {
    match ground.worktree {
        Some(_) => Arc::new(NoSnapshots),
        None => checkpoints.clone(),
    }
}

/// The walls around a member's commands. Blocks.
pub(crate) fn shell(
    bounds: &Bounds,
    root: &Path,
    machine: &Machine,
    confinement: Confinement,
    team: Arc<TeamShell>,
) -> Result<Shell, Refusal> {
    let policy = match &bounds.worktree {
        Some(worktree) => Policy::for_worktree(worktree, &machine.home),
        None => Policy::for_workspace(&bounds.workspace, &machine.home),
    };
    let mut policy = policy.map_err(|error| {
        Refusal::Failed(format!("no walls for commands in {}: {error}", bounds.workspace.display()))
    })?;
    policy.hidden.push(root.to_owned());
    policy.network = Network::Proxy;
    // Where there are no walls at all, they are asked for nevertheless, so that nothing runs.
    policy.confinement = if confinement == Confinement::Off { Confinement::Full } else { confinement };
    Ok(Shell::new(policy, machine.env.clone(), machine.helper.clone(), team))
}

/// The rules of one member beside the team's.
pub(super) fn add_rules(live: &Live, update: &swarm_wire::permission::RuleUpdate) {
    live.bounds.send_modify(|bounds| {
        if let Err(error) = bounds.rules.add(update) {
            tracing::error!(%error, "a checked rule was refused");
        }
    });
}
