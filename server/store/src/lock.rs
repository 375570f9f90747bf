//! Two kinds of kernel lock, both dropped by the kernel when their holder dies.
//!
//! [`locked`] is for one read-modify-write: an `flock` (through `fd-lock`) on a sidecar file, which excludes
//! threads as well as processes. [`ProcessLock`] is for a life: a record lock (`fcntl`), which belongs to the
//! process and not to the open file, so that a child caught between fork and exec cannot keep it.

use std::collections::BTreeSet;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, fcntl};
use nix::libc;

use crate::error::{Error, Result};

/// Runs `work` while no other thread or process does so under the same lock file.
pub(crate) fn locked<R>(path: &Path, work: impl FnOnce() -> Result<R>) -> Result<R> {
    loop {
        let file = open_lock_file(path)?;
        let opened = identity(&file.metadata().map_err(Error::io("look at", path))?);
        let mut lock = fd_lock::RwLock::new(file);
        let guard = loop {
            match lock.write() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                locked => break locked.map_err(Error::io("lock", path))?,
            }
        };
        // The folder may have been removed and made again while we waited: then this lock guards nothing.
        match fs::metadata(path) {
            Ok(now) if identity(&now) == opened => {
                let result = work();
                drop(guard);
                return result;
            }
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(Error::io("look at", path)(error));
            }
            _ => {}
        }
    }
}

/// A lock held until it is dropped or its process ends, however it ends.
#[derive(Debug)]
pub(crate) struct ProcessLock {
    /// Closing it drops the lock; `None` only while it is being dropped.
    file: Option<File>,
    key: PathBuf,
}

/// Whether a live process holds a lease or lives as a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holder {
    Nobody,
    /// Its process id, where this process can see it.
    Process(Option<u32>),
}

impl Holder {
    pub fn is_alive(self) -> bool {
        self != Self::Nobody
    }
}

/// What this process holds. Opening and closing such a file once more would drop its lock, and the kernel
/// lets a process lock what it has locked already: so this list is asked first, and held meanwhile.
static HELD: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

impl ProcessLock {
    /// Takes the lock, or says who has it.
    pub(crate) fn take(path: &Path) -> Result<Self> {
        let key = key_of(path)?;
        let mut held = held();
        if held.contains(&key) {
            return Err(Error::Held { path: path.to_owned(), pid: Some(std::process::id()) });
        }
        let file = open_lock_file(path)?;
        match fcntl(&file, FcntlArg::F_SETLK(&whole_file())) {
            Ok(_) => {
                held.insert(key.clone());
                Ok(Self { file: Some(file), key })
            }
            Err(Errno::EAGAIN | Errno::EACCES) => {
                let Holder::Process(pid) = ask(&file, path)? else {
                    return Err(Error::Held { path: path.to_owned(), pid: None });
                };
                Err(Error::Held { path: path.to_owned(), pid })
            }
            Err(errno) => Err(Error::io("lock", path)(errno.into())),
        }
    }

    /// Who has the lock now; nothing is taken or changed.
    pub(crate) fn holder(path: &Path) -> Result<Holder> {
        let held = held();
        match key_of(path) {
            Ok(key) if held.contains(&key) => return Ok(Holder::Process(Some(std::process::id()))),
            Err(error) if error.is_not_found() => return Ok(Holder::Nobody),
            key => key?,
        };
        // F_GETLK for a write lock needs no write access, but the kernel wants a readable file.
        match File::open(path) {
            Ok(file) => ask(&file, path),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Holder::Nobody),
            Err(error) => Err(Error::io("open", path)(error)),
        }
    }
}

impl Drop for ProcessLock {
    fn drop(&mut self) {
        // In this order, under the list's own lock: closing after another thread took it would drop its lock.
        let mut held = held();
        drop(self.file.take());
        held.remove(&self.key);
    }
}

fn held() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    HELD.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One spelling for each lock file, whatever links lead to it.
fn key_of(path: &Path) -> Result<PathBuf> {
    let parent = path.parent().unwrap_or(Path::new("/"));
    let parent = fs::canonicalize(parent).map_err(Error::io("find", parent))?;
    Ok(parent.join(path.file_name().unwrap_or_default()))
}

fn ask(file: &File, path: &Path) -> Result<Holder> {
    let mut lock = whole_file();
    fcntl(file, FcntlArg::F_GETLK(&mut lock)).map_err(|errno| Error::io("ask for", path)(errno.into()))?;
    if lock.l_type == libc::F_UNLCK as libc::c_short {
        return Ok(Holder::Nobody);
    }
    Ok(Holder::Process(u32::try_from(lock.l_pid).ok().filter(|pid| *pid > 0)))
}

fn whole_file() -> libc::flock {
    libc::flock {
        l_type: libc::F_WRLCK as libc::c_short,
        l_whence: libc::SEEK_SET as libc::c_short,
        l_start: 0,
        l_len: 0,
        l_pid: 0,
    }
}

/// Rust opens every file close-on-exec.
fn open_lock_file(path: &Path) -> Result<File> {
    OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .custom_flags(libc::O_NOFOLLOW)
        .open(path)
        .map_err(Error::io("open", path))
}

fn identity(metadata: &Metadata) -> (u64, u64) {
    (metadata.dev(), metadata.ino())
}
