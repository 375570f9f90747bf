//! A leader one of whose children is caught between fork and exec.

use std::os::unix::process::CommandExt;
use std::process::Command;

use swarm_store::{Lease, TeamDir};

use crate::until_told;

/// Takes the lease, then starts a child that never comes to its exec. Prints the epoch and the child's id.
pub(crate) fn lead(team: &TeamDir) {
    let lease = Lease::take(team).unwrap();
    println!("{}", lease.epoch());
    let mut child = Command::new("true");
    let wait_forever = || {
        println!("{}", std::process::id());
        loop {
            nix::unistd::pause();
        }
    };
    // SAFETY: single-threaded, so the child may print and wait like any process.
    unsafe { child.pre_exec(wait_forever) };
    // Returns only when the child execs, which it never does.
    let _ = child.spawn();
    until_told();
    drop(lease);
}
