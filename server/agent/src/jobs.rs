//! Commands that go on in the background: started, listed, read and ended by their member, and gone with it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use swarm_guard::exec::{Exit, Output, Running};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// How many background commands a member has at most, ended ones that were not read included.
const JOBS_MAX: usize = 16;

/// How a background command is doing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum State {
    Running,
    Ended(Exit),
    /// Its result was lost.
    Lost(String),
}

/// One background command, as its member sees it.
#[derive(Debug, Clone)]
pub(crate) struct Job {
    pub(crate) command: String,
    pub(crate) state: watch::Receiver<State>,
    pub(crate) output: watch::Receiver<Arc<Output>>,
    end: CancellationToken,
}

/// The background commands of one member.
#[derive(Debug)]
pub(crate) struct Jobs {
    jobs: Mutex<BTreeMap<u32, Job>>,
    tasks: TaskTracker,
    life: CancellationToken,
}

impl Jobs {
    /// All of them end when `life` does.
    pub(crate) fn new(life: CancellationToken) -> Self {
        Self { jobs: Mutex::default(), tasks: TaskTracker::new(), life }
    }

    /// Whether another one may be started.
    pub(crate) fn has_room(&self) -> bool {
        self.lock().len() < JOBS_MAX
    }

    /// Takes a running command in; its number names it from now on.
    pub(crate) fn add(&self, command: String, running: Running) -> u32 {
        let (told, state) = watch::channel(State::Running);
        let end = self.life.child_token();
        let job = Job { command, state, output: running.output(), end: end.clone() };
        self.tasks.spawn(follow(running, told, end));
        let mut jobs = self.lock();
        let number = jobs.last_key_value().map_or(1, |(last, _)| last + 1);
        jobs.insert(number, job);
        number
    }

    pub(crate) fn list(&self) -> Vec<(u32, Job)> {
        self.lock().iter().map(|(number, job)| (*number, job.clone())).collect()
    }

    pub(crate) fn get(&self, number: u32) -> Option<Job> {
        self.lock().get(&number).cloned()
    }

    /// Forgets a command that has ended and was read.
    pub(crate) fn forget(&self, number: u32) {
        self.lock().remove(&number);
    }

    /// Waits until none runs any more; to be called once `life` has ended.
    pub(crate) async fn ended(&self) {
        self.tasks.close();
        self.tasks.wait().await;
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<u32, Job>> {
        // Each change is one insert or remove, so that whoever panicked left a whole map.
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Job {
    /// Ends the command with all that it started, and waits until it has.
    pub(crate) async fn end(&mut self) {
        self.end.cancel();
        // The state's sender is dropped after its last word, so that this ends either way.
        let _ = self.state.wait_for(|state| *state != State::Running).await;
    }
}

async fn follow(mut running: Running, told: watch::Sender<State>, end: CancellationToken) {
    let finished = tokio::select! {
        finished = running.wait() => finished,
        () = end.cancelled() => {
            running.kill();
            running.wait().await
        }
    };
    told.send_replace(match finished {
        Ok(finished) => State::Ended(finished.exit),
        Err(error) => State::Lost(error.to_string()),
    });
}
