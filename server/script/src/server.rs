//! The server as its owner holds it: where it is, what it saw, its gates. It stops when dropped.

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::gate::Gates;
use crate::play::Player;
use crate::record::{PrefixBreak, Recorded, Records, Violation};
use crate::script::Script;
use crate::serve::{Shared, accept};

/// How long a wait for something to be seen lasts.
const PATIENCE: Duration = Duration::from_secs(30);

/// A script being played on 127.0.0.1.
///
/// Another process can look at it too: `GET /script/report` gives the requests, violations and prefix breaks
/// as JSON, and `POST /script/gates/NAME` opens a gate.
#[derive(Debug)]
pub struct ScriptServer {
    port: u16,
    shared: Arc<Shared>,
    accepting: JoinHandle<()>,
    /// How many requests [`ScriptServer::next_request`] gave out.
    given: AtomicUsize,
}

#[derive(Debug, thiserror::Error)]
#[error("the script server can't listen on 127.0.0.1:{port}: {source}")]
pub struct StartError {
    pub port: u16,
    pub source: std::io::Error,
}

/// What was waited for did not come within 30 s.
#[derive(Debug, thiserror::Error)]
#[error("waited 30 s for {what}; the requests so far are of {agents:?}, the violations {violations:?}")]
pub struct WaitError {
    pub what: String,
    /// Of each request, its agent.
    pub agents: Vec<String>,
    pub violations: Vec<Violation>,
}

impl ScriptServer {
    /// Plays `script` on a free port.
    ///
    /// # Errors
    /// The loopback address can't be listened on.
    pub async fn start(script: Script) -> Result<Self, StartError> {
        Self::start_at(script, 0).await
    }

    /// Plays `script` on this port of 127.0.0.1; 0 takes a free one.
    ///
    /// # Errors
    /// The port can't be listened on.
    pub async fn start_at(script: Script, port: u16) -> Result<Self, StartError> {
        let failed = |source| StartError { port, source };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await.map_err(failed)?;
        let port = listener.local_addr().map_err(failed)?.port();
        let records = if script.forget_bodies { Records::without_bodies() } else { Records::default() };
        let shared = Arc::new(Shared { player: Player::new(script), records, gates: Gates::default() });
        let accepting = tokio::spawn(accept(listener, Arc::clone(&shared)));
        Ok(Self { port, shared, accepting, given: AtomicUsize::new(0) })
    }

    /// The address without a path, as a client's setting wants it.
    pub fn base_url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Every request so far, in the order in which they came.
    pub fn requests(&self) -> Vec<Recorded> {
        self.shared.records.requests()
    }

    /// How many requests there were, without the copies that [`ScriptServer::requests`] makes.
    pub fn request_count(&self) -> usize {
        *self.shared.records.count.borrow()
    }

    /// What a real provider would have refused, and what the script did not expect.
    pub fn violations(&self) -> Vec<Violation> {
        self.shared.records.violations()
    }

    /// Where an agent's prompt did not begin with the one before it.
    pub fn prefix_breaks(&self) -> Vec<PrefixBreak> {
        self.shared.records.prefix_breaks()
    }

    /// Waits until there were `count` requests, and gives all.
    ///
    /// # Errors
    /// After 30 s, with what came instead.
    pub async fn wait_for(&self, count: usize) -> Result<Vec<Recorded>, WaitError> {
        self.at_least(&self.shared.records.count, count, "requests").await?;
        Ok(self.requests())
    }

    /// The next request that this method has not given before.
    ///
    /// # Errors
    /// After 30 s, with what came instead.
    pub async fn next_request(&self) -> Result<Recorded, WaitError> {
        let index = self.given.fetch_add(1, Ordering::SeqCst);
        let what = format!("request {index}");
        let seen = self.at_least(&self.shared.records.count, index + 1, "requests").await;
        let request = seen.ok().and_then(|()| self.shared.records.request(index));
        request.ok_or_else(|| self.waited_for(what))
    }

    /// Lets all streams pass that wait at this gate or will come to it.
    pub fn open(&self, gate: &str) {
        self.shared.gates.open(gate);
    }

    /// Waits until `count` streams in all have come to this gate.
    ///
    /// # Errors
    /// After 30 s.
    pub async fn wait_at(&self, gate: &str, count: usize) -> Result<(), WaitError> {
        let reached = self.shared.gates.reached(gate, count);
        let what = || format!("{count} at the gate {gate:?}");
        tokio::time::timeout(PATIENCE, reached).await.map_err(|_| self.waited_for(what()))
    }

    /// Waits until clients have closed `count` connections whose answers were not out yet.
    ///
    /// # Errors
    /// After 30 s.
    pub async fn wait_for_aborted(&self, count: usize) -> Result<(), WaitError> {
        self.at_least(&self.shared.records.aborted, count, "aborted answers").await
    }

    async fn at_least(
        &self,
        counter: &watch::Sender<usize>,
        count: usize,
        what: &str,
    ) -> Result<(), WaitError> {
        let mut counter = counter.subscribe();
        let reached = counter.wait_for(|seen| *seen >= count);
        match tokio::time::timeout(PATIENCE, reached).await {
            Ok(_) => Ok(()),
            Err(_) => Err(self.waited_for(format!("{count} {what}"))),
        }
    }

    fn waited_for(&self, what: String) -> WaitError {
        let agents = self.requests().into_iter().map(|request| request.agent).collect();
        WaitError { what, agents, violations: self.violations() }
    }
}

impl Drop for ScriptServer {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}
