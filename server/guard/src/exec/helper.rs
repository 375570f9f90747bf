//! The helper, `swarm-ls exec`: the fresh process that stands between the leader and a command.
//!
//! It must stay single-threaded, since it forks and enters namespaces, and must do without a runtime.
//! It forks once: the parent only waits and tidies up, the child becomes the init of the command's processes
//! ([`init`]), which starts the program ([`program`]). Without namespaces ([`bare`]) it is both itself.

mod bare;
mod devices;
mod init;
mod landlock;
mod loopback;
mod mounts;
mod namespaces;
mod placeholders;
mod plan;
mod privileges;
mod proc;
mod program;
mod refusal;
mod seccomp;
mod supervise;
mod tripwire;

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::process::ExitCode;

use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::WaitOptions;

pub(super) use self::landlock::version as landlock_version;
use self::refusal::{At, Refusal};
use super::link;
use super::order::{Order, Report, Step};
use super::policy::Confinement;

/// What the helper's exit code says when it was started wrongly; sysexits(3) has it as "command line usage error".
const EX_USAGE: u8 = 64;

/// Runs the helper; `args` are the program's arguments after `exec`. It has to be called before any other thread starts.
pub fn enter(mut args: impl Iterator<Item = OsString>) -> ExitCode {
    if args.next().is_some() || rustix::net::sockopt::socket_type(rustix::stdio::stdin()).is_err() {
        // Standard error is where a person who started this by hand looks.
        let _ = writeln!(
            io::stderr(),
            "`exec` takes no arguments: a swarm-ls leader starts it, with a link as input"
        );
        return ExitCode::from(EX_USAGE);
    }
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(refusal) => {
            // A leader that is gone needs no report.
            let _ = report(rustix::stdio::stdin(), &Report::Failed(refusal.into()), &[]);
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Refusal> {
    close_inherited();
    let (order, stdin) = read_order().at(Step::ReadOrder)?;
    rustix::process::setsid().at(Step::Session)?;
    if order.policy.confinement != Confinement::Full {
        let plan = plan::without_mounts(&order.policy);
        return bare::run(&order, &plan, stdin);
    }
    let placeholders = placeholders::hold(plan::protected_directories(&order.policy));
    let plan = plan::plan(&order.policy, &plan::bound_sockets());
    namespaces::enter(&order.policy)?;
    // The init notices at the end of this pipe that its parent is gone.
    let (alive, alive_end) = pipe_with(PipeFlags::CLOEXEC).at(Step::Fork)?;
    match namespaces::fork().at(Step::Fork)? {
        None => {
            drop(alive_end);
            init::run(&order, &plan, stdin, alive)
        }
        Some(init) => {
            // From here on only the init reports.
            let null = File::open("/dev/null").at(Step::Session)?;
            rustix::stdio::dup2_stdin(&null).at(Step::Session)?;
            rustix::io::retry_on_intr(|| rustix::process::waitpid(Some(init), WaitOptions::empty()))
                .at(Step::Session)?;
            placeholders::release(placeholders);
            Ok(())
        }
    }
}

/// Closes whatever the leader was itself handed without close-on-exec: a command must not get it.
fn close_inherited() {
    // SAFETY: nothing in this fresh process holds a descriptor above 2 yet.
    unsafe { libc::close_range(3, libc::c_uint::MAX, 0) };
}

fn read_order() -> io::Result<(Order, OwnedFd)> {
    let (_, descriptors) = link::receive(rustix::stdio::stdin(), &mut [0; 1])?;
    let Ok([order, stdin]) = <[OwnedFd; 2]>::try_from(descriptors) else {
        return Err(io::ErrorKind::InvalidData.into());
    };
    let mut json = Vec::new();
    File::from(order).read_to_end(&mut json)?;
    Ok((serde_json::from_slice(&json)?, stdin))
}

/// Writes one report to the leader, with what it is about.
fn report(link: impl AsFd, report: &Report, descriptors: &[BorrowedFd<'_>]) -> io::Result<()> {
    let mut line = serde_json::to_vec(report)?;
    line.push(b'\n');
    link::send(link, &line, descriptors)
}
