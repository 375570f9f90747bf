//! Where a teammate's process runs, and whether it lives: what holds its lock is the process.

use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use swarm_store::{Holder, LiveLock, TeamDir};
use swarm_wire::AgentId;

use crate::backend::{Backend, Handle, Launch};
use crate::command::{Refusal, Reply};

/// How long it may take from its start until it lives.
const UP_BOUND: Duration = Duration::from_secs(20);
/// How often its lock is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// How long the place may take to say why it is gone.
const WHY_BOUND: Duration = Duration::from_millis(200);
/// How long it may take to be shown or hidden.
const SHOW_BOUND: Duration = Duration::from_secs(10);
/// How long a place may take to close.
const CLOSE_BOUND: Duration = Duration::from_millis(300);
/// How long a process may take to end with its place.
const END_BOUND: Duration = Duration::from_millis(300);

/// A process and its place.
pub(super) struct Place {
    backend: Arc<dyn Backend>,
    handle: Handle,
    dir: TeamDir,
    agent: AgentId,
    /// An earlier leader opened it: the process is reached by its lock alone.
    is_found: bool,
    ended: bool,
}

impl Place {
    /// Starts a teammate's process, and waits until it lives.
    ///
    /// # Errors
    /// When it does not come up; nothing of it is left then.
    pub(super) async fn open(
        backend: Arc<dyn Backend>,
        launch: Launch,
        dir: TeamDir,
        agent: AgentId,
    ) -> Result<Self, String> {
        let handle = tokio::time::timeout(UP_BOUND, backend.open(&launch))
            .await
            .unwrap_or_else(|_| Err(format!("no place for it was opened within {} s", UP_BOUND.as_secs())))?;
        let mut place = Self { backend, handle, dir, agent, is_found: false, ended: false };
        match place.came_up().await {
            Ok(()) => Ok(place),
            Err(why) => {
                place.end().await;
                Err(why)
            }
        }
    }

    /// A process that lives already.
    pub(super) fn found(backend: Arc<dyn Backend>, handle: Handle, dir: TeamDir, agent: AgentId) -> Self {
        Self { backend, handle, dir, agent, is_found: true, ended: false }
    }

    /// Lets it live on without this leader.
    pub(super) fn leave(mut self) {
        self.ended = true;
    }

    /// Where it runs, as it is in the team file.
    pub(super) fn id(&self) -> &str {
        &self.handle.id
    }

    /// Brings it into sight, or takes it out; tells how that went.
    pub(super) fn show(&self, visible: bool, reply: Reply<()>) {
        let (backend, handle) = (self.backend.clone(), self.handle.clone());
        tokio::spawn(async move {
            let shown =
                async { if visible { backend.show(&handle).await } else { backend.hide(&handle).await } };
            let shown = tokio::time::timeout(SHOW_BOUND, shown).await;
            let shown = shown.unwrap_or_else(|_| Err("there was no answer in time".to_owned()));
            // A client that went away takes no answer.
            let _ = reply.send(shown.map_err(Refusal::Failed));
        });
    }

    async fn came_up(&self) -> Result<(), String> {
        let until = Instant::now() + UP_BOUND;
        let lives = async {
            while !self.holder().await.is_alive() {
                if Instant::now() > until {
                    return false;
                }
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
            true
        };
        tokio::select! {
            why = self.backend.closed(&self.handle) => Err(why),
            lives = lives => if lives {
                Ok(())
            } else {
                Err(format!("its process did not come up within {} s", UP_BOUND.as_secs()))
            },
        }
    }

    /// Waits until it ended by itself; says how.
    pub(super) async fn ended(&self) -> String {
        let is_gone = async {
            while self.holder().await.is_alive() {
                tokio::time::sleep(LOOK_EVERY).await;
            }
        };
        if self.is_found {
            is_gone.await;
            return "its process is gone".to_owned();
        }
        tokio::select! {
            why = self.backend.closed(&self.handle) => why,
            () = is_gone => {
                let why = tokio::time::timeout(WHY_BOUND, self.backend.closed(&self.handle)).await;
                why.unwrap_or_else(|_| "its process is gone".to_owned())
            }
        }
    }

    /// Ends the process with its place: by itself within a moment, else by force.
    pub(super) async fn end(&mut self) {
        // The place of one that was found is not this leader's to close; it goes with the process.
        let closing = async {
            if !self.is_found {
                self.backend.close(&self.handle).await
            }
        };
        if tokio::time::timeout(CLOSE_BOUND, closing).await.is_err() {
            tracing::warn!(agent = %self.agent, "the place of a teammate's process did not close in time");
        }
        // A client that takes no more requests closes nothing.
        if let Holder::Process(Some(process)) = self.holder().await {
            signal(process, Signal::TERM);
        }
        self.ended = true;
        let until = Instant::now() + END_BOUND;
        loop {
            match self.holder().await {
                Holder::Nobody => return,
                Holder::Process(Some(process)) if Instant::now() > until => {
                    return signal(process, Signal::KILL);
                }
                // Another machine's, or another namespace's: it sees that its leader is gone.
                Holder::Process(None) if Instant::now() > until => return,
                Holder::Process(_) => tokio::time::sleep(Duration::from_millis(10)).await,
            }
        }
    }

    async fn holder(&self) -> Holder {
        let (dir, agent) = (self.dir.clone(), self.agent.clone());
        let looked = tokio::task::spawn_blocking(move || LiveLock::holder(&dir, &agent)).await;
        match looked {
            Ok(Ok(holder)) => holder,
            // What cannot be looked at counts as it was: ending what lives would be worse.
            Ok(Err(error)) => {
                tracing::warn!(%error, "whether a teammate's process lives is not known");
                Holder::Process(None)
            }
            Err(_) => Holder::Nobody,
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // Nobody had the time to end it.
        if let (false, Ok(runtime)) = (self.ended, tokio::runtime::Handle::try_current()) {
            let mut place = Self {
                backend: self.backend.clone(),
                handle: self.handle.clone(),
                dir: self.dir.clone(),
                agent: self.agent.clone(),
                is_found: self.is_found,
                ended: true,
            };
            runtime.spawn(async move { place.end().await });
        }
    }
}

/// Tells the process that holds a teammate's lock to end.
fn signal(process: u32, signal: Signal) {
    let id = i32::try_from(process).ok().and_then(rustix::process::Pid::from_raw);
    let sent = id.map(|id| rustix::process::kill_process(id, signal));
    if let Some(Err(error)) = sent {
        tracing::error!(%error, process, "a teammate's process could not be ended");
    }
}
