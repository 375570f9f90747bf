//! Enters the namespaces: user, PID, IPC and, unless the network is open, network; then, for the init alone, mount.
//! It must not decide what is visible in them; `mounts` does.

use std::io;
use std::path::Path;

use rustix::process::Pid;
use rustix::thread::UnshareFlags;

use super::refusal::{At, Refusal};
use crate::exec::order::Step;
use crate::exec::policy::{Network, Policy};

/// Puts this process into new namespaces, as the same user in each; its next child is their init.
pub(super) fn enter(policy: &Policy) -> Result<(), Refusal> {
    let (uid, gid) = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
    let mut flags = UnshareFlags::NEWUSER | UnshareFlags::NEWPID | UnshareFlags::NEWIPC;
    if policy.network != Network::Open {
        flags |= UnshareFlags::NEWNET;
    }
    unshare(flags)?;
    // The kernel takes a group mapping of an ordinary user only once it can no longer drop groups (user_namespaces(7)).
    write("/proc/self/setgroups", "deny")?;
    write("/proc/self/uid_map", &format!("{uid} {uid} 1"))?;
    write("/proc/self/gid_map", &format!("{gid} {gid} 1"))
}

/// Puts this process into a mount namespace of its own. Its parent stays outside, to tidy up there.
pub(super) fn enter_mounts() -> Result<(), Refusal> {
    unshare(UnshareFlags::NEWNS)
}

/// Forks; none is the child.
pub(super) fn fork() -> io::Result<Option<Pid>> {
    // SAFETY: this process has one thread, so that no lock can be held by another in the child.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        pid => Ok(Pid::from_raw(pid)),
    }
}

fn unshare(flags: UnshareFlags) -> Result<(), Refusal> {
    // SAFETY: descriptors are not unshared, and this process has one thread.
    unsafe { rustix::thread::unshare_unsafe(flags) }.at(Step::Namespaces)
}

/// Ends a forked process, without the parent's exit handlers.
pub(super) fn leave(code: i32) -> ! {
    // SAFETY: nothing of this process is used afterwards.
    unsafe { libc::_exit(code) }
}

fn write(path: &str, text: &str) -> Result<(), Refusal> {
    std::fs::write(path, text).at_path(Step::IdMap, Path::new(path))
}
