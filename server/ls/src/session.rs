//! One connection to one editor: what all handlers share. Lives from the first byte to the last.

use std::sync::{Arc, Mutex, OnceLock};

use serde_json::Value;
use swarm_leader::Leader;
use swarm_store::Root;

use crate::capabilities::Client;
use crate::conversation::Conversations;
use crate::documents::Documents;
use crate::documents::editor::ClientEditor;
use crate::environment::Environment;
use crate::error::Problem;
use crate::exit::Exit;
use crate::ingress::proxy::Proxy;
use crate::pages::Pages;
use crate::tasks::Tasks;
use crate::terminals::ClientTerminals;
use crate::timeline::Timeline;

pub(crate) struct Session {
    pub(crate) proxy: Proxy,
    pub(crate) documents: Arc<Documents>,
    pub(crate) terminals: Arc<ClientTerminals>,
    pub(crate) exit: Exit,
    pub(crate) environment: Environment,
    pub(crate) pages: Pages,
    pub(crate) conversations: Conversations,
    pub(crate) tasks: Tasks,
    /// What is written of the team, where that is wanted.
    pub(crate) timeline: Mutex<Option<Timeline>>,
    /// Who writes it; ends by itself when the team has.
    pub(crate) recording: Tasks,
    started: OnceLock<Started>,
}

/// What `initialize` brings about.
pub(crate) struct Started {
    pub(crate) leader: Leader,
    pub(crate) client: Client,
    pub(crate) editor: Arc<ClientEditor>,
    pub(crate) root: Root,
    /// The settings that the client started with, as it sent them.
    pub(crate) options: Value,
}

impl Session {
    pub(crate) fn new(exit: Exit, environment: Environment, timeline: Option<Timeline>) -> Self {
        let documents = Arc::new(Documents::new());
        let (proxy, pages) = (Proxy::default(), Pages::default());
        let terminals = Arc::new(ClientTerminals::new(proxy.clone()));
        let conversations = Conversations::new();
        Self {
            proxy,
            documents,
            terminals,
            exit,
            environment,
            pages,
            conversations,
            tasks: Tasks::default(),
            timeline: Mutex::new(timeline),
            recording: Tasks::default(),
            started: OnceLock::new(),
        }
    }

    /// Ends the handshake; only the first call counts.
    pub(crate) fn start(&self, started: Started) {
        let _ = self.started.set(started);
    }

    pub(crate) fn has_started(&self) -> bool {
        self.started.get().is_some()
    }

    /// What `initialize` brought about. The router refuses requests before it, so an error is a fault.
    pub(crate) fn started(&self) -> Result<&Started, Problem> {
        self.started.get().ok_or_else(|| Problem::failed("the server is not initialized"))
    }

    pub(crate) fn leader(&self) -> Result<&Leader, Problem> {
        self.started().map(|started| &started.leader)
    }

    #[cfg(test)]
    pub(crate) fn for_tests() -> Self {
        Self::new(Exit::new(), Environment::read(), None)
    }
}
