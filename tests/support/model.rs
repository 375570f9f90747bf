//! A scripted model that the servers of a world call over HTTP, and that holds them to the format.

use std::cell::Cell;
use std::time::Duration;

use swarm_script::{Recorded, Script, ScriptServer};
use tokio::runtime::Runtime;

/// The scripted model server, run beside the test. Fails the test, when it goes, on any request that a real
/// provider would have refused and on a prompt that does not continue the one before it.
pub struct FakeModel {
    runtime: Option<Runtime>,
    server: Option<ScriptServer>,
    /// How many prompts are not to continue the one before.
    breaks: Cell<usize>,
}

impl FakeModel {
    pub fn start(script: Script) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.unwrap_or_else(|error| panic!("no runtime: {error}"));
        let server = runtime.block_on(ScriptServer::start(script)).unwrap_or_else(|error| panic!("{error}"));
        Self { runtime: Some(runtime), server: Some(server), breaks: Cell::new(0) }
    }

    pub fn base_url(&self) -> String {
        self.server().base_url()
    }

    /// Lets the streams pass that wait at this gate.
    pub fn open(&self, gate: &str) {
        self.server().open(gate);
    }

    /// Waits until this many streams in all have come to this gate.
    pub fn wait_at(&self, gate: &str, count: usize) {
        let waited = self.runtime().block_on(self.server().wait_at(gate, count));
        waited.unwrap_or_else(|error| panic!("{error}"));
    }

    /// So many prompts continue none: one behind each summary and each change of the conversation.
    pub fn expect_breaks(&self, count: usize) {
        self.breaks.set(count);
    }

    /// Waits until this many requests came, and gives all.
    pub fn wait_for(&self, count: usize) -> Vec<Recorded> {
        let waited = self.runtime().block_on(self.server().wait_for(count));
        waited.unwrap_or_else(|error| panic!("{error}"))
    }

    /// All requests so far.
    pub fn requests(&self) -> Vec<Recorded> {
        self.server().requests()
    }

    /// The text of the last message of the last request, as JSON.
    pub fn last_message(&self) -> String {
        let last = self.server().requests().pop();
        let last = last.unwrap_or_else(|| panic!("the model was not asked yet"));
        let message = last.body["messages"].as_array().and_then(|messages| messages.last());
        message.map(ToString::to_string).unwrap_or_default()
    }

    fn server(&self) -> &ScriptServer {
        self.server.as_ref().unwrap_or_else(|| panic!("the model is gone"))
    }

    fn runtime(&self) -> &Runtime {
        self.runtime.as_ref().unwrap_or_else(|| panic!("the model is gone"))
    }
}

impl Drop for FakeModel {
    fn drop(&mut self) {
        let faults = match &self.server {
            Some(server) => (server.violations(), server.prefix_breaks()),
            None => Default::default(),
        };
        self.server = None;
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_timeout(Duration::from_secs(1));
        }
        if !std::thread::panicking() {
            assert!(faults.0.is_empty(), "a real model would have refused: {:#?}", faults.0);
            assert_eq!(
                faults.1.len(),
                self.breaks.get(),
                "prompts that do not continue the one before: {:#?}",
                faults.1
            );
        }
    }
}
