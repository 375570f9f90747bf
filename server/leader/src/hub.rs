//! The one loop that owns all state of the team. Everyone else has a snapshot or sends a command.

mod checkpoints;
mod commands;
mod conversations;
mod endings;
mod kinds;
mod mail;
mod members;
mod models;
mod modes;
mod plans;
mod processes;
mod provider;
mod pulse;
mod reports;
mod rules;
mod spending;
mod tasks;
mod teams;
mod waking;
mod worktrees;

pub(crate) use members::{own_state, shell};
pub(crate) use models::Own;
pub use models::home_of;
pub(crate) use models::own_choice;
pub(crate) use plans::{is_plan, plan_of};
pub use rules::PROJECT_RULES;
pub use spending::BUDGET;
pub(crate) use spending::Whose;
use worktrees::Spawner;
pub(crate) use worktrees::Wanted;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use swarm_agent::life::LifeEnd;
use swarm_agent::{Arrival, Input, Post, Report, TeamShell};
use swarm_guard::Rules;
use swarm_guard::exec::Confinement;
use swarm_model::Client;
use swarm_store::{Origin, Root, Watch};
use swarm_wire::lsp::{Event as ClientEvent, MemberState, StateResult};
use swarm_wire::settings::Settings;
use swarm_wire::task::Task;
use swarm_wire::{AgentId, TeamName};
use tokio::sync::{mpsc, oneshot};
use tokio::task::{Id, JoinSet};
use tokio_util::sync::CancellationToken;

use crate::backend::Backends;
use crate::checkpoints::Checkpoints;
use crate::command::{Command, Prompt, Refusal};
use crate::event::Event;
use crate::handle::{Machine, Options, Session};
use crate::permissions::Queue;
use crate::publish::Publisher;
use crate::relay::door::{House, OpenDoor};
use crate::relay::editors::Editors;
use crate::roster::{Roster, at_work};
use crate::team::{self, Led};

/// The team, once there is one.
struct Team {
    led: Led,
    queue: Queue,
    /// The user's way into the mailboxes.
    user: swarm_store::Sender,
    /// The leader's agent's; set while that lives.
    lead_post: Option<Arc<Post>>,
    shell: Arc<TeamShell>,
    checkpoints: Arc<Checkpoints>,
    /// What scope `team` remembers.
    rules: Rules,
    /// The list as it was last read.
    tasks: Vec<Task>,
    /// Where other editors' servers come in; none where it could not be opened.
    door: Option<OpenDoor>,
}

/// Why the hub stopped taking commands.
pub(crate) enum Stop {
    /// It is to end; who waits for that.
    Over(Option<oneshot::Sender<()>>),
    /// It has no team, and another process leads that of the workspace: the command is not done.
    LedElsewhere(Option<Command>),
}

pub(crate) struct Hub {
    root: Root,
    workspace: Option<PathBuf>,
    settings: Settings,
    /// What is asked where the settings name nobody.
    found: Option<provider::Found>,
    /// All members ask through it.
    client: Arc<Client>,
    machine: Machine,
    editor: Arc<Editors>,
    session: Session,
    publisher: Publisher,
    house: House,
    /// Somebody said so while there was no team.
    is_led_elsewhere: bool,
    watch: Watch,
    team: Option<Team>,
    /// What this machine has of walls, once it was found out.
    confinement: Option<Confinement>,
    roster: Roster,
    events: mpsc::Sender<Event>,
    event_inbox: mpsc::Receiver<Event>,
    reports: mpsc::Sender<(AgentId, Report)>,
    report_inbox: mpsc::Receiver<(AgentId, Report)>,
    /// Each ends with how its member did, or with why it never came up.
    lives: JoinSet<Result<LifeEnd, String>>,
    backends: Backends,
    /// Processes of an earlier leader that nobody has seen to yet.
    left: processes::Left,
    /// What is to happen later.
    timers: JoinSet<Event>,
    /// What clients' spawn calls made, so that the same call makes nothing twice.
    spawned: HashMap<String, AgentId>,
    /// Teammates whose worktrees are being made.
    making: HashSet<AgentId>,
    names: HashMap<Id, AgentId>,
    /// Notices for the leader's agent that wait for others, so that several cost one request.
    notices: Vec<Input>,
    pulse: pulse::Pulse,
    sources: rules::Sources,
    purse: spending::Purse,
    process: CancellationToken,
}

impl Hub {
    pub(crate) fn new(options: &Options, house: House) -> Self {
        let (events, event_inbox) = mpsc::channel(256);
        let (reports, report_inbox) = mpsc::channel(1024);
        let canonical = |path: &PathBuf| path.canonicalize().unwrap_or_else(|_| path.clone());
        Self {
            root: Root::at(&options.root),
            workspace: options.workspace.as_ref().map(canonical),
            found: None,
            client: Arc::new(models::client(&options.settings)),
            settings: options.settings.clone(),
            backends: Backends::new(options.terminals.clone(), &options.machine.started_in),
            machine: options.machine.clone(),
            editor: Arc::new(Editors::new(options.editor.clone())),
            session: options.session.clone(),
            publisher: house.publisher.clone(),
            house,
            is_led_elsewhere: false,
            watch: Watch::new(),
            team: None,
            confinement: None,
            roster: Roster::default(),
            events,
            event_inbox,
            reports,
            report_inbox,
            lives: JoinSet::new(),
            left: processes::Left::default(),
            timers: JoinSet::new(),
            spawned: HashMap::new(),
            making: HashSet::new(),
            names: HashMap::new(),
            notices: Vec::new(),
            pulse: pulse::Pulse::default(),
            sources: rules::Sources::default(),
            purse: spending::Purse::default(),
            process: CancellationToken::new(),
        }
    }

    /// Takes up the team of this workspace, if it has one: its members are known, none runs. Gives what the user
    /// should hear of it.
    pub(crate) fn resume(&mut self) -> Vec<String> {
        // The first prompt tries again, and is refused with the reason.
        self.take_up_own().unwrap_or_else(|error| vec![team::refusal(&error)])
    }

    /// The same, where it matters whether that failed. [`swarm_store::Error::is_held`] when another process leads the team.
    pub(crate) fn take_up_own(&mut self) -> Result<Vec<String>, swarm_store::Error> {
        let Some(workspace) = self.workspace.clone() else { return Ok(Vec::new()) };
        let mut notices: Vec<String> = members::secrets(&self.settings).err().into_iter().collect();
        self.root.prepare()?;
        if let Some(led) = team::resume(&self.root, &workspace, &mut notices)? {
            notices.extend(self.adopt(led));
        }
        Ok(notices)
    }

    /// Makes a team this hub's own; gives what the user should hear of it.
    fn adopt(&mut self, led: Led) -> Vec<String> {
        let workspace = Path::new(&led.file.workspace);
        let (rules, mut notices) =
            team::standing_rules(&self.root, workspace, &led.file, &self.session.rules);
        for entry in &led.file.members {
            self.roster.add(members::not_running(&led.file.name, entry));
        }
        let lead = self.roster.get_mut(&led.file.lead_agent_id);
        if let (Some(lead), Some(mode)) = (lead, self.session.mode) {
            lead.view.mode = mode;
        }
        notices.extend(self.mark_left(&led));
        notices.extend(self.mark_interrupted(&led.dir));
        let members: Vec<AgentId> = led.file.members.iter().map(|member| member.agent_id.clone()).collect();
        let (tasks, unread) = Self::tasks_left(&led.dir, &members);
        notices.extend(unread);
        let user = led.dir.sender(Origin::User, led.lease.epoch()).sealed(led.key.signer());
        let queue = Queue::new(led.dir.permissions());
        match queue.withdraw_left(&self.left.alive) {
            Ok(left) => notices.extend(left.iter().map(|request| {
                let (name, what) = (&request.worker_name, &request.description);
                format!("the server ended while {name} asked: {what}. The question is taken back, and nothing ran.")
            })),
            Err(error) => notices.push(format!("questions of an earlier server could not be taken back: {error}")),
        }
        let folder = led.file.name.as_str().to_ascii_lowercase();
        let caches = self.machine.caches.as_ref().map(|caches| caches.join(folder));
        let shell = Arc::new(TeamShell::new(caches));
        let checkpoints = Arc::new(Checkpoints::new(
            workspace,
            led.dir.path(),
            led.file.name.as_str(),
            self.editor.clone(),
            self.events.clone(),
        ));
        let door = OpenDoor::open(&led.dir, &led.lease, self.house.clone(), self.editor.clone());
        let door =
            door.map_err(|why| notices.push(format!("other editors cannot join this team: {why}"))).ok();
        self.team = Some(Team { led, queue, user, lead_post: None, shell, checkpoints, rules, tasks, door });
        self.purse.team = self.team.as_ref().and_then(|team| team.led.file.spent).unwrap_or_default();
        self.settle_models();
        self.publish(Vec::new());
        notices
    }

    /// Has what was left of the team go on. Comes before [`Hub::run`], once.
    pub(crate) async fn wake_up(&mut self) {
        self.refresh_rules().await;
        self.take_up_processes().await;
        self.go_on().await;
        self.after(pulse::EVERY, Event::Pulse);
    }

    /// Takes what happens and what is asked, until it is to end or another process leads.
    pub(crate) async fn run(&mut self, commands: &mut mpsc::Receiver<Command>) -> Stop {
        let mut reported = Vec::new();
        loop {
            tokio::select! {
                // What members report comes before what is asked, so that answers know of it.
                biased;
                1.. = self.report_inbox.recv_many(&mut reported, reports::AT_ONCE) => {
                    self.reported(&mut reported).await;
                }
                Some(event) = self.event_inbox.recv() => self.take(event).await,
                Some(ended) = self.lives.join_next_with_id(), if !self.lives.is_empty() => self.joined(ended).await,
                Some(Ok(event)) = self.timers.join_next(), if !self.timers.is_empty() => self.take(event).await,
                command = commands.recv() => match command {
                    Some(Command::Shutdown { reply }) => return Stop::Over(Some(reply)),
                    Some(command) if self.is_led_elsewhere().await => {
                        return Stop::LedElsewhere(Some(command));
                    }
                    Some(command) => self.command(command).await,
                    None => return Stop::Over(None),
                },
            }
            if std::mem::take(&mut self.is_led_elsewhere) {
                return Stop::LedElsewhere(None);
            }
        }
    }

    /// Whether another process leads this workspace's team.
    async fn is_led_elsewhere(&self) -> bool {
        let (None, Some(workspace)) = (&self.team, self.workspace.clone()) else { return false };
        let root = self.root.clone();
        let led = tokio::task::spawn_blocking(move || team::led(&root, &workspace).is_some());
        led.await.unwrap_or(false)
    }

    pub(crate) fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Where what happens elsewhere is told.
    pub(crate) fn events(&self) -> mpsc::Sender<Event> {
        self.events.clone()
    }

    /// Ends every member; returns when none runs any more.
    pub(crate) async fn end(&mut self) {
        self.leave_terminals();
        self.process.cancel();
        self.mark_led().await;
        // Members may report while they end, and must not wait for a hub that no longer listens.
        self.report_inbox.close();
        self.event_inbox.close();
        while self.lives.join_next().await.is_some() {}
        self.none_active().await;
        self.unplaced().await;
        if let Some(door) = self.team.as_mut().and_then(|team| team.door.take()) {
            door.close().await;
        }
    }

    async fn take(&mut self, event: Event) {
        match event {
            Event::Asked { request, check, answer } => self.asked(*request, check, answer).await,
            Event::Withdrawn { id, done } => {
                self.withdraw(&id).await;
                // A member that is being ended does not wait.
                let _ = done.send(());
            }
            Event::Spawn { request, reply } => {
                self.begin(Wanted { request, color: None, spawner: Spawner::Agent(reply) }).await;
            }
            Event::WorktreeMade { agent, wanted, made } => self.worktree_made(agent, *wanted, made).await,
            Event::WorktreeSettled { agent, ended, settled } => {
                self.worktree_settled(&agent, ended, settled).await;
            }
            Event::ModeOfType { agent_type, reply } => {
                let kind = self.kind(Some(&agent_type)).await.map_err(|refusal| refusal.to_string());
                let _ = reply.send(kind.map(|kind| kind.and_then(|kind| kind.mode)));
            }
            Event::Modes { reply } => {
                let modes = self.roster.iter().map(|member| (member.view.agent_id.clone(), member.view.mode));
                // A turn that was interrupted meanwhile does not wait.
                let _ = reply.send(modes.collect());
            }
            Event::SetModes { modes, reply } => {
                let _ =
                    reply.send(self.set_modes_for_model(modes).await.map_err(|refusal| refusal.to_string()));
            }
            Event::ReviewPlan { name, approve, feedback, reply } => {
                let reviewed = self.review_plan(&name, approve, feedback).await;
                let _ = reply.send(reviewed.map_err(|refusal| refusal.to_string()));
            }
            Event::RequestShutdown { name, reason, reply } => {
                let asked = self.request_shutdown(&name, reason).await;
                let _ = reply.send(asked.map_err(|refusal| refusal.to_string()));
            }
            Event::GiveNotices => {
                for notice in std::mem::take(&mut self.notices) {
                    self.give_lead(notice).await;
                }
            }
            Event::TrustAnswered { hash, trusted } => self.trust_answered(hash, trusted).await,
            Event::Allowance { agent, reply } => self.allow_request(agent, reply).await,
            Event::BudgetAnswered { whose, allowed } => self.budget_answered(whose, allowed).await,
            Event::Pulse => {
                self.refresh_rules().await;
                self.beat().await;
            }
            Event::WriteActive => self.write_active().await,
            Event::Overdue(agent) => self.kill(&agent),
            Event::Forget(agent) => {
                self.roster.forget(&agent);
                self.publish(Vec::new());
            }
            Event::ProcessesLeft => self.take_up_processes().await,
            Event::Placed { agent, handle } => self.placed(&agent, handle).await,
            Event::Typed { agent, text, reply } => {
                let prompt = Prompt { text, member: Some(agent.to_string()), ..Prompt::default() };
                let prompted = self.prompt(prompt).await.map(drop).map_err(|refusal| refusal.to_string());
                // A process that ended meanwhile does not wait.
                let _ = reply.send(prompted);
            }
            Event::AnsweredThere { agent, id, answer, reply } => {
                let _ = reply.send(self.answered_there(&agent, &id, answer).await);
            }
            Event::Tell(event) => self.publish(vec![*event]),
            Event::LedElsewhere => self.is_led_elsewhere = self.team.is_none(),
            Event::Mail(Arrival::Message(incoming)) => self.mail(*incoming).await,
            Event::Mail(Arrival::Refused(text)) => self.publish(vec![ClientEvent::Warning { text }]),
        }
    }

    /// Shows the state as it is now, then what led to it.
    fn publish(&self, happened: Vec<ClientEvent>) {
        let Some(team) = &self.team else { return };
        let name = &team.led.file.name;
        // In a large team most of it is as it was, and is left so.
        let change = |state: &mut StateResult| {
            state.teams = vec![self.team_view(team)];
            self.roster.show_in(&mut state.members);
            team.queue.show_in(&mut state.permissions);
            state.plans = team.queue.plans();
            if state.tasks != team.tasks {
                state.tasks.clone_from(&team.tasks);
            }
        };
        self.publisher.publish(change, name, happened);
    }

    fn team_name(&self) -> Option<TeamName> {
        self.team.as_ref().map(|team| team.led.file.name.clone())
    }

    /// Checks the team that a client names: there is one at most.
    fn check_team(&self, named: Option<&str>) -> Result<(), Refusal> {
        let have = self.team_name();
        match (named, &have) {
            (None, _) => Ok(()),
            (Some(named), Some(have)) if have.as_str().eq_ignore_ascii_case(named) => Ok(()),
            (Some(named), Some(have)) => {
                Err(Refusal::Unknown(format!("there is no team `{named}`; there is: {have}")))
            }
            (Some(named), None) => Err(Refusal::Unknown(format!(
                "there is no team `{named}`; there is none yet, the first prompt makes one"
            ))),
        }
    }

    /// Sets who waits for the user, after questions came or went.
    fn settle_waiting(&mut self, agent: &AgentId) -> Vec<ClientEvent> {
        let waits = self.team.as_ref().is_some_and(|team| team.queue.waits(agent));
        let works = self.roster.get(agent).is_some_and(|member| member.view.turn_id.is_some());
        match (waits, works) {
            _ if self.purse.holds(agent) => self.roster.set_state(agent, MemberState::Paused),
            (true, _) => self.roster.set_state(agent, MemberState::Waiting),
            (false, true) => {
                let mode = self.roster.get(agent).map(|member| member.view.mode).unwrap_or_default();
                self.roster.set_state(agent, at_work(mode))
            }
            (false, false) => Vec::new(),
        }
    }
}
