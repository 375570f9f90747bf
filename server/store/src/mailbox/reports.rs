//! What a reader has told of files that are no messages, so that each is told once.

use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A file in the mailbox that was not delivered, or whose content is not understood.
#[derive(Debug)]
pub struct Problem {
    pub path: PathBuf,
    pub why: String,
}

/// The files told of, by name, as they looked then.
#[derive(Debug, Default)]
pub(super) struct Reports(HashMap<OsString, Told>);

#[derive(Debug)]
struct Told {
    stamp: Stamp,
    /// Not worth another try until it looks otherwise.
    hopeless: bool,
}

/// Inode, length, and time of writing.
type Stamp = (u64, u64, i64, i64);

impl Reports {
    /// A problem with a file that may pass, unless it was told of already.
    pub(super) fn passing(&mut self, path: PathBuf, why: String) -> Option<Problem> {
        self.tell(path, why, false)
    }

    /// A problem that lies in what the file is, unless it was told of already.
    pub(super) fn hopeless(&mut self, path: PathBuf, why: String) -> Option<Problem> {
        self.tell(path, why, true)
    }

    /// Whether the file is as it was when there was no hope for it.
    pub(super) fn is_hopeless(&self, path: &Path) -> bool {
        let told = self.0.get(path.file_name().unwrap_or_default()).filter(|told| told.hopeless);
        told.is_some_and(|told| told.stamp == stamp(path))
    }

    /// Forgets the files that are no longer there.
    pub(super) fn keep_only(&mut self, listed: &[OsString]) {
        if !self.0.is_empty() {
            let there: HashSet<&OsStr> = listed.iter().map(OsString::as_os_str).collect();
            self.0.retain(|name, _| there.contains(name.as_os_str()));
        }
    }

    fn tell(&mut self, path: PathBuf, why: String, hopeless: bool) -> Option<Problem> {
        let stamp = stamp(&path);
        let before = self.0.insert(path.file_name()?.to_owned(), Told { stamp, hopeless });
        before.is_none_or(|before| before.stamp != stamp).then_some(Problem { path, why })
    }
}

fn stamp(path: &Path) -> Stamp {
    let looked = fs::symlink_metadata(path);
    looked.map_or((0, 0, 0, 0), |file| (file.ino(), file.len(), file.mtime(), file.mtime_nsec()))
}
