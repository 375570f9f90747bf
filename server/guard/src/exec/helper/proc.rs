//! The command's `/proc`: its own processes, and none of the machine's switches.

use std::io;
use std::path::Path;

use rustix::mount::MountFlags;

use super::mounts;
use super::refusal::{At, Refusal};
use crate::exec::order::Step;

/// What user 0 could turn here even without any capability, since it owns the files.
const SWITCHES: [&str; 8] = ["sys", "sysrq-trigger", "irq", "bus", "fs", "acpi", "scsi", "driver"];

/// What is the machine's own: its memory, its log, everybody's keys.
const MACHINE: [&str; 5] = ["kcore", "kmsg", "keys", "key-users", "timer_list"];

/// Mounts it over the host's.
pub(super) fn mount() -> Result<(), Refusal> {
    let root = Path::new("/proc");
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    rustix::mount::mount("proc", root, "proc", flags, None).at_path(Step::Mounts, root)?;
    for switch in SWITCHES {
        let at = root.join(switch);
        each_that_exists(&at, |at| {
            let tree = mounts::clone_tree(at)?;
            mounts::move_to(&tree, at)?;
            mounts::seal(at)
        })?;
    }
    for file in MACHINE {
        let at = root.join(file);
        each_that_exists(&at, |at| {
            let nothing = mounts::clone_tree(Path::new("/dev/null"))?;
            mounts::move_to(&nothing, at)
        })?;
    }
    Ok(())
}

fn each_that_exists(at: &Path, change: impl FnOnce(&Path) -> io::Result<()>) -> Result<(), Refusal> {
    if at.exists() { change(at).at_path(Step::Mounts, at) } else { Ok(()) }
}
