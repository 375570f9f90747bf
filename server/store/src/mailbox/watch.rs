//! Wakes readers when mail comes: one file-system watcher a process, for any number of mailboxes.
//!
//! A wake-up is a hint to look, never a message: events can be merged or lost. Where the system has no
//! watches left, or has none at all, the mailbox is looked at every 500 ms, which is said
//! once; where it has, every 10 s all the same.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use notify::event::{ModifyKind, RenameMode};
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use tokio::sync::watch;

use crate::mailbox::Mailbox;

/// How often a mailbox without a watch is looked at.
const POLL: Duration = Duration::from_millis(500);
/// How often one with a watch is.
const INSURANCE: Duration = Duration::from_secs(10);

/// The process's watcher; clones share it.
#[derive(Clone)]
pub struct Watch {
    shared: Arc<Shared>,
}

struct Shared {
    /// `None` where the system has no watcher.
    watcher: Option<Mutex<RecommendedWatcher>>,
    folders: Arc<Folders>,
    /// Whether it was said that there are not watches enough.
    told: AtomicBool,
}

/// Who is to be woken, by folder.
#[derive(Default)]
struct Folders {
    wake: Mutex<HashMap<PathBuf, watch::Sender<()>>>,
}

/// Tells one reader when to look again.
pub struct Changes {
    shared: Arc<Shared>,
    folder: PathBuf,
    /// `None` only while it is being dropped.
    wake: Option<watch::Receiver<()>>,
    period: Duration,
}

impl Watch {
    /// Starts the watcher; without one, subscribers are woken by the clock.
    pub fn new() -> Self {
        let folders = Arc::new(Folders::default());
        let told = folders.clone();
        let watcher = notify::recommended_watcher(move |event| told.on(event));
        let watcher = match watcher {
            Ok(watcher) => Some(Mutex::new(watcher)),
            Err(error) => {
                tracing::warn!(%error, "no file watcher; mailboxes are looked at every 500 ms");
                None
            }
        };
        Self { shared: Arc::new(Shared { watcher, folders, told: AtomicBool::new(false) }) }
    }

    /// Watches a mailbox for its reader. The first [`Changes::changed`] returns at once, for what is there.
    pub fn subscribe(&self, mailbox: &Mailbox) -> Changes {
        let folder = mailbox.new_dir();
        let mut wake = {
            let mut folders = self.shared.folders.lock();
            folders.entry(folder.clone()).or_insert_with(|| watch::Sender::new(())).subscribe()
        };
        wake.mark_changed();
        let period = if self.shared.watch(&folder) { INSURANCE } else { POLL };
        Changes { shared: self.shared.clone(), folder, wake: Some(wake), period }
    }
}

impl Default for Watch {
    fn default() -> Self {
        Self::new()
    }
}

impl Changes {
    /// Returns when there may be something new. Dropping the future loses no wake-up.
    pub async fn changed(&mut self) {
        let Some(wake) = &mut self.wake else { return };
        // The sender lives in `shared`, so this ends by a change or by the clock.
        let _ = tokio::time::timeout(self.period, wake.changed()).await;
    }
}

impl Drop for Changes {
    fn drop(&mut self) {
        let mut folders = self.shared.folders.lock();
        drop(self.wake.take());
        if folders.get(&self.folder).is_some_and(|wake| wake.receiver_count() == 0) {
            folders.remove(&self.folder);
            drop(folders);
            self.shared.unwatch(&self.folder);
        }
    }
}

impl Shared {
    fn watch(&self, folder: &Path) -> bool {
        let Some(watcher) = &self.watcher else { return false };
        let mut watcher = watcher.lock().unwrap_or_else(PoisonError::into_inner);
        let watched = watcher.watch(folder, RecursiveMode::NonRecursive);
        if let Err(error) = &watched
            && !self.told.swap(true, Ordering::Relaxed)
        {
            tracing::warn!(%error, "mailboxes are not watched any more, but looked at every 500 ms");
        }
        watched.is_ok()
    }

    fn unwatch(&self, folder: &Path) {
        if let Some(watcher) = &self.watcher {
            // It fails where the folder was never watched or is gone, which is what is wanted.
            let _ = watcher.lock().unwrap_or_else(PoisonError::into_inner).unwatch(folder);
        }
    }
}

impl Folders {
    fn lock(&self) -> MutexGuard<'_, HashMap<PathBuf, watch::Sender<()>>> {
        self.wake.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Called by the watcher's own thread.
    fn on(&self, event: notify::Result<Event>) {
        match event {
            Ok(event) if !event.need_rescan() => {
                if brings_mail(event.kind) {
                    let folders = self.lock();
                    let touched = event.paths.iter().filter_map(|path| folders.get(path.parent()?));
                    touched.for_each(|wake| wake.send_replace(()));
                }
            }
            // The kernel's queue ran over, or the watcher failed: anyone may have mail.
            Ok(_) | Err(_) => self.lock().values().for_each(|wake| wake.send_replace(())),
        }
    }
}

/// A rename into the folder, or a file made in place by a tool of another kind. What the reader itself does,
/// a mark in the file and a rename out of the folder, is none.
fn brings_mail(kind: EventKind) -> bool {
    match kind {
        EventKind::Create(_) => true,
        EventKind::Modify(ModifyKind::Name(mode)) => mode != RenameMode::From,
        _ => false,
    }
}
