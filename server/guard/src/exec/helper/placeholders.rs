//! Directories that have to be there so that they can be read-only, and are gone again afterwards.
//!
//! An empty directory is invisible to git. Several commands can need one at a time: each holds a shared lock on it,
//! and the last one, who gets it exclusively, removes it. What it is not sure to have made itself it leaves alone.

use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use rustix::fs::{FlockOperation, Mode, OFlags, XattrFlags};

/// Marks a directory as made here.
const MARK: &str = "user.swarm-ls.placeholder";

/// How often a directory is made anew that another command removes at the same moment.
const TRIES: usize = 16;

pub(super) struct Placeholder {
    path: PathBuf,
    held: File,
}

/// Makes the directories and holds them. One that cannot be made could not be made by the command either.
pub(super) fn hold(paths: Vec<PathBuf>) -> Vec<Placeholder> {
    paths.into_iter().filter_map(hold_one).collect()
}

/// Removes those that are still empty and that nobody else holds.
pub(super) fn release(placeholders: Vec<Placeholder>) {
    for Placeholder { path, held } in placeholders {
        let last = rustix::fs::flock(&held, FlockOperation::NonBlockingLockExclusive).is_ok();
        if last && rustix::fs::fgetxattr(&held, MARK, &mut [0_u8; 1]).is_ok() {
            // A directory that is in use is not empty, and stays.
            let _ = fs::remove_dir(&path);
        }
    }
}

fn hold_one(path: PathBuf) -> Option<Placeholder> {
    for _ in 0..TRIES {
        let made = fs::create_dir(&path).is_ok();
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let Ok(held) = rustix::fs::open(&path, flags, Mode::empty()).map(File::from) else { continue };
        if made {
            // Where marks are not to be had, an empty directory stays behind.
            let _ = rustix::fs::fsetxattr(&held, MARK, b"1", XattrFlags::empty());
        }
        if !made && fs::read_dir(&path).is_ok_and(|mut entries| entries.next().is_some()) {
            // The user's own; nobody removes it as empty.
            return None;
        }
        rustix::fs::flock(&held, FlockOperation::LockShared).ok()?;
        let same = match (held.metadata(), fs::symlink_metadata(&path)) {
            (Ok(held), Ok(found)) => (held.dev(), held.ino()) == (found.dev(), found.ino()),
            _ => false,
        };
        if same {
            return Some(Placeholder { path, held });
        }
    }
    None
}
