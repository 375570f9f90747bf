//! Makes the command's view of the file system from a plan, and keeps it whole while the command runs.
//! It must not decide what is in the view; `plan` does.
//!
//! Everything is read-only at first, all at once, with what is beneath; what is written was cloned before. Mounts
//! are never taken away again, since what they cover would be there.

use std::collections::HashSet;
use std::ffi::{CStr, CString};
use std::fs::{self, File};
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use rustix::fs::CWD;
use rustix::mount::{MountFlags, MountPropagationFlags, MoveMountFlags, OpenTreeFlags};

use super::plan::{Mount, What};
use super::refusal::{At, Refusal};
use super::{devices, proc};
use crate::exec::order::Step;

/// `struct mount_attr` of `linux/mount.h`.
#[repr(C)]
struct MountAttributes {
    set: u64,
    clear: u64,
    propagation: u64,
    user_namespace: u64,
}

const READ_ONLY: u64 = 0x1;
const NO_SETUID: u64 = 0x2;
const NO_DEVICES: u64 = 0x4;

/// Where the empty file that covers hidden files is made; a plan always hides it.
const RUN: &str = "/run";

/// How often a path is looked at again that is being replaced; the kernel needs some microseconds for it.
const TRIES: usize = 10_000;

/// The name of the empty file.
const EMPTY: &str = ".empty";

/// The one link in there without which NixOS has no programs.
const SYSTEM: &str = "/run/current-system";

/// The empty file, as something to mount.
pub(super) struct Empty(OwnedFd);

/// Builds the view, in this process's mount namespace. The process has to be the init of its PID namespace.
pub(super) fn build(plan: &[Mount]) -> Result<Empty, Refusal> {
    // Nothing mounted here may travel to the host.
    rustix::mount::mount_change("/", MountPropagationFlags::REC | MountPropagationFlags::PRIVATE)
        .at(Step::Mounts)?;
    let devices = devices::collect()?;
    let clones = plan.iter().map(clone).collect::<Result<Vec<_>, _>>()?;
    let everything = libc::AT_RECURSIVE;
    set(CWD, c"/", READ_ONLY | NO_SETUID | NO_DEVICES, everything).at_path(Step::Mounts, Path::new("/"))?;
    let mut covers = Vec::new();
    let empty = empty_file(&mut covers)?;
    for (mount, clone) in plan.iter().zip(clones) {
        if mount.at == Path::new("/") || mount.at == Path::new(RUN) {
            continue;
        }
        match clone {
            Some(clone) => attach(mount, &clone),
            None if mount.what == What::Scratch => scratch(&mount.at),
            None => match hide(&mount.at, &empty, &mut covers) {
                // Gone since it was planned.
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
                done => done,
            },
        }
        .at_path(Step::Mounts, &mount.at)?;
    }
    proc::mount()?;
    devices::mount(devices)?;
    for cover in covers {
        seal(&cover).at_path(Step::Mounts, &cover)?;
    }
    Ok(empty)
}

/// Puts up again what has fallen: when somebody outside replaces a file that is a mount in here, the kernel takes
/// the mount away, and the new file would be writable.
pub(super) fn mend(plan: &[Mount], empty: &Empty) -> Result<(), Refusal> {
    let table = fs::read_to_string("/proc/self/mountinfo").at(Step::Mounts)?;
    // The fifth field, as proc_pid_mountinfo(5) has it.
    let standing: HashSet<PathBuf> =
        table.lines().filter_map(|line| line.split(' ').nth(4)).map(unescape).collect();
    for mount in plan {
        if matches!(mount.what, What::ReadOnly | What::Hidden) && !standing.contains(&mount.at) {
            mend_one(mount, empty).at_path(Step::Mounts, &mount.at)?;
        }
    }
    Ok(())
}

fn mend_one(mount: &Mount, empty: &Empty) -> io::Result<()> {
    if mount.what == What::ReadOnly && mount.directory && !mount.at.exists() {
        fs::create_dir(&mount.at)?;
    }
    for _ in 0..TRIES {
        if !mount.at.exists() {
            return Ok(());
        }
        let done = match mount.what {
            What::Hidden => hide(&mount.at, empty, &mut Vec::new()),
            _ => clone_tree(&mount.at).map_err(io::Error::from).and_then(|tree| attach(mount, &tree)),
        };
        match done {
            // In the middle of a replacement the path leads to a file that is gone already.
            Err(error) if error.kind() == io::ErrorKind::NotFound => std::thread::yield_now(),
            done => return done,
        }
    }
    Err(io::ErrorKind::NotFound.into())
}

/// What the plan shows, as a tree of its own, while it can still be found; none for what is made anew.
fn clone(mount: &Mount) -> Result<Option<OwnedFd>, Refusal> {
    match mount.what {
        What::ReadOnly | What::Writable => {
            clone_tree(&mount.from).at_path(Step::Mounts, &mount.from).map(Some)
        }
        What::Scratch | What::Hidden => Ok(None),
    }
}

pub(super) fn clone_tree(path: &Path) -> rustix::io::Result<OwnedFd> {
    let flags = OpenTreeFlags::OPEN_TREE_CLONE
        | OpenTreeFlags::OPEN_TREE_CLOEXEC
        | OpenTreeFlags::AT_RECURSIVE
        | OpenTreeFlags::AT_SYMLINK_NOFOLLOW;
    rustix::mount::open_tree(CWD, path, flags)
}

fn attach(mount: &Mount, clone: &OwnedFd) -> io::Result<()> {
    let read_only = if mount.what == What::ReadOnly { READ_ONLY } else { 0 };
    set(clone, c"", read_only | NO_SETUID | NO_DEVICES, libc::AT_RECURSIVE)?;
    if !mount.at.exists() {
        make_mount_point(&mount.at, mount.directory)?;
    }
    move_to(clone, &mount.at)
}

pub(super) fn move_to(tree: &OwnedFd, at: &Path) -> io::Result<()> {
    Ok(rustix::mount::move_mount(tree, c"", CWD, at, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH)?)
}

/// Beneath something hidden there is no place to mount on until one is made, in the cover.
fn make_mount_point(at: &Path, directory: bool) -> io::Result<()> {
    if directory {
        return fs::create_dir_all(at);
    }
    if let Some(parent) = at.parent() {
        fs::create_dir_all(parent)?;
    }
    File::create(at).map(drop)
}

fn hide(at: &Path, empty: &Empty, covers: &mut Vec<PathBuf>) -> io::Result<()> {
    let Ok(found) = at.symlink_metadata() else {
        // What lies beneath something hidden is gone already.
        return Ok(());
    };
    if !found.is_dir() {
        let copy = rustix::mount::open_tree(
            &empty.0,
            c"",
            OpenTreeFlags::OPEN_TREE_CLONE | OpenTreeFlags::OPEN_TREE_CLOEXEC | OpenTreeFlags::AT_EMPTY_PATH,
        )?;
        return move_to(&copy, at);
    }
    tmpfs(at, c"mode=755,size=64k")?;
    covers.push(at.to_owned());
    Ok(())
}

fn scratch(at: &Path) -> io::Result<()> {
    tmpfs(at, c"mode=1777")
}

pub(super) fn tmpfs(at: &Path, options: &CStr) -> io::Result<()> {
    let flags = MountFlags::NOSUID | MountFlags::NODEV;
    Ok(rustix::mount::mount("tmpfs", at, "tmpfs", flags, Some(options))?)
}

/// Hides `/run`, and gives the empty file that hides files.
fn empty_file(covers: &mut Vec<PathBuf>) -> Result<Empty, Refusal> {
    let run = Path::new(RUN);
    let system = fs::read_link(SYSTEM);
    tmpfs(run, c"mode=755,size=64k").at_path(Step::Mounts, run)?;
    let file = run.join(EMPTY);
    File::create(&file).at_path(Step::Mounts, &file)?;
    let tree = clone_tree(&file).at_path(Step::Mounts, &file)?;
    set(&tree, c"", READ_ONLY, 0).at_path(Step::Mounts, &file)?;
    if let Ok(system) = system {
        symlink(system, SYSTEM).at_path(Step::Mounts, Path::new(SYSTEM))?;
    }
    covers.push(run.to_owned());
    Ok(Empty(tree))
}

/// Makes one mount read-only, and none beneath it.
pub(super) fn seal(at: &Path) -> io::Result<()> {
    let path = CString::new(at.as_os_str().as_bytes())?;
    set(CWD, &path, READ_ONLY, 0)
}

/// Adds attributes to a mount; with `AT_RECURSIVE` as a flag, also to all beneath it.
fn set(dir: impl AsFd, path: &CStr, attributes: u64, flags: libc::c_int) -> io::Result<()> {
    let attributes = MountAttributes { set: attributes, clear: 0, propagation: 0, user_namespace: 0 };
    let flags = flags | libc::AT_EMPTY_PATH | libc::AT_SYMLINK_NOFOLLOW;
    // SAFETY: the path ends in a zero, and the structure has the size that is named.
    let result = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            dir.as_fd().as_raw_fd(),
            path.as_ptr(),
            flags,
            &raw const attributes,
            size_of::<MountAttributes>(),
        )
    };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Undoes the octal escapes of mountinfo: space, tab, newline and backslash.
fn unescape(field: &str) -> PathBuf {
    PathBuf::from(
        field.replace("\\040", " ").replace("\\011", "\t").replace("\\012", "\n").replace("\\134", "\\"),
    )
}
