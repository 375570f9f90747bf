//! Files that cannot be walled off, since they are not there, and whose mere presence would steer git: the end of
//! the command that makes one. It must not touch one that was there before.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use rustix::fs::inotify::{self, CreateFlags, ReadFlags, WatchFlags};

use super::plan::{Mount, What};

/// In a repository's own directory, by gitrepository-layout(5): where its configuration is instead, and a second one.
const NAMES: [&str; 2] = ["commondir", "config.worktree"];

pub(super) struct Tripwire {
    watch: OwnedFd,
    /// Each is absent.
    forbidden: Vec<PathBuf>,
}

impl Tripwire {
    /// Watches every writable directory of the plan that is a repository's own.
    pub(super) fn set(plan: &[Mount]) -> io::Result<Self> {
        let watch = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)?;
        let mut forbidden = Vec::new();
        for mount in plan.iter().filter(|mount| mount.what == What::Writable) {
            if !mount.at.join("HEAD").is_file() {
                continue;
            }
            inotify::add_watch(&watch, &mount.at, WatchFlags::CREATE | WatchFlags::MOVED_TO)?;
            forbidden.extend(NAMES.map(|name| mount.at.join(name)).into_iter().filter(|path| !path.exists()));
        }
        Ok(Self { watch, forbidden })
    }

    /// Whether a forbidden file was made; it is removed then. Whatever else was made is none of its business.
    pub(super) fn is_sprung(&self) -> bool {
        if !self.was_named() {
            return false;
        }
        let mut sprung = false;
        for path in self.forbidden.iter().filter(|path| path.symlink_metadata().is_ok()) {
            sprung = true;
            // One that cannot be removed as a file is a directory.
            let _ = fs::remove_file(path).or_else(|_| fs::remove_dir_all(path));
        }
        sprung
    }

    fn was_named(&self) -> bool {
        let mut buffer = [MaybeUninit::uninit(); 4096];
        let mut events = inotify::Reader::new(&self.watch, &mut buffer);
        let mut named = false;
        while let Ok(event) = events.next() {
            let name = event.file_name().map(|name| OsStr::from_bytes(name.to_bytes()));
            // Where events were lost, the files themselves are looked at.
            let lost = event.events().contains(ReadFlags::QUEUE_OVERFLOW);
            named |= lost || name.is_some_and(|name| NAMES.iter().any(|forbidden| name == *forbidden));
        }
        named
    }
}

impl AsFd for Tripwire {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.watch.as_fd()
    }
}
