//! The init of the command's PID namespace: starts the program, reaps what is orphaned, and ends everything.
//!
//! When it exits the kernel kills all processes in the namespace, whatever session, group or state they are in,
//! before its parent learns of it. It must therefore outlive nobody: it exits when the program has, when the link
//! or its parent is gone, and when it is killed itself.

use std::fs::File;
use std::io::{self, Read, Write};
use std::mem::MaybeUninit;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::os::fd::{AsFd, FromRawFd, OwnedFd};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{DumpableBehavior, Pid, Signal, WaitOptions};

use super::plan::Mount;
use super::refusal::{At, Refusal};
use super::tripwire::Tripwire;
use super::{loopback, mounts, namespaces, program, report};
use crate::exec::link;
use crate::exec::order::{Failed, INTERRUPT, Order, Report, Step, TERMINATE};
use crate::exec::policy::Network;

/// Runs the command to its end, then exits, and with it everything else in the namespace. `alive` closes when the parent is gone.
///
/// # Errors
/// When the program could not be started, or a wall has fallen and could not be put up again.
pub(super) fn run(order: &Order, plan: &[Mount], stdin: OwnedFd, alive: OwnedFd) -> Result<(), Refusal> {
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL)).at(Step::Session)?;
    namespaces::enter_mounts()?;
    let empty = mounts::build(plan)?;
    if order.policy.network != Network::Open {
        loopback::bring_up().at(Step::Loopback)?;
    }
    let walls = File::open("/proc/self/mountinfo").at(Step::Mounts)?;
    // What runs in the namespace as the same user must not trace its init, nor read its memory.
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
    let started = report(leader, &Report::Started, &handed_out);
    drop(way_out);

    let mut running = started.is_ok();
    while running {
        let mut ready = [
            PollFd::from_borrowed_fd(leader, PollFlags::IN),
            PollFd::from_borrowed_fd(alive.as_fd(), PollFlags::IN),
            PollFd::from_borrowed_fd(signals.as_fd(), PollFlags::IN),
            PollFd::from_borrowed_fd(walls.as_fd(), PollFlags::PRI),
            PollFd::from_borrowed_fd(tripwire.as_fd(), PollFlags::IN),
        ];
        rustix::io::retry_on_intr(|| poll(&mut ready, None)).at(Step::Session)?;
        let [from_leader, parent_gone, child_ended, walls_changed, touched] =
            ready.map(|fd| !fd.revents().is_empty());
        if touched && tripwire.is_sprung() {
            // A leader that is gone needs no report.
            let _ = report(leader, &Report::Tampered, &[]);
            break;
        }
        let done = parent_gone || child_ended && has_ended(program, &signals);
        if walls_changed {
            // Without its walls a command does not go on.
            mounts::mend(plan, &empty)?;
        }
        running = !done && (!from_leader || obey(program));
    }
    namespaces::leave(0)
}

/// Forks the program off, and returns once it is that program.
fn start(order: &Order, proxy: Option<SocketAddr>, plan: &[Mount], stdin: OwnedFd) -> Result<Pid, Refusal> {
    let (failure, failure_end) = pipe_with(PipeFlags::CLOEXEC).at(Step::Fork)?;
    let Some(program) = namespaces::fork().at(Step::Fork)? else {
        let failed = Failed::from(program::become_program(order, proxy, plan, stdin));
        let text = serde_json::to_vec(&failed).unwrap_or_default();
        // The init is there as long as this process is.
        let _ = File::from(failure_end).write_all(&text);
        namespaces::leave(1)
    };
    drop(failure_end);
    let mut text = Vec::new();
    File::from(failure).read_to_end(&mut text).at(Step::Start)?;
    if text.is_empty() {
        return Ok(program);
    }
    // The report goes up from here: the namespace ends with this process.
    let failed: Failed = serde_json::from_slice(&text).map_err(io::Error::from).at(Step::Start)?;
    let _ = report(rustix::stdio::stdin(), &Report::Failed(failed), &[]);
    namespaces::leave(1)
}

/// Takes what the leader says; false when it is gone or says something unknown.
fn obey(program: Pid) -> bool {
    let mut word = [0];
    match link::receive(rustix::stdio::stdin(), &mut word) {
        Ok((1, _)) => match word[0] {
            INTERRUPT => {
                // Like a Ctrl-C: for the program and what runs in its foreground.
                let _ = rustix::process::kill_process_group(program, Signal::INT);
                true
            }
            TERMINATE => {
                // SAFETY: from the init of a PID namespace this reaches its processes and no others.
                unsafe { libc::kill(-1, libc::SIGTERM) };
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
