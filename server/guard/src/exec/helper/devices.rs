//! The command's `/dev`: the devices that are no device, terminals of its own, and shared memory of its own.

use std::fs::{self, File};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::symlink;
use std::path::Path;

use rustix::mount::MountFlags;

use super::mounts;
use super::refusal::{At, Refusal};
use crate::exec::order::Step;

/// Devices that reach nothing. `tty` is whatever terminal the command makes itself.
const HARMLESS: [&str; 6] = ["null", "zero", "full", "random", "urandom", "tty"];

/// The usual links, as in every `/dev`.
const LINKS: [(&str, &str); 5] = [
    ("fd", "/proc/self/fd"),
    ("stdin", "/proc/self/fd/0"),
    ("stdout", "/proc/self/fd/1"),
    ("stderr", "/proc/self/fd/2"),
    ("ptmx", "pts/ptmx"),
];

/// Takes hold of the devices while they still are devices: before everything is mounted without any.
pub(super) fn collect() -> Result<Vec<(&'static str, OwnedFd)>, Refusal> {
    let device = |name| {
        let path = Path::new("/dev").join(name);
        Ok((name, mounts::clone_tree(&path).at_path(Step::Mounts, &path)?))
    };
    HARMLESS.into_iter().map(device).collect()
}

/// Mounts a `/dev` with them over the host's.
pub(super) fn mount(devices: Vec<(&'static str, OwnedFd)>) -> Result<(), Refusal> {
    let root = Path::new("/dev");
    fill(root, devices).at_path(Step::Mounts, root)
}

fn fill(root: &Path, devices: Vec<(&'static str, OwnedFd)>) -> io::Result<()> {
    mounts::tmpfs(root, c"mode=755,size=64k")?;
    for (name, device) in devices {
        let at = root.join(name);
        File::create(&at)?;
        mounts::move_to(&device, &at)?;
    }
    for (name, target) in LINKS {
        symlink(target, root.join(name))?;
    }
    let (terminals, memory) = (root.join("pts"), root.join("shm"));
    fs::create_dir(&terminals)?;
    let flags = MountFlags::NOSUID | MountFlags::NOEXEC;
    rustix::mount::mount("devpts", &terminals, "devpts", flags, Some(c"newinstance,ptmxmode=0666,mode=620"))?;
    fs::create_dir(&memory)?;
    mounts::tmpfs(&memory, c"mode=1777")?;
    mounts::seal(root)
}
