//! Gates: places where a stream stands still until a test lets it go on.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use tokio::sync::watch;

/// All gates of a server, by name; one comes to be when it is first named.
#[derive(Debug, Default)]
pub(crate) struct Gates(Mutex<BTreeMap<String, Gate>>);

#[derive(Debug, Clone)]
struct Gate {
    open: watch::Sender<bool>,
    /// How many came to it so far.
    arrivals: watch::Sender<usize>,
}

impl Gates {
    /// Lets all pass who wait or will come.
    pub(crate) fn open(&self, name: &str) {
        self.named(name).open.send_replace(true);
    }

    /// Comes to the gate, and goes on once it is open.
    pub(crate) async fn pass(&self, name: &str) {
        let gate = self.named(name);
        gate.arrivals.send_modify(|arrivals| *arrivals += 1);
        let mut open = gate.open.subscribe();
        // The sender is alive in `gate`, so this ends only when the gate is open.
        let _ = open.wait_for(|open| *open).await;
    }

    /// Waits until `count` streams in all have come to the gate.
    pub(crate) async fn reached(&self, name: &str, count: usize) {
        let gate = self.named(name);
        let _ = gate.arrivals.subscribe().wait_for(|arrivals| *arrivals >= count).await;
    }

    fn named(&self, name: &str) -> Gate {
        let mut gates = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let new = || Gate { open: watch::Sender::new(false), arrivals: watch::Sender::new(0) };
        gates.entry(name.to_owned()).or_insert_with(new).clone()
    }
}
