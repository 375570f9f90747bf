//! The init of the command's PID namespace.
//!
//! When it exits the kernel kills all processes in the namespace, whatever session, group or state they are in,
//! before its parent learns of it. It must therefore outlive nobody: it exits when the program has, when the link
//! or its parent is gone, and when it is killed itself.

use std::fs::File;
use std::os::fd::OwnedFd;

use rustix::process::Signal;

use super::plan::Mount;
use super::refusal::{At, Refusal};
use super::supervise::{Watch, supervise};
use super::{loopback, mounts, namespaces};
use crate::exec::order::{Order, Step};
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
    let watch = Watch { parent: Some(alive), walls: Some((walls, empty)), terminate };
    supervise(order, plan, stdin, &watch)?;
    namespaces::leave(0)
}

fn terminate() {
    // SAFETY: from the init of a PID namespace this reaches its processes and no others.
    unsafe { libc::kill(-1, libc::SIGTERM) };
}
