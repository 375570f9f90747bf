//! A command without namespaces: where the machine gives none, or where the user wants no walls for it.
//!
//! The helper itself is what orphans fall to, and it kills its descendants one by one until none is left. That is
//! weaker than a namespace: a helper that is killed leaves what had made itself independent of the program.

use std::collections::HashMap;
use std::fs;
use std::os::fd::OwnedFd;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, WaitOptions};

use super::plan::Mount;
use super::refusal::{At, Refusal};
use super::supervise::{Watch, supervise};
use crate::exec::order::{Order, Step};

/// Runs the command to its end, and ends what it leaves behind.
///
/// # Errors
/// When the program could not be started.
pub(super) fn run(order: &Order, plan: &[Mount], stdin: OwnedFd) -> Result<(), Refusal> {
    let own = rustix::process::getpid();
    rustix::process::set_child_subreaper(Some(own)).at(Step::Session)?;
    let watch = Watch { parent: None, walls: None, terminate };
    let ended = supervise(order, plan, stdin, &watch);
    // Whoever loses its parent becomes a child of this process, so that in the end all are.
    loop {
        match rustix::process::wait(WaitOptions::NOHANG) {
            Ok(Some(_)) | Err(rustix::io::Errno::INTR) => {}
            Ok(None) => {
                kill_descendants(Signal::KILL);
                // The next one to end says that it is worth looking again.
                let _ = rustix::process::waitid(WaitId::All, WaitIdOptions::EXITED | WaitIdOptions::NOWAIT);
            }
            // No child is left.
            Err(_) => return ended,
        }
    }
}

fn terminate() {
    kill_descendants(Signal::TERM);
}

fn kill_descendants(signal: Signal) {
    let parents = parents();
    let own = rustix::process::getpid().as_raw_pid();
    for pid in parents.keys() {
        if descends(*pid, own, &parents)
            && let Some(pid) = Pid::from_raw(*pid)
        {
            // One that has ended needs no signal.
            let _ = rustix::process::kill_process(pid, signal);
        }
    }
}

fn descends(pid: i32, from: i32, parents: &HashMap<i32, i32>) -> bool {
    let mut above = parents.get(&pid);
    // No chain of parents is longer than there are processes, even one that changed while it was read.
    for _ in 0..parents.len() {
        match above {
            Some(parent) if *parent == from => return true,
            Some(parent) => above = parents.get(parent),
            None => return false,
        }
    }
    false
}

/// Every process's parent, by proc_pid_stat(5): the second field after the name, which is in parentheses.
fn parents() -> HashMap<i32, i32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let parent = |entry: fs::DirEntry| {
        let pid = entry.file_name().to_str()?.parse().ok()?;
        let stat = fs::read_to_string(entry.path().join("stat")).ok()?;
        let (_, after) = stat.rsplit_once(')')?;
        Some((pid, after.split_whitespace().nth(1)?.parse().ok()?))
    };
    entries.filter_map(parent).collect()
}
