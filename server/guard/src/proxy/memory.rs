//! What was answered about hosts: each is asked about once at a time, and a yes is kept.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::OnceCell;

use super::address::Reach;

pub(super) type Key = (String, Reach);

/// Hosts beyond this many are asked about again: a command can invent names without end.
const MAX_HOSTS: usize = 10_000;

#[derive(Default)]
pub(super) struct Memory(Mutex<HashMap<Key, Arc<OnceCell<()>>>>);

/// A no: nothing is kept, and the next who asks is asked about anew.
struct No;

impl Memory {
    pub(super) fn get(&self, key: &Key) -> Option<()> {
        self.cell(key).get().copied()
    }

    pub(super) fn set(&self, key: Key) {
        // One that is set already is as it should be.
        let _ = self.cell(&key).set(());
    }

    /// True when the answer is known to be yes, or is yes now. Whoever comes while it is asked waits for the same
    /// answer; when the one who asked gives up, another asks.
    pub(super) async fn get_or_ask<F: Future<Output = bool>>(
        &self,
        key: &Key,
        ask: impl FnOnce() -> F,
    ) -> bool {
        let cell = self.cell(key);
        cell.get_or_try_init(async || if ask().await { Ok(()) } else { Err(No) }).await.is_ok()
    }

    fn cell(&self, key: &Key) -> Arc<OnceCell<()>> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MAX_HOSTS {
            known.clear();
        }
        known.entry(key.clone()).or_default().clone()
    }
}
