//! A command that runs: its output, its end, and the ways to end it.
//! It must not outlive its owner: dropping it, or the end of the runtime, ends the whole tree.

use std::future::pending;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe::Receiver;
use tokio::process::Child;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until};

use super::capture::{Capture, Output};
use super::order::{Failed, INTERRUPT, Report, TERMINATE};
use super::reports::ReportReader;
use super::spawn::ExecError;
use crate::proxy::{Session, Visit};

/// How long a command that was asked to end has before it is ended.
const GRACE: Duration = Duration::from_secs(2);

/// A command that runs. Dropping it ends the command and everything it started.
#[derive(Debug)]
pub struct Running {
    wishes: mpsc::UnboundedSender<Wish>,
    output: watch::Receiver<Arc<Output>>,
    helper: Option<u32>,
    driver: Option<JoinHandle<Result<Finished, ExecError>>>,
}

/// How a command ended, and what it printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finished {
    pub exit: Exit,
    pub output: Output,
    /// The hosts that it wanted to reach through the proxy.
    pub visits: Vec<Visit>,
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// By itself, with this code.
    Code(i32),
    /// By a signal that the leader did not send.
    Signal(i32),
    /// Its time was up.
    TimedOut,
    /// Interrupted, as Ctrl-C does.
    Interrupted,
    /// Killed by the leader.
    Killed,
    /// Ended because it made a file in a repository that would have git, outside, read another configuration.
    Tampered,
}

#[derive(Debug)]
enum Wish {
    Interrupt,
    Kill,
}

impl Running {
    pub(super) fn start(parts: Parts, timeout: Option<Duration>) -> Self {
        let (wishes, wishes_end) = mpsc::unbounded_channel();
        let (output, output_end) = watch::channel(Arc::default());
        let helper = parts.child.id();
        let driver = Driver {
            child: parts.child,
            reports: Some(parts.reports),
            pipe: parts.output,
            session: parts.session,
            capture: parts.capture,
            shown: output,
            asked: None,
            ended: None,
            failed: None,
            deadline: timeout.map(|timeout| Instant::now() + timeout),
        };
        Self { wishes, output: output_end, helper, driver: Some(tokio::spawn(driver.run(wishes_end))) }
    }

    /// The process id of the helper, for those who show processes.
    pub fn helper_id(&self) -> Option<u32> {
        self.helper
    }

    /// What was printed so far; it changes at most some times a second.
    pub fn output(&self) -> watch::Receiver<Arc<Output>> {
        self.output.clone()
    }

    /// Interrupts the command as Ctrl-C would, and ends it when it has not ended shortly after.
    pub fn interrupt(&self) {
        // A command that has ended takes no wishes, and needs none.
        let _ = self.wishes.send(Wish::Interrupt);
    }

    /// Ends the command and all it started, now.
    pub fn kill(&self) {
        let _ = self.wishes.send(Wish::Kill);
    }

    /// Waits for the end of the command, and can be cancelled and called again until it has returned.
    /// By then nothing that the command started runs any more.
    ///
    /// # Errors
    /// When the helper was lost, so that there is no result; also when the result was taken before.
    pub async fn wait(&mut self) -> Result<Finished, ExecError> {
        let driver = self.driver.as_mut().ok_or(ExecError::Lost)?;
        let finished = driver.await.unwrap_or(Err(ExecError::Lost));
        self.driver = None;
        finished
    }
}

/// What a running command is made of.
pub(super) struct Parts {
    pub(super) child: Child,
    pub(super) reports: ReportReader,
    pub(super) output: Receiver,
    pub(super) session: Option<Session>,
    pub(super) capture: Capture,
}

/// Drives one command to its end.
struct Driver {
    child: Child,
    /// The link to the helper; none once it was closed, which ends the tree.
    reports: Option<ReportReader>,
    pipe: Receiver,
    /// The proxy at work for it; its connections end with it.
    session: Option<Session>,
    capture: Capture,
    shown: watch::Sender<Arc<Output>>,
    /// What the leader did to end the command, if it did.
    asked: Option<Exit>,
    /// How the program itself ended.
    ended: Option<Exit>,
    /// Why the helper gave up.
    failed: Option<Failed>,
    deadline: Option<Instant>,
}

/// How often the output that is shown is brought up to date.
const SHOW_EVERY: Duration = Duration::from_millis(50);

impl Driver {
    async fn run(mut self, mut wishes: mpsc::UnboundedReceiver<Wish>) -> Result<Finished, ExecError> {
        let mut buffer = vec![0; 64 * 1024];
        let mut pipe_open = true;
        let mut owned = true;
        let mut show_at: Option<Instant> = None;
        loop {
            tokio::select! {
                read = self.pipe.read(&mut buffer), if pipe_open => match read {
                    Ok(0) | Err(_) => pipe_open = false,
                    Ok(count) => {
                        self.capture.push(buffer.get(..count).unwrap_or_default()).await;
                        show_at.get_or_insert_with(|| Instant::now() + SHOW_EVERY);
                    }
                },
                report = next_report(&mut self.reports) => self.take_report(report),
                wish = wishes.recv(), if owned => {
                    owned = wish.is_some();
                    self.grant(wish.unwrap_or(Wish::Kill)).await;
                }
                () = at(self.deadline) => self.pass_deadline().await,
                () = at(show_at) => {
                    show_at = None;
                    self.shown.send_replace(Arc::new(self.capture.output()));
                }
                _ = self.child.wait() => break,
            }
        }
        self.drain(&mut buffer).await;
        self.capture.finish().await;
        if let Some(reports) = self.reports.take() {
            self.take_last_reports(reports).await;
        }
        let output = self.capture.output();
        self.shown.send_replace(Arc::new(output.clone()));
        if let Some(failed) = self.failed {
            return Err(ExecError::GaveUp(failed));
        }
        let exit = self.asked.or(self.ended).ok_or(ExecError::Lost)?;
        let visits = self.session.as_ref().map(Session::visits).unwrap_or_default();
        Ok(Finished { exit, output, visits })
    }

    fn take_report(&mut self, report: io::Result<Option<Report>>) {
        match report {
            Ok(Some(Report::Exited(code))) => self.ended = Some(Exit::Code(code)),
            Ok(Some(Report::Signaled(signal))) => self.ended = Some(Exit::Signal(signal)),
            Ok(Some(Report::Tampered)) => self.ended = Some(Exit::Tampered),
            Ok(Some(Report::Failed(failed))) => self.failed = Some(failed),
            Ok(Some(Report::Started)) => {}
            // The helper closed the link: it is about to end.
            Ok(None) | Err(_) => self.reports = None,
        }
    }

    async fn take_last_reports(&mut self, mut reports: ReportReader) {
        while let Ok(Some(report)) = reports.next().await {
            self.take_report(Ok(Some(report)));
        }
    }

    async fn grant(&mut self, wish: Wish) {
        match wish {
            Wish::Interrupt => {
                self.asked.get_or_insert(Exit::Interrupted);
                self.tell(INTERRUPT).await;
                self.deadline = Some(Instant::now() + GRACE);
            }
            Wish::Kill => {
                self.asked.get_or_insert(Exit::Killed);
                self.end();
            }
        }
    }

    /// The time is up: first the command is told, then it is ended, then the helper is.
    async fn pass_deadline(&mut self) {
        if self.asked.is_none() {
            self.asked = Some(Exit::TimedOut);
            self.tell(TERMINATE).await;
            self.deadline = Some(Instant::now() + GRACE);
        } else if self.reports.is_some() {
            self.end();
        } else {
            self.deadline = None;
            // It has ended already, or cannot be told: waiting for it says which.
            let _ = self.child.start_kill();
        }
    }

    /// Closes the link, which ends the tree.
    fn end(&mut self) {
        self.reports = None;
        self.deadline = Some(Instant::now() + GRACE);
    }

    async fn tell(&mut self, word: u8) {
        if let Some(reports) = &self.reports {
            // A helper that is gone needs no telling.
            let _ = reports.tell(word).await;
        }
    }

    /// Takes what is still in the pipe. All who wrote to it are gone, so that what there is, is there; the runtime may
    /// not have heard of it yet, which is why the pipe itself is asked.
    async fn drain(&mut self, buffer: &mut [u8]) {
        loop {
            match rustix::io::retry_on_intr(|| rustix::io::read(&self.pipe, &mut *buffer)) {
                Ok(count @ 1..) => self.capture.push(buffer.get(..count).unwrap_or_default()).await,
                _ => return,
            }
        }
    }
}

async fn next_report(reports: &mut Option<ReportReader>) -> io::Result<Option<Report>> {
    match reports {
        Some(reports) => reports.next().await,
        None => pending().await,
    }
}

async fn at(instant: Option<Instant>) {
    match instant {
        Some(instant) => sleep_until(instant).await,
        None => pending().await,
    }
}
