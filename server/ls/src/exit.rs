//! How the server ends: `exit`, a closed stdin or stdout, a dead parent or a signal, each within two seconds,
//! with everything the team started ended first.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::watch;

/// How long what was asked before the end may still be answered.
pub(crate) const DRAIN: Duration = Duration::from_millis(400);
/// How long the team may take to end.
pub(crate) const TEAM_END: Duration = Duration::from_millis(1200);

/// Why the server ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// The client's `exit`.
    Exit,
    /// Stdin or stdout is closed.
    Closed,
    /// The process named by `initialize` is gone.
    ParentGone,
    /// A signal that asks to end, as editors send one to a server that takes long.
    Signal,
}

/// The one signal that ends the server; clones share it.
#[derive(Clone)]
pub(crate) struct Exit {
    ending: Arc<watch::Sender<Option<Ending>>>,
    shutdown_asked: Arc<AtomicBool>,
}

impl Exit {
    pub(crate) fn new() -> Self {
        Self { ending: Arc::new(watch::Sender::new(None)), shutdown_asked: Arc::new(AtomicBool::new(false)) }
    }

    /// Begins the end; only the first reason counts.
    pub(crate) fn begin(&self, ending: Ending) {
        self.ending.send_if_modified(|first| {
            let begins = first.is_none();
            first.get_or_insert(ending);
            begins
        });
    }

    /// Notes that the client asked for a shutdown, so that its `exit` is a clean one.
    pub(crate) fn shutdown_was_asked(&self) {
        self.shutdown_asked.store(true, Ordering::SeqCst);
    }

    /// Waits for the end to begin.
    pub(crate) async fn begun(&self) -> Ending {
        let mut ending = self.ending.subscribe();
        match ending.wait_for(Option::is_some).await {
            Ok(ending) => ending.unwrap_or(Ending::Closed),
            // Cannot be while `self` holds the sender.
            Err(_) => Ending::Closed,
        }
    }

    /// The process's exit code, as LSP wants it: 0 after `shutdown`, else 1.
    pub(crate) fn code(&self) -> u8 {
        u8::from(!self.shutdown_asked.load(Ordering::SeqCst))
    }
}

/// Ends the process at once, since a read of stdin that blocks would hold up a return from `main`.
#[expect(clippy::disallowed_methods, reason = "the one place that ends the process")]
pub(crate) fn end(code: u8) -> ! {
    std::process::exit(code.into())
}

/// Ends the server when it is asked to by SIGTERM, SIGINT or SIGHUP.
pub(crate) fn watch_signals(exit: Exit) {
    use tokio::signal::unix::{SignalKind, signal};

    for kind in [SignalKind::terminate(), SignalKind::interrupt(), SignalKind::hangup()] {
        let exit = exit.clone();
        match signal(kind) {
            Ok(mut signals) => {
                tokio::spawn(async move {
                    if signals.recv().await.is_some() {
                        exit.begin(Ending::Signal);
                    }
                });
            }
            Err(error) => tracing::warn!(?kind, %error, "a signal ends the server without notice"),
        }
    }
}

/// Ends the server when the process `parent` does. Without a way to watch it, closed pipes must do.
pub(crate) fn watch_parent(parent: u32, exit: Exit) {
    let watch = move || match parent_gone(parent) {
        Ok(()) => exit.begin(Ending::ParentGone),
        Err(error) => tracing::info!(parent, %error, "the editor's process cannot be watched"),
    };
    if let Err(error) = std::thread::Builder::new().name("parent".into()).spawn(watch) {
        tracing::warn!(%error, "the editor's process is not watched");
    }
}

/// Returns when the process ends; never, when it does not.
#[cfg(target_os = "linux")]
fn parent_gone(parent: u32) -> std::io::Result<()> {
    use rustix::event::{PollFd, PollFlags, poll};
    use rustix::process::{PidfdFlags, pidfd_open};

    // The kernel reports the end here, whoever reaps the process. One of another container is not found,
    // which says nothing about the editor.
    let process = pidfd_open(pid(parent)?, PidfdFlags::empty())?;
    loop {
        match poll(&mut [PollFd::new(&process, PollFlags::IN)], None) {
            Ok(_) => return Ok(()),
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

#[cfg(not(target_os = "linux"))]
#[expect(clippy::disallowed_methods, reason = "other systems report no end of a process that is not a child")]
fn parent_gone(parent: u32) -> std::io::Result<()> {
    let parent = pid(parent)?;
    rustix::process::test_kill_process(parent)?;
    while rustix::process::test_kill_process(parent).is_ok() {
        std::thread::sleep(Duration::from_millis(500));
    }
    Ok(())
}

fn pid(parent: u32) -> std::io::Result<rustix::process::Pid> {
    let pid = i32::try_from(parent).ok().and_then(rustix::process::Pid::from_raw);
    pid.ok_or_else(|| std::io::Error::from(std::io::ErrorKind::InvalidInput))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_first_reason_to_end_is_the_one() {
        let exit = Exit::new();
        exit.begin(Ending::ParentGone);
        exit.begin(Ending::Exit);
        assert_eq!(exit.begun().await, Ending::ParentGone);
    }

    #[test]
    fn only_a_shutdown_makes_the_exit_clean() {
        let exit = Exit::new();
        assert_eq!(exit.code(), 1);
        exit.shutdown_was_asked();
        assert_eq!(exit.code(), 0);
    }
}
