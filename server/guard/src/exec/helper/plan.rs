//! From a policy to the mounts that make it true, in the order in which they have to be made.
//! It looks at the disk, and must not change it.

use std::fs;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use crate::exec::policy::{Confinement, Policy, Protected};

/// One mount of the command's view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mount {
    /// Where the command sees it; without symbolic links.
    pub(super) at: PathBuf,
    /// Where it is outside.
    pub(super) from: PathBuf,
    pub(super) directory: bool,
    pub(super) what: What,
}

impl Mount {
    fn new(at: PathBuf, from: PathBuf, what: What) -> Self {
        Self { at, directory: from.is_dir(), from, what }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum What {
    /// What is there, to be read.
    ReadOnly,
    /// What is there, to be read and written.
    Writable,
    /// An empty place to write, as long as the command runs.
    Scratch,
    /// Nothing: an empty directory or an empty file.
    Hidden,
}

/// A repository's own directory.
pub(super) const GIT_DIR: &str = ".git";

/// The mounts of `policy`, outer ones first. `sockets` are those that others listen on.
pub(super) fn plan(policy: &Policy, sockets: &[PathBuf]) -> Vec<Mount> {
    let mut mounts = Vec::new();
    let mut add = |path: &Path, what| {
        // Most places are not there, which one look shows; to resolve a path takes one for each part of it.
        if fs::symlink_metadata(path).is_ok()
            && let Ok(at) = path.canonicalize()
        {
            mounts.push(Mount::new(at.clone(), at, what));
        }
    };
    // Where these lie beneath something hidden, they are to be there all the same.
    add(&policy.home, What::ReadOnly);
    add(&policy.workspace, What::ReadOnly);
    for root in policy.writable_roots().filter(|root| !is_led_astray(policy, root)) {
        add(root, What::Writable);
        // As a mount of its own it cannot be renamed away, and another put in its place. What is no repository yet
        // is a placeholder, or a link to one.
        let git = root.join(GIT_DIR);
        add(&git, if git.join("HEAD").exists() { What::Writable } else { What::ReadOnly });
    }
    for path in policy.hidden.iter().chain(sockets) {
        add(path, What::Hidden);
    }
    let temp = Path::new("/tmp").canonicalize().unwrap_or_else(|_| "/tmp".into());
    let scratch = Path::new("/var/tmp").canonicalize().ok().filter(|path| *path != temp);
    mounts.extend(scratch.map(|at| Mount::new(at.clone(), at, What::Scratch)));
    mounts.push(match policy.temp.as_ref().and_then(|path| path.canonicalize().ok()) {
        Some(from) => Mount::new(temp, from, What::Writable),
        None => Mount::new(temp.clone(), temp, What::Scratch),
    });
    let mut mounts = arrange(mounts);
    // Whatever else is to be done with one of these, it is not to be written.
    for path in protected(policy) {
        match mounts.iter_mut().find(|mount| mount.at == path) {
            Some(mount) if mount.what == What::Hidden => {}
            Some(mount) => mount.what = What::ReadOnly,
            None => mounts.push(Mount::new(path.clone(), path, What::ReadOnly)),
        }
    }
    arrange(mounts)
}

/// Whether a further writable place has become another one, by a link in its path.
fn is_led_astray(policy: &Policy, root: &Path) -> bool {
    policy.writable.iter().any(|place| place == root) && root.canonicalize().is_ok_and(|found| found != root)
}

/// The same places as they are without a view of its own: its temporary files lie where they are.
pub(super) fn without_mounts(policy: &Policy) -> Vec<Mount> {
    let mut mounts = plan(policy, &[]);
    for mount in &mut mounts {
        mount.at.clone_from(&mount.from);
    }
    if policy.confinement == Confinement::Off { Vec::new() } else { mounts }
}

fn protected(policy: &Policy) -> Vec<PathBuf> {
    policy
        .writable_roots()
        .flat_map(|root| policy.readonly_within.iter().map(|protected| root.join(protected.path())))
        .filter_map(|path| path.canonicalize().ok())
        .collect()
}

/// The directories that are to be there, so that they can be read-only. Without a repository its place
/// is among them: one that a command makes could be configured to run anything when an editor looks at it.
pub(super) fn protected_directories(policy: &Policy) -> Vec<PathBuf> {
    let mut directories = Vec::new();
    for root in policy.writable_roots() {
        if root == policy.workspace {
            directories.push(root.join(GIT_DIR));
        }
        for protected in &policy.readonly_within {
            if let Protected::Directory(path) = protected {
                directories.push(root.join(path));
            }
        }
    }
    // Not where something else is, or the parent is missing, or a file.
    directories.retain(|path| path.parent().is_some_and(Path::is_dir) && (!path.exists() || path.is_dir()));
    directories
}

/// The sockets with a name in the file system that are bound, as proc_net_unix(5) has them.
pub(super) fn bound_sockets() -> Vec<PathBuf> {
    named(&fs::read_to_string("/proc/net/unix").unwrap_or_default())
        .into_iter()
        .filter(|path| fs::symlink_metadata(path).is_ok_and(|found| found.file_type().is_socket()))
        .collect()
}

/// What is named by a path; an abstract name begins with `@`, whatever it looks like after that.
fn named(table: &str) -> Vec<PathBuf> {
    let name = |line: &str| {
        let mut rest = line;
        for _ in 0..7 {
            rest = rest.trim_start().split_once(' ')?.1;
        }
        Some(PathBuf::from(rest.trim_start()))
    };
    table.lines().filter_map(name).filter(|path| path.is_absolute()).collect()
}

/// Outer before inner; of two for one place the later kind.
fn arrange(mut mounts: Vec<Mount>) -> Vec<Mount> {
    let depth = |mount: &Mount| mount.at.components().count();
    mounts.sort_by(|a, b| {
        depth(a).cmp(&depth(b)).then_with(|| a.at.cmp(&b.at)).then_with(|| b.what.cmp(&a.what))
    });
    mounts.dedup_by(|later, first| later.at == first.at);
    mounts
}

#[cfg(test)]
mod tests;
