//! Starts the program, waits for whatever can end it, and reaps what is orphaned.
//! It must not end what is left of the tree: how that is done depends on the walls, and is its callers' to do.

use std::fs::File;
use std::io::{self, Read, Write};
use std::mem::MaybeUninit;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::os::fd::{AsFd, FromRawFd, OwnedFd};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{DumpableBehavior, Pid, Signal, WaitOptions};

use super::mounts::{self, Empty};
use super::plan::Mount;
use super::refusal::{At, Refusal};
use super::tripwire::Tripwire;
use super::{namespaces, program, report};
use crate::exec::link;
use crate::exec::order::{Failed, INTERRUPT, Order, Report, Step, TERMINATE};
use crate::exec::policy::Network;

/// What is watched beside the leader and the program.
pub(super) struct Watch {
    /// Closes when the parent is gone.
    pub(super) parent: Option<OwnedFd>,
    /// Changes when a wall falls, and what hidden files are covered with.
    pub(super) walls: Option<(File, Empty)>,
    /// Asks all the processes of the command to end.
    pub(super) terminate: fn(),
}

/// Runs the command until it, the leader or the parent ends.
///
/// # Errors
/// When the program could not be started, or a wall has fallen and could not be put up again.
pub(super) fn supervise(order: &Order, plan: &[Mount], stdin: OwnedFd, watch: &Watch) -> Result<(), Refusal> {
    // What the command runs as the same user must not trace this process, nor read its memory.
    rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable).at(Step::Privileges)?;
    let signals = child_signals().at(Step::Session)?;
    let leader = rustix::stdio::stdin();
    let tripwire = Tripwire::set(plan).at(Step::Mounts)?;
    let way_out = match order.policy.network {
        Network::Proxy => Some(TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).at(Step::Loopback)?),
        Network::None | Network::Open => None,
    };
    let proxy = way_out.as_ref().map(TcpListener::local_addr).transpose().at(Step::Loopback)?;
    let program = start(order, proxy, plan, stdin)?;
    // The pipe of the output belongs to the program alone.
    let null = File::options().write(true).open("/dev/null").at(Step::Session)?;
    rustix::stdio::dup2_stdout(&null).at(Step::Session)?;
    rustix::stdio::dup2_stderr(&null).at(Step::Session)?;
    let handed_out: Vec<_> = way_out.iter().map(AsFd::as_fd).collect();
    let mut running = report(leader, &Report::Started, &handed_out).is_ok();
    drop(way_out);

    while running {
        let mut ready = vec![
            PollFd::from_borrowed_fd(leader, PollFlags::IN),
            PollFd::from_borrowed_fd(signals.as_fd(), PollFlags::IN),
            PollFd::from_borrowed_fd(tripwire.as_fd(), PollFlags::IN),
        ];
        // One that is not there is never ready.
        let none = PollFd::from_borrowed_fd(leader, PollFlags::empty());
        let [parent, walls] = [
            watch.parent.as_ref().map(|fd| PollFd::from_borrowed_fd(fd.as_fd(), PollFlags::IN)),
            watch.walls.as_ref().map(|(table, _)| PollFd::from_borrowed_fd(table.as_fd(), PollFlags::PRI)),
        ];
        ready.extend([parent.unwrap_or_else(|| none.clone()), walls.unwrap_or(none)]);
        rustix::io::retry_on_intr(|| poll(&mut ready, None)).at(Step::Session)?;
        let is_ready = |index: usize| ready.get(index).is_some_and(|fd| !fd.revents().is_empty());

        if is_ready(2) && tripwire.is_sprung() {
            // A leader that is gone needs no report.
            let _ = report(leader, &Report::Tampered, &[]);
            return Ok(());
        }
        if let (true, Some((_, empty))) = (is_ready(4), &watch.walls) {
            // Without its walls a command does not go on.
            mounts::mend(plan, empty)?;
        }
        let done = is_ready(3) || is_ready(1) && has_ended(program, &signals);
        running = !done && (!is_ready(0) || obey(program, watch.terminate));
    }
    Ok(())
}

/// Forks the program off, and returns once it is that program.
fn start(order: &Order, proxy: Option<SocketAddr>, plan: &[Mount], stdin: OwnedFd) -> Result<Pid, Refusal> {
    let (failure, failure_end) = pipe_with(PipeFlags::CLOEXEC).at(Step::Fork)?;
    let Some(program) = namespaces::fork().at(Step::Fork)? else {
        let failed = Failed::from(program::become_program(order, proxy, plan, stdin));
        let text = serde_json::to_vec(&failed).unwrap_or_default();
        // The parent is there as long as this process is.
        let _ = File::from(failure_end).write_all(&text);
        namespaces::leave(1)
    };
    drop(failure_end);
    let mut text = Vec::new();
    File::from(failure).read_to_end(&mut text).at(Step::Start)?;
    if text.is_empty() {
        return Ok(program);
    }
    // The report goes up from here: nothing runs that would have to be ended.
    let failed: Failed = serde_json::from_slice(&text).map_err(io::Error::from).at(Step::Start)?;
    let _ = report(rustix::stdio::stdin(), &Report::Failed(failed), &[]);
    namespaces::leave(1)
}

/// Takes what the leader says; false when it is gone or says something unknown.
fn obey(program: Pid, terminate: fn()) -> bool {
    let mut word = [0];
    match link::receive(rustix::stdio::stdin(), &mut word) {
        Ok((1, _)) => match word[0] {
            INTERRUPT => {
                // Like a Ctrl-C: for the program and what runs in its foreground.
                let _ = rustix::process::kill_process_group(program, Signal::INT);
                true
            }
            TERMINATE => {
                terminate();
                true
            }
            _ => false,
        },
        _ => false,
    }
}

/// Reaps what has ended; true, and reported, when the program itself is among it.
fn has_ended(program: Pid, signals: &OwnedFd) -> bool {
    // One signal stands for any number of children.
    let _ = rustix::io::read(signals, &mut [0_u8; size_of::<libc::signalfd_siginfo>()]);
    while let Ok(Some((pid, status))) = rustix::process::wait(WaitOptions::NOHANG) {
        if pid == program {
            let ended = match status.exit_status() {
                Some(code) => Report::Exited(code),
                None => Report::Signaled(status.terminating_signal().unwrap_or_default()),
            };
            // A leader that is gone needs no report.
            let _ = report(rustix::stdio::stdin(), &ended, &[]);
            return true;
        }
    }
    false
}

/// A descriptor that is readable when a child has ended. The signal itself is blocked; exec unblocks it for the program.
fn child_signals() -> io::Result<OwnedFd> {
    let mut set = MaybeUninit::uninit();
    // SAFETY: `sigemptyset` initialises the set before it is used, and each call is handed valid pointers.
    unsafe {
        libc::sigemptyset(set.as_mut_ptr());
        libc::sigaddset(set.as_mut_ptr(), libc::SIGCHLD);
        libc::sigprocmask(libc::SIG_BLOCK, set.as_ptr(), std::ptr::null_mut());
        let fd = libc::signalfd(-1, set.as_ptr(), libc::SFD_CLOEXEC);
        if fd == -1 { Err(io::Error::last_os_error()) } else { Ok(OwnedFd::from_raw_fd(fd)) }
    }
}
