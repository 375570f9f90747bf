//! A teammate in a process of its own: the same engine as in the leader's, with the mailbox in place of the hub.

mod outbox;
mod ports;
mod terminal;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use swarm_agent::conversation::Wish;
use swarm_agent::life::{self, LifeEnd, Setup, TurnSwitch};
use swarm_agent::{Arrival, Inbox, Incoming, Input, Letterbox, ModelChoice, Reporter, TeamShell, input_of};
use swarm_guard::Bounds;
use swarm_guard::exec::Confinement;
use swarm_store::mailbox::Content;
use swarm_store::{Lease, LiveLock, MemberKey, Root, Standing, TeamDir, Watch};
use swarm_wire::conversation::ConversationWish;
use swarm_wire::mail::Protocol;
use swarm_wire::process::{MemberModel, StartOrder, Walls};
use swarm_wire::{AgentId, RequestId, TeamName};
use tokio::sync::{mpsc, oneshot, watch};
use tokio_util::sync::CancellationToken;

use crate::command::Refusal;
use crate::handle::Machine;
use crate::hub::{own_choice, own_state, shell};
use crate::process::convert;
use crate::team::{self, Keys, Opened};
use outbox::Outbox;
use ports::MailPorts;
use terminal::{Keyboard, Show};
pub use terminal::{Seen, Terminal, Typed};

/// How long an earlier process of the same teammate may take to be gone.
const EARLIER_WAIT: Duration = Duration::from_secs(2);
/// How long the leader may take to let one go that agreed to end.
const FAREWELL: Duration = Duration::from_secs(5);

/// How often a teammate looks whether its team is led.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// Why a teammate's process cannot work.
#[derive(Debug, thiserror::Error)]
pub enum TeammateError {
    #[error("the order to start cannot be read; a teammate's process is started by its team's leader: {0}")]
    Order(swarm_store::Error),
    #[error("`{agent}` is not in the team `{team}`; there are: {members}")]
    NoMember { agent: AgentId, team: TeamName, members: String },
    #[error("{0}")]
    Store(#[from] swarm_store::Error),
    #[error("{0}")]
    Refused(#[from] Refusal),
    #[error("the start was cut off: {0}")]
    Lost(#[from] tokio::task::JoinError),
}

/// All that is read from the disk before a teammate lives.
struct Begun {
    order: StartOrder,
    opened: Opened,
    /// Says to all that this teammate lives.
    _live: LiveLock,
}

/// Lives as the teammate that the order in the file `handed` names, until `lifeline` is cancelled, it agreed to end or
/// the person at its terminal ended it.
///
/// # Errors
/// When the order cannot be followed; nothing of the teammate has run then.
pub async fn run(
    root: Root,
    handed: PathBuf,
    machine: Machine,
    terminal: Option<Terminal>,
    lifeline: CancellationToken,
) -> Result<(), TeammateError> {
    let (place, watch) = (root.clone(), Watch::new());
    let begun =
        tokio::task::spawn_blocking(move || begin(&place, &handed, &watch).map(|begun| (begun, watch)));
    // The watcher lives as long as the mailbox is read.
    let (Begun { order, opened, _live }, _watch) = begun.await??;
    let Opened { instructions, transcript, entries, conversations, letterbox, post, outputs } = opened;
    let (agent, post, state) = (order.agent.clone(), Arc::new(post), own_state(root.path()));
    let bounds = convert::bounds_of(&order.bounds, order.cwd.clone(), state.clone());
    let (choice, choice_view) = watch::channel(own_choice(&order.model));
    let (inbox, arrivals) = mpsc::unbounded_channel();
    let (wishes, wished) = mpsc::unbounded_channel();
    let (reports, reported) = mpsc::channel(1024);
    let (requests, requested) = mpsc::channel(64);
    let (seen, typed) = terminal.map(|terminal| (terminal.seen, terminal.typed)).unzip();
    let show = Show(seen);
    show.show(|| Seen::Begun { agent: agent.clone(), color: order.color.clone() });
    let ports = Arc::new(MailPorts::new(requests, show.clone(), order.editor_knows));
    let team = Arc::new(TeamShell::new(
        machine.caches.as_ref().map(|caches| caches.join(agent.team.as_str().to_ascii_lowercase())),
    ));
    let shell = shell(&bounds, root.path(), &machine, walls(order.bounds.walls), team)?;
    let (bounds, bounds_view) = watch::channel(bounds);
    let switch = TurnSwitch::default();
    let setup = Setup {
        agent: agent.clone(),
        color: order.color,
        cwd: order.cwd.clone(),
        instructions: instructions + &order.about_kind,
        tools: order.tools,
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
        reporter: Reporter { agent: agent.clone(), reports },
        ask: ports.clone(),
        editor: ports.clone(),
        snapshots: ports.clone(),
        team: None,
        switch: switch.clone(),
    };
    let wait = Duration::from_secs(order.leaderless_seconds);
    tokio::spawn(follow(root.team(&agent.team), wait, show.clone(), lifeline.clone()));
    let keyboard = Keyboard {
        ports: ports.clone(),
        switch: switch.clone(),
        show: show.clone(),
        is_held: order.bounds.walls == Walls::Full,
    };
    let outbox = Outbox::new(post, agent, show.clone());
    let desk = Desk { root, cwd: order.cwd, state, bounds, choice, inbox, wishes, ports, switch, show };
    let life = lifeline.child_token();
    let sending = tokio::spawn(outbox.run(reported, requested));
    let lived = async {
        let end = life::run(setup, life.clone()).await;
        life.cancel();
        end
    };
    let (end, (), is_ended_here) =
        tokio::join!(lived, desk.run(letterbox, life.clone()), keyboard.run(typed, life.clone()));
    // The member is gone and with it all who report; what they said is sent before the last word.
    let outbox = sending.await?;
    if end == LifeEnd::Agreed || is_ended_here {
        outbox.farewell().await;
        // The leader ends the process once it has read that.
        let _ = tokio::time::timeout(FAREWELL, lifeline.cancelled()).await;
    }
    Ok(())
}

/// Ends the teammate once its team was without a leader for so long, which it sees by the lease.
async fn follow(dir: TeamDir, wait: Duration, show: Show, lifeline: CancellationToken) {
    let mut alone: Option<Instant> = None;
    loop {
        let team = dir.clone();
        let led = tokio::task::spawn_blocking(move || Lease::holder(&team)).await;
        let is_led = match led {
            Ok(Ok(holder)) => holder.is_alive(),
            Ok(Err(error)) => {
                tracing::warn!(%error, "whether the team is led is not known");
                true
            }
            Err(_) => true,
        };
        match alone {
            None if !is_led => {
                show.show(|| Seen::Leaderless(wait));
                alone = Some(Instant::now());
            }
            Some(_) if is_led => {
                show.show(|| Seen::LedAgain);
                alone = None;
            }
            Some(since) if since.elapsed() >= wait => return lifeline.cancel(),
            _ => {}
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

/// Takes the order, and the teammate's place. Blocks.
fn begin(root: &Root, handed: &Path, watch: &Watch) -> Result<Begun, TeammateError> {
    let (key, order): (MemberKey, StartOrder) =
        MemberKey::take(root, handed).map_err(TeammateError::Order)?;
    let dir = root.team(&order.agent.team);
    let members = dir.read()?.members;
    if !members.iter().any(|member| member.agent_id == order.agent) {
        let names: Vec<&str> = members.iter().map(|member| member.name.as_str()).collect();
        let (agent, team) = (order.agent.clone(), order.agent.team.clone());
        return Err(TeammateError::NoMember { agent, team, members: names.join(", ") });
    }
    let live = live_lock(&dir, &order.agent)?;
    let opened = team::open_member(&dir, Keys::of_own(&key), order.color.clone(), watch, &order.cwd)?;
    Ok(Begun { order, opened, _live: live })
}

/// The right to live as this teammate, once an earlier process of it is gone. Blocks.
fn live_lock(dir: &TeamDir, agent: &AgentId) -> Result<LiveLock, swarm_store::Error> {
    let until = Instant::now() + EARLIER_WAIT;
    loop {
        match LiveLock::take(dir, agent) {
            Err(error) if error.is_held() && Instant::now() < until => {
                #[expect(
                    clippy::disallowed_methods,
                    reason = "the kernel wakes nobody for a record lock in time"
                )]
                std::thread::sleep(Duration::from_millis(20));
            }
            taken => return taken,
        }
    }
}

/// The walls as they were found by the leader.
fn walls(walls: Walls) -> Confinement {
    match walls {
        Walls::Full => Confinement::Full,
        Walls::FilesOnly => Confinement::Partial,
        Walls::None => Confinement::Off,
    }
}

/// Takes the teammate's mail: what is for its model goes to the inbox, the leader's word holds at once.
struct Desk {
    root: Root,
    cwd: PathBuf,
    state: PathBuf,
    bounds: watch::Sender<Bounds>,
    choice: watch::Sender<ModelChoice>,
    inbox: mpsc::UnboundedSender<Input>,
    wishes: mpsc::UnboundedSender<Wish>,
    ports: Arc<MailPorts>,
    switch: TurnSwitch,
    show: Show,
}

impl Desk {
    async fn run(self, letterbox: Letterbox, life: CancellationToken) {
        let (taker, mut arrivals) = mpsc::unbounded_channel();
        let sort = async {
            while let Some(arrival) = arrivals.recv().await {
                match arrival {
                    Arrival::Message(incoming) => self.take(*incoming).await,
                    Arrival::Refused(text) => self.ports.warn(text).await,
                }
            }
        };
        tokio::join!(letterbox.run(taker, life), sort);
        // Nothing is read any more, so nothing is answered.
        self.ports.close();
    }

    async fn take(&self, incoming: Incoming) {
        self.show_mail(&incoming);
        let Incoming { message, standing, content, receipt, .. } = match input_of(incoming) {
            Ok(input) => {
                // A member that ended leaves its mail unread.
                let _ = self.inbox.send(input);
                return;
            }
            Err(incoming) => *incoming,
        };
        let obeyed = match content {
            Content::Protocol(protocol) if standing == Standing::Leader => self.obey(*protocol).await,
            _ => false,
        };
        if !obeyed {
            tracing::warn!(from = message.from, "mail that a teammate does not take");
            self.ports.warn(format!("a teammate does not take this mail from {}", message.from)).await;
        }
        receipt.acknowledge().await;
    }

    fn show_mail(&self, incoming: &Incoming) {
        let text = match &incoming.content {
            Content::Text => incoming.message.text.clone(),
            Content::Protocol(protocol) => match protocol.as_ref() {
                Protocol::UserMessage { text, .. } => text.clone(),
                Protocol::TaskAssigned { task } => format!("a task: {}", task.subject),
                Protocol::ShutdownRequest { reason, .. } => {
                    format!("please end: {}", reason.as_deref().unwrap_or("no reason given"))
                }
                _ => return,
            },
            Content::Opaque { .. } => return,
        };
        self.show.show(|| Seen::Heard { from: incoming.message.from.clone(), text });
    }

    /// The member answers between its turns, and mail is read meanwhile.
    fn converse(&self, request_id: RequestId, wish: ConversationWish) {
        let (done, outcome) = oneshot::channel();
        // A member that ended is in no conversation; the leader sees its end.
        let _ = self.wishes.send(Wish { wish, done });
        let ports = self.ports.clone();
        tokio::spawn(async move {
            if let Ok(outcome) = outcome.await {
                ports.conversed(request_id, outcome).await;
            }
        });
    }

    /// Does what the leader says; false for what is not its to say.
    async fn obey(&self, message: Protocol) -> bool {
        match message {
            Protocol::RulesUpdate { bounds } => {
                let bounds = convert::bounds_of(&bounds, self.cwd.clone(), self.state.clone());
                self.bounds.send_replace(bounds);
            }
            Protocol::ModelUpdate { file } => {
                let root = self.root.clone();
                let taken = tokio::task::spawn_blocking(move || root.take_over::<MemberModel>(file.as_ref()));
                match taken.await {
                    Ok(Ok(model)) => _ = self.choice.send_replace(own_choice(&model)),
                    // It was taken before, and this is its mail again.
                    Ok(Err(error)) if error.is_not_found() => {}
                    Ok(Err(error)) => self.ports.warn(format!("the model stays as it was: {error}")).await,
                    Err(lost) => tracing::error!(%lost, "the model stays as it was"),
                }
            }
            Protocol::Interrupt { turns, .. } => {
                self.switch.interrupt(&turns.into_iter().collect());
            }
            Protocol::LeaderChanged => self.ports.again().await,
            Protocol::Compact { .. } => self.switch.compact(),
            Protocol::Converse { request_id, wish } => self.converse(request_id, wish),
            Protocol::PermissionResponse(answer) => self.ports.answered(answer),
            Protocol::PermissionWithdraw { request_id } => self.ports.taken_back(&request_id),
            Protocol::LeaderResponse { request_id, answer } => self.ports.done(&request_id, answer),
            _ => return false,
        }
        true
    }
}
