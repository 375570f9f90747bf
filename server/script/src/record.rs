//! What the server saw: every request, what was wrong with it, and where a prompt did not grow but change.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use serde::Serialize;
use serde_json::Value;
use tokio::sync::watch;

use crate::prompt::Prompt;

/// A request as it came.
#[derive(Debug, Clone, PartialEq)]
pub struct Recorded {
    /// Counted from 0 over all agents.
    pub index: usize,
    /// Empty where the request doesn't tell.
    pub agent: String,
    pub path: String,
    /// `Null` where it is no JSON, or was not kept.
    pub body: Value,
    pub at: SystemTime,
}

/// A request that a real provider would refuse, or that the script did not expect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Violation {
    /// The index of the request.
    pub request: usize,
    pub agent: String,
    pub message: String,
}

/// A prompt that does not begin with the one before it of the same agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PrefixBreak {
    /// The index of the later request.
    pub request: usize,
    pub agent: String,
    /// Where they part: `tools`, `system`, or `messages.N`.
    pub part: String,
    /// How many bytes of the prompt were still the same.
    pub common: usize,
}

#[derive(Debug, Default)]
pub(crate) struct Records {
    state: Mutex<State>,
    forgets_bodies: bool,
    /// The number of requests so far.
    pub(crate) count: watch::Sender<usize>,
    /// The number of connections that the client dropped before the answer was out.
    pub(crate) aborted: watch::Sender<usize>,
}

#[derive(Debug, Default)]
struct State {
    requests: Vec<Recorded>,
    violations: Vec<Violation>,
    breaks: Vec<PrefixBreak>,
    /// The last prompt in order, by agent and model: no model has the cache of another.
    prompts: BTreeMap<(String, String), Prompt>,
}

impl Records {
    /// For so many requests that their bodies would fill the memory.
    pub(crate) fn without_bodies() -> Self {
        Self { forgets_bodies: true, ..Self::default() }
    }

    /// Keeps a request and gives its index.
    pub(crate) fn add(&self, agent: &str, path: &str, body: Value) -> usize {
        let mut state = self.state();
        let index = state.requests.len();
        state.requests.push(Recorded {
            index,
            agent: agent.to_owned(),
            path: path.to_owned(),
            body: if self.forgets_bodies { Value::Null } else { body },
            at: SystemTime::now(),
        });
        self.count.send_replace(index + 1);
        index
    }

    pub(crate) fn violation(&self, request: usize, agent: &str, message: &str) {
        let violation = Violation { request, agent: agent.to_owned(), message: message.to_owned() };
        self.state().violations.push(violation);
    }

    /// Compares a prompt for this model with the one before it, and gives how many of its bytes a cache would hold.
    pub(crate) fn prompt(&self, request: usize, agent: &str, model: &str, prompt: &Prompt) -> usize {
        let mut state = self.state();
        let model = model.to_owned();
        let Some(before) = state.prompts.insert((agent.to_owned(), model), prompt.clone()) else { return 0 };
        match before.parting(prompt) {
            None => before.len(),
            Some(parting) => {
                let (agent, part, common) = (agent.to_owned(), parting.part, parting.common);
                state.breaks.push(PrefixBreak { request, agent, part, common });
                common
            }
        }
    }

    pub(crate) fn requests(&self) -> Vec<Recorded> {
        self.state().requests.clone()
    }

    pub(crate) fn request(&self, index: usize) -> Option<Recorded> {
        self.state().requests.get(index).cloned()
    }

    pub(crate) fn violations(&self) -> Vec<Violation> {
        self.state().violations.clone()
    }

    pub(crate) fn prefix_breaks(&self) -> Vec<PrefixBreak> {
        self.state().breaks.clone()
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
