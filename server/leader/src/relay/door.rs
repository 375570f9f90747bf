//! The leader's side: whoever comes with the token sees what this server's own editor sees, and may want what its user may.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use swarm_store::{Door, Lease, TeamDir};
use swarm_wire::lsp::StateResult;
use swarm_wire::process::LeaderAnswer;
use swarm_wire::relay::{Answered, Call, FromLeader, Hello, ToLeader, VERSION};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{broadcast, mpsc, oneshot, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until, timeout};
use tokio_util::task::AbortOnDropHandle;

use super::editors::{Editors, Place, Wanted};
use super::{Incoming, Outgoing, calls, ways};
use crate::command::Command;
use crate::handle::TeamEvent;
use crate::publish::Publisher;

/// How long who comes may take to say who it is.
const HELLO_WAIT: Duration = Duration::from_secs(2);
/// What happens within this time goes as one state with its events.
const GATHER: Duration = Duration::from_millis(20);
/// After a connection that could not be taken, such as for want of file descriptors.
const AGAIN: Duration = Duration::from_secs(1);

/// What the door leads to.
#[derive(Clone)]
pub(crate) struct House {
    /// It keeps no hub alive.
    pub(crate) commands: mpsc::WeakSender<Command>,
    pub(crate) publisher: Publisher,
}

/// The open door; dropping it ends all connections.
pub(crate) struct OpenDoor {
    serving: AbortOnDropHandle<()>,
}

impl OpenDoor {
    /// Opens the door of the team that `lease` leads.
    pub(crate) fn open(
        team: &TeamDir,
        lease: &Lease,
        house: House,
        editors: Arc<Editors>,
    ) -> Result<Self, String> {
        let (door, listener) = Door::open(team, lease).map_err(|error| error.to_string())?;
        let listener = listener
            .set_nonblocking(true)
            .and_then(|()| UnixListener::from_std(listener))
            .map_err(|error| error.to_string())?;
        Ok(Self {
            serving: AbortOnDropHandle::new(tokio::spawn(serve(Arc::new(door), listener, house, editors))),
        })
    }

    /// Closes it; nothing of it is left when this returns.
    pub(crate) async fn close(self) {
        self.serving.abort();
        // That it was aborted is what it ends with.
        let _ = self.serving.await;
    }
}

async fn serve(door: Arc<Door>, listener: UnixListener, house: House, editors: Arc<Editors>) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    let (door, house, editors) = (door.clone(), house.clone(), editors.clone());
                    connections.spawn(async move {
                        if let Err(why) = greet(stream, &door, &house, &editors).await {
                            tracing::info!(why, "another editor's server left");
                        }
                    });
                }
                Err(error) => {
                    tracing::warn!(%error, "another editor's server could not be let in");
                    sleep(AGAIN).await;
                }
            },
            Some(_) = connections.join_next(), if !connections.is_empty() => {}
        }
    }
}

/// Serves one server that came, until it leaves.
async fn greet(stream: UnixStream, door: &Door, house: &House, editors: &Arc<Editors>) -> Result<(), String> {
    let (mut incoming, mut outgoing) = ways(stream, &[]);
    let hello = timeout(HELLO_WAIT, incoming.next::<Hello>()).await;
    let hello = hello.map_err(|_| "it did not say who it is".to_owned())??;
    let refused = if hello.version != VERSION {
        Some("the editors run different versions of swarm-ls; let both run the newer one".to_owned())
    } else if !door.takes(&hello.token) {
        Some("the token is not this leader's".to_owned())
    } else {
        None
    };
    if let Some(why) = refused {
        outgoing.send(&FromLeader::Refused { why: why.clone() }).await?;
        return Err(why);
    }
    tracing::info!("another editor joined");
    let (place, wanted) = editors.join();
    let (events, mut state) = house.publisher.subscribe();
    state.mark_changed();
    let (next, asked) = (Instant::now(), JoinSet::new());
    let guest =
        Guest { outgoing, place, state, gathered: Vec::new(), next, asked, waiting: HashMap::new(), last: 0 };
    guest.serve(incoming, events, wanted, &house.commands).await
}

/// A server that joined.
struct Guest {
    outgoing: Outgoing,
    place: Place,
    state: watch::Receiver<Arc<StateResult>>,
    /// What happened since the last state went.
    gathered: Vec<FromLeader>,
    /// When that is to go.
    next: Instant,
    /// What its user wants of the hub.
    asked: JoinSet<(u64, Answered)>,
    /// What is wanted of its editor.
    waiting: HashMap<u64, oneshot::Sender<LeaderAnswer>>,
    last: u64,
}

impl Guest {
    async fn serve(
        mut self,
        mut incoming: Incoming,
        mut events: broadcast::Receiver<TeamEvent>,
        mut wanted: mpsc::Receiver<Wanted>,
        commands: &mpsc::WeakSender<Command>,
    ) -> Result<(), String> {
        loop {
            let has_news = !self.gathered.is_empty() || self.state.has_changed().unwrap_or(false);
            tokio::select! {
                message = incoming.next::<ToLeader>() => match message? {
                    ToLeader::Call { id, call } => self.ask(id, *call, commands),
                    ToLeader::Editor { id, answer } => {
                        self.place.is_heard();
                        if let Some(waiting) = self.waiting.remove(&id) {
                            // Whoever wanted it may not wait any more.
                            let _ = waiting.send(answer);
                        }
                    }
                },
                Some(Ok((id, answer))) = self.asked.join_next(), if !self.asked.is_empty() => {
                    // What the answer speaks of is known where it is read.
                    self.tell().await?;
                    self.outgoing.send(&FromLeader::Answer { id, answer }).await?;
                }
                event = events.recv() => match event {
                    Ok(TeamEvent { team, event }) => {
                        self.gathered.push(FromLeader::Event { team, event: Box::new(event) });
                    }
                    Err(RecvError::Lagged(count)) => self.gathered.push(FromLeader::Missed { count }),
                    Err(RecvError::Closed) => return Ok(()),
                },
                changed = self.state.changed(), if !has_news => {
                    changed.map_err(|_| "the hub ended".to_owned())?;
                    self.state.mark_changed();
                }
                () = sleep_until(self.next), if has_news => self.tell().await?,
                Some(Wanted { call, answer }) = wanted.recv() => {
                    self.waiting.retain(|_, waiting| !waiting.is_closed());
                    self.last += 1;
                    self.waiting.insert(self.last, answer);
                    self.outgoing.send(&FromLeader::Editor { id: self.last, call }).await?;
                }
            }
        }
    }

    fn ask(&mut self, id: u64, call: Call, commands: &mpsc::WeakSender<Command>) {
        let commands = commands.upgrade();
        self.asked.spawn(async move {
            match commands {
                Some(commands) => (id, calls::ask(&commands, call).await),
                None => (id, Answered::ShuttingDown),
            }
        });
    }

    /// Sends the state as of now where it changed, then what led to it.
    async fn tell(&mut self) -> Result<(), String> {
        self.next = Instant::now() + GATHER;
        if self.state.has_changed().unwrap_or(false) {
            let state = Box::new(self.state.borrow_and_update().as_ref().clone());
            self.outgoing.send(&FromLeader::State { state }).await?;
        }
        for message in std::mem::take(&mut self.gathered) {
            self.outgoing.send(&message).await?;
        }
        Ok(())
    }
}
