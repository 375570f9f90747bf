//! What the command sees of the file system.

use rustix::mount::{MountFlags, MountPropagationFlags};

use super::refusal::{At, Refusal};
use crate::exec::order::Step;
use crate::exec::policy::Policy;

/// Builds the command's view, in this process's mount namespace. It has to be the init of its PID namespace.
pub(super) fn build(_policy: &Policy) -> Result<(), Refusal> {
    // Nothing mounted here may travel to the host.
    rustix::mount::mount_change("/", MountPropagationFlags::REC | MountPropagationFlags::PRIVATE)
        .at(Step::Mounts)?;
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    rustix::mount::mount("proc", "/proc", "proc", flags, None).at_path(Step::Mounts, "/proc".as_ref())
}
