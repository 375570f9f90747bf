//! The way out for confined commands: a proxy in the leader that asks before it lets anyone reach a new host.
//!
//! A command's own network has nothing but its loopback; the socket that the proxy listens on was made in there and
//! handed out. The proxy looks names up itself, after the question, since a name that is looked up has left the
//! machine. It must not read what goes through, beyond the head of a plain request.

mod address;
mod forward;
mod memory;
mod message;

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::{JoinHandle, JoinSet};

pub use self::address::{Reach, Target};
use self::memory::Memory;

/// Connections that one command has open at a time; more wait.
const MAX_CONNECTIONS: usize = 128;

/// Hosts that are listed for one command; all are in the log.
const MAX_VISITS: usize = 200;

/// Questions that one command has open at a time: a person reads them, and a command can invent names without end.
const MAX_QUESTIONS: usize = 8;

const CONNECT_WITHIN: Duration = Duration::from_secs(30);

/// Asks a person whether a host may be reached.
#[async_trait]
pub trait AskHost: Send + Sync {
    /// True is yes. The connection waits meanwhile; when it is given up, so is the question.
    async fn ask(&self, question: &HostQuestion) -> bool;
}

/// What is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostQuestion {
    pub host: String,
    pub port: u16,
    /// Where the host is: a name that turns out to be on this machine, say, is asked again as that.
    pub reach: Reach,
    /// What wants to reach it, as given when the command was started.
    pub command: String,
}

/// One host that a command wanted to reach.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Visit {
    pub host: String,
    pub port: u16,
    pub allowed: bool,
}

/// Looks a host's addresses up.
pub type Resolver =
    Arc<dyn Fn(Target) -> Pin<Box<dyn Future<Output = io::Result<Vec<SocketAddr>>> + Send>> + Send + Sync>;

/// Lets connections through, with one memory of what was allowed. Cheap to clone.
#[derive(Clone)]
pub struct Proxy {
    ask: Arc<dyn AskHost>,
    resolver: Resolver,
    allowed: Arc<Memory>,
}

impl Proxy {
    /// Looks names up as this machine does.
    pub fn new(ask: Arc<dyn AskHost>) -> Self {
        Self::with_resolver(ask, Arc::new(|target| Box::pin(look_up(target))))
    }

    pub fn with_resolver(ask: Arc<dyn AskHost>, resolver: Resolver) -> Self {
        Self { ask, resolver, allowed: Arc::default() }
    }

    /// Serves those who connect to `listener` until the result is dropped; `command` is named in questions and log.
    ///
    /// # Errors
    /// When the listener cannot be used.
    pub fn serve(&self, listener: std::net::TcpListener, command: String) -> io::Result<Session> {
        listener.set_nonblocking(true)?;
        let listener = TcpListener::from_std(listener)?;
        let passage = Arc::new(Passage {
            proxy: self.clone(),
            command,
            refused: Memory::default(),
            questions: Semaphore::new(MAX_QUESTIONS),
            visits: Mutex::default(),
        });
        let task = tokio::spawn(accept(listener, passage.clone()));
        Ok(Session { task, passage })
    }
}

impl std::fmt::Debug for Proxy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Proxy").finish_non_exhaustive()
    }
}

/// The proxy at work for one command. Dropping it closes all its connections.
pub struct Session {
    task: JoinHandle<()>,
    passage: Arc<Passage>,
}

impl Session {
    /// The hosts that the command wanted to reach so far, each once.
    pub fn visits(&self) -> Vec<Visit> {
        self.passage.visits.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// What the connections of one command share.
struct Passage {
    proxy: Proxy,
    command: String,
    /// A no holds for this command; the next one may ask again.
    refused: Memory,
    questions: Semaphore,
    visits: Mutex<Vec<Visit>>,
}

/// Why a connection was not made, as it is told to the command.
#[derive(Debug, thiserror::Error)]
enum Blocked {
    #[error("{0} was not allowed")]
    Refused(Target),
    #[error("{target} cannot be reached: {source}")]
    Unreachable { target: Target, source: io::Error },
}

async fn accept(listener: TcpListener, passage: Arc<Passage>) {
    let mut connections = JoinSet::new();
    let room = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    loop {
        let Ok(permit) = room.clone().acquire_owned().await else { return };
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((client, _)) => {
                    let passage = passage.clone();
                    connections.spawn(async move {
                        // What goes wrong on a connection ends that connection; its two ends see it.
                        if let Err(error) = forward::serve(client, &passage).await {
                            tracing::debug!(command = passage.command, %error, "connection ended");
                        }
                        drop(permit);
                    });
                }
                // Out of descriptors, most likely: those who are connected will give some back.
                Err(_) => { connections.join_next().await; }
            },
            Some(_) = connections.join_next() => {}
        }
    }
}

impl Passage {
    /// Connects to `target` once that is allowed.
    async fn connect(&self, target: Target) -> Result<TcpStream, Blocked> {
        let unreachable = |source| Blocked::Unreachable { target: target.clone(), source };
        let asked = target.reach();
        self.permit(&target, asked).await?;
        let addresses = (self.proxy.resolver)(target.clone()).await.map_err(unreachable)?;
        let mut last = io::Error::from(io::ErrorKind::NotFound);
        for address in addresses {
            let reach = Reach::of(address.ip());
            if reach != asked {
                self.permit(&target, reach).await?;
            }
            match tokio::time::timeout(CONNECT_WITHIN, TcpStream::connect(address)).await {
                Ok(Ok(stream)) => return Ok(stream),
                Ok(Err(error)) => last = error,
                Err(_) => last = io::ErrorKind::TimedOut.into(),
            }
        }
        Err(unreachable(last))
    }

    async fn permit(&self, target: &Target, reach: Reach) -> Result<(), Blocked> {
        let key = (target.host().to_owned(), reach);
        let question = HostQuestion {
            host: target.host().to_owned(),
            port: target.port(),
            reach,
            command: self.command.clone(),
        };
        let ask = async || {
            let _turn = self.questions.acquire().await;
            // Meanwhile another connection may have been told no.
            self.refused.get(&key).is_none() && self.proxy.ask.ask(&question).await
        };
        let allowed = self.refused.get(&key).is_none() && self.proxy.allowed.get_or_ask(&key, ask).await;
        if !allowed {
            self.refused.set(key);
        }
        self.note(Visit { host: question.host, port: question.port, allowed }, reach);
        if allowed { Ok(()) } else { Err(Blocked::Refused(target.clone())) }
    }

    fn note(&self, visit: Visit, reach: Reach) {
        let Visit { host, port, allowed } = &visit;
        tracing::info!(command = self.command, host, port, ?reach, allowed, "host");
        let mut visits = self.visits.lock().unwrap_or_else(PoisonError::into_inner);
        if visits.len() < MAX_VISITS && !visits.contains(&visit) {
            visits.push(visit);
        }
    }
}

async fn look_up(target: Target) -> io::Result<Vec<SocketAddr>> {
    Ok(tokio::net::lookup_host((target.host(), target.port())).await?.collect())
}
