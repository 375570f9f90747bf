//! Leads the workspace's team, or follows who leads it, as long as this server runs.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use swarm_store::{Root, TeamDir};
use swarm_wire::lsp::{Event as ClientEvent, StateResult};
use tokio::sync::{broadcast, mpsc, oneshot, watch};
use tokio::time::{Instant, sleep};
use tokio_util::task::AbortOnDropHandle;

use super::calls;
use super::door::House;
use super::link::{Left, Link};
use crate::command::{Command, Refusal};
use crate::event::Event;
use crate::handle::{EVENT_BACKLOG, Leader, Options};
use crate::hub::{Hub, Stop};
use crate::publish::Publisher;
use crate::team;

/// How often it is looked whether another server founded a team for the workspace, while there is none.
const LOOK: Duration = Duration::from_secs(1);
/// Between two tries to reach the leader, or to lead; later, when users were told that it does not answer.
const AGAIN: Duration = Duration::from_millis(200);
const AGAIN_LATE: Duration = Duration::from_secs(3);
/// How long what users want may wait for a leader that does not answer.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

// Short, so that a Neovim of 80 columns shows each without a prompt of its own.
const JOINED: &str = "joined the team that another editor leads";
const LEADS: &str = "the other editor is gone; this one leads now";

impl Leader {
    /// Starts the hub on the current tokio runtime. Takes up the workspace's team before it returns, so that
    /// the first snapshot knows it; one that another process leads is refused.
    pub fn start(options: Options) -> Self {
        let (leader, mut commands, house) = outside();
        let mut hub = Hub::new(&options, house);
        let notices = hub.resume();
        tokio::spawn(async move {
            hub.wake_up().await;
            loop {
                match hub.run(&mut commands).await {
                    Stop::Over(waits) => return end(hub, waits).await,
                    // It tries, and says why it cannot.
                    Stop::LedElsewhere(Some(command)) => hub.command(command).await,
                    Stop::LedElsewhere(None) => {}
                }
            }
        });
        Self { notices: notices.into(), ..leader }
    }

    /// As [`Leader::start`], but where another process leads the workspace's team, this one shows the same, passes on what
    /// its user wants, and leads when that one is gone. Blocks for two seconds at most.
    pub fn join(options: Options) -> Self {
        let (leader, commands, house) = outside();
        let (part, notices) = match led(&options) {
            None => {
                let mut hub = Hub::new(&options, house.clone());
                let notices = hub.resume();
                (Part::Leads(Box::new(hub), Vec::new()), notices)
            }
            Some(team) => match Link::open(&team) {
                Ok(link) => {
                    house.publisher.publish(|state| state.clone_from(&link.state), &link.team, Vec::new());
                    (Part::Follows(Box::new(link), Vec::new()), vec![JOINED.to_owned()])
                }
                Err(why) => (Part::Seeks(Vec::new()), vec![unreachable(&why)]),
            },
        };
        tokio::spawn(Server { options, house, commands }.run(part));
        Self { notices: notices.into(), ..leader }
    }
}

/// The handle, and what stands behind it.
fn outside() -> (Leader, mpsc::Receiver<Command>, House) {
    let (commands, inbox) = mpsc::channel(256);
    let (publish, snapshot) = watch::channel(Arc::new(StateResult::default()));
    let (events, _) = broadcast::channel(EVENT_BACKLOG);
    let house = House { commands: commands.downgrade(), publisher: Publisher::new(publish, events.clone()) };
    (Leader { commands, snapshot, events, notices: Arc::default() }, inbox, house)
}

async fn end(mut hub: Hub, waits: Option<oneshot::Sender<()>>) {
    hub.end().await;
    drop(hub);
    if let Some(waits) = waits {
        // Who asked for the end may not wait for it.
        let _ = waits.send(());
    }
}

/// What a server is to the team.
enum Part {
    /// With what its user wanted meanwhile.
    Leads(Box<Hub>, Vec<Command>),
    Follows(Box<Link>, Vec<Command>),
    /// It neither reaches the leader nor leads.
    Seeks(Vec<Command>),
}

/// What an attempt found.
enum Found {
    Leader(Box<Link>),
    /// This server leads.
    Lease(Box<Hub>),
}

/// One editor's server on a team that others may lead.
struct Server {
    options: Options,
    house: House,
    commands: mpsc::Receiver<Command>,
}

impl Server {
    async fn run(mut self, mut part: Part) {
        loop {
            part = match part {
                Part::Leads(mut hub, first) => {
                    hub.wake_up().await;
                    for command in first {
                        hub.command(command).await;
                    }
                    let _looks = self.look(&hub);
                    match hub.run(&mut self.commands).await {
                        Stop::Over(waits) => return end(*hub, waits).await,
                        Stop::LedElsewhere(command) => {
                            self.options.settings = hub.settings().clone();
                            hub.end().await;
                            Part::Seeks(command.into_iter().collect())
                        }
                    }
                }
                Part::Follows(link, first) => {
                    let publisher = self.house.publisher.clone();
                    match link.follow(&mut self.commands, first, &publisher, &mut self.options).await {
                        Left::Alone => Part::Seeks(Vec::new()),
                        Left::Over(waits) => {
                            // Who asked for the end may not wait for it.
                            let _ = waits.map(|waits| waits.send(()));
                            return;
                        }
                    }
                }
                Part::Seeks(held) => match self.seek(held).await {
                    Some(part) => part,
                    None => return,
                },
            };
        }
    }

    /// Looks for another server that founds the workspace's team, and tells the hub of it.
    fn look(&self, hub: &Hub) -> AbortOnDropHandle<()> {
        let (options, events) = (self.options.clone(), hub.events());
        AbortOnDropHandle::new(tokio::spawn(async move {
            let mut seen = None;
            loop {
                sleep(LOOK).await;
                let options = options.clone();
                let looked = tokio::task::spawn_blocking(move || {
                    let now = last_founded(&options.root);
                    (now, now != seen && led(&options).is_some())
                });
                let Ok((now, led)) = looked.await else { return };
                seen = now;
                if led && events.send(Event::LedElsewhere).await.is_err() {
                    return;
                }
            }
        }))
    }

    /// Follows who leads, or leads. `None` when this server is to end.
    async fn seek(&mut self, mut held: Vec<Command>) -> Option<Part> {
        let until = Instant::now() + PATIENCE;
        let mut was_told = false;
        loop {
            let why = match self.attempt().await {
                Ok(Found::Leader(link)) => {
                    self.house.publisher.publish(
                        |state| state.clone_from(&link.state),
                        &link.team,
                        Vec::new(),
                    );
                    self.warn(JOINED.to_owned());
                    return Some(Part::Follows(link, held));
                }
                Ok(Found::Lease(hub)) => return Some(Part::Leads(hub, held)),
                Err(why) => why,
            };
            let is_late = Instant::now() >= until;
            if is_late && !was_told {
                was_told = true;
                self.warn(unreachable(&why));
            }
            tokio::select! {
                () = sleep(if is_late { AGAIN_LATE } else { AGAIN }) => {}
                command = self.commands.recv() => match command {
                    Some(Command::Shutdown { reply }) => {
                        refuse(held, &Refusal::ShuttingDown);
                        let _ = reply.send(());
                        return None;
                    }
                    Some(Command::Configure { settings }) => self.options.settings = settings,
                    Some(command) => held.push(command),
                    None => return None,
                },
            }
            if is_late {
                refuse(std::mem::take(&mut held), &Refusal::Failed(unreachable(&why)));
            }
        }
    }

    /// One try; the error says why the leader is not reached.
    async fn attempt(&self) -> Result<Found, String> {
        let options = self.options.clone();
        let joined = tokio::task::spawn_blocking(move || led(&options).map(|team| Link::open(&team)));
        if let Some(link) = joined.await.map_err(|lost| lost.to_string())? {
            return Ok(Found::Leader(Box::new(link?)));
        }
        let mut hub = Hub::new(&self.options, self.house.clone());
        match hub.take_up_own() {
            Ok(notices) => {
                if let Some(team) = self.house.publisher.state().teams.first() {
                    self.house.publisher.changed_wholly(&team.name);
                }
                self.warn(LEADS.to_owned());
                notices.into_iter().for_each(|notice| self.warn(notice));
                Ok(Found::Lease(Box::new(hub)))
            }
            // Somebody else was faster.
            Err(error) => Err(team::refusal(&error)),
        }
    }

    fn warn(&self, text: String) {
        let team = self.house.publisher.state().teams.first().map(|team| team.name.clone());
        if let Some(team) = team {
            self.house.publisher.tell(&team, vec![ClientEvent::Warning { text }]);
        }
    }
}

fn refuse(held: Vec<Command>, refusal: &Refusal) {
    for command in held {
        calls::refuse(command, refusal.clone());
    }
}

fn unreachable(why: &str) -> String {
    format!("another editor leads this project's team, and cannot be reached: {why}; close it, or work there")
}

/// The team of the workspace, where somebody leads it.
fn led(options: &Options) -> Option<TeamDir> {
    team::led(&Root::at(&options.root), options.workspace.as_deref()?)
}

/// When the folder of the teams last changed.
fn last_founded(root: &Path) -> Option<SystemTime> {
    std::fs::metadata(root.join("teams")).and_then(|folder| folder.modified()).ok()
}
