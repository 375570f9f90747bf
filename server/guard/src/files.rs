//! Files beneath a directory, and never outside of it, whatever happens to the path in between.
//!
//! All is done relative to descriptors: the kernel itself refuses a path that leaves the directory (`openat2` with
//! `RESOLVE_BENEATH`), by `..` or by a link, so that there is no moment between a check and its use. It must not
//! decide what may be written; who calls has decided.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{AtFlags, FileType, Gid, Mode, OFlags, RawMode, ResolveFlags, Stat, Uid};
use rustix::io::Errno;

/// Links that are followed one after the other, as many as the kernel itself follows.
const MAX_LINKS: usize = 40;

/// How often a path is looked up again that changed meanwhile.
const TRIES: usize = 64;

/// A directory that is held open. The name that it had may lead elsewhere by now.
#[derive(Debug)]
pub struct Dir {
    held: OwnedFd,
    path: PathBuf,
}

/// Why a file beneath a directory was not read or written.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    #[error("{} is not beneath {}", path.display(), root.display())]
    Outside { path: PathBuf, root: PathBuf },
    #[error("{} is not a regular file", .0.display())]
    NotRegular(PathBuf),
    #[error("{} has {size} bytes, more than {limit}", path.display())]
    TooLarge { path: PathBuf, size: u64, limit: u64 },
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
}

/// A file that is being looked for: the directory that holds it, its name there, and how it was called.
struct Place<'a> {
    parent: OwnedFd,
    name: OsString,
    path: &'a Path,
}

impl Dir {
    /// Opens `root`, following links: who calls has chosen it.
    ///
    /// # Errors
    /// When it is no directory, or cannot be opened.
    pub fn open(root: &Path) -> Result<Self, FileError> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let held = rustix::fs::open(root, flags, Mode::empty())
            .map_err(|errno| FileError::Io { path: root.to_owned(), source: errno.into() })?;
        Ok(Self { held, path: root.to_owned() })
    }

    /// Reads the file at `path`, relative to the directory; at most `limit` bytes.
    ///
    /// # Errors
    /// When the path leads out of the directory, or to no regular file, or to one that is too large.
    pub fn read(&self, path: &Path, limit: u64) -> Result<Vec<u8>, FileError> {
        // A pipe with a name would wait for somebody to write to it.
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let file = File::from(self.resolve(path, path, flags)?);
        let error = |source| FileError::Io { path: path.to_owned(), source };
        let found = file.metadata().map_err(error)?;
        if !found.is_file() {
            return Err(FileError::NotRegular(path.to_owned()));
        }
        let too_large = |size| FileError::TooLarge { path: path.to_owned(), size, limit };
        if found.len() > limit {
            return Err(too_large(found.len()));
        }
        let mut bytes = Vec::new();
        // It may grow while it is read.
        (&file).take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(error)?;
        if bytes.len() as u64 > limit { Err(too_large(bytes.len() as u64)) } else { Ok(bytes) }
    }

    /// Puts `bytes` at `path`, relative to the directory: whoever reads it sees the old file or the new one. The mode
    /// and, where that is possible, the owner stay; directories that are missing are made; a link at the end is
    /// followed, and stays a link.
    ///
    /// # Errors
    /// When the path leads out of the directory, or something other than a regular file is there.
    pub fn write_atomic(&self, path: &Path, bytes: &[u8]) -> Result<(), FileError> {
        let place = self.place(path)?;
        let before = match place.stat() {
            Ok(found) if FileType::from_raw_mode(found.st_mode) == FileType::RegularFile => Some(found),
            Ok(_) => return Err(FileError::NotRegular(path.to_owned())),
            Err(Errno::NOENT) => None,
            Err(errno) => return Err(place.error(errno)),
        };
        let (name, file) = place.create_beside().map_err(|errno| place.error(errno))?;
        let written = fill(file, bytes, before.as_ref())
            .and_then(|()| Ok(rustix::fs::renameat(&place.parent, &name, &place.parent, &place.name)?));
        written.map_err(|source| {
            // What could not be put in place is not left beside it.
            let _ = rustix::fs::unlinkat(&place.parent, &name, AtFlags::empty());
            FileError::Io { path: path.to_owned(), source }
        })
    }

    /// Finds where `path` leads, link by link, making the directories that are missing.
    fn place<'a>(&self, path: &'a Path) -> Result<Place<'a>, FileError> {
        let mut at = path.to_owned();
        for _ in 0..MAX_LINKS {
            let Some(Component::Normal(name)) = at.components().next_back() else {
                return Err(self.outside(path));
            };
            let parent = at.parent().unwrap_or(Path::new(""));
            let place = Place { parent: self.make(parent, path)?, name: name.to_owned(), path };
            match rustix::fs::readlinkat(&place.parent, &place.name, Vec::new()) {
                Ok(link) => at = parent.join(OsStr::from_bytes(link.to_bytes())),
                // It is no link, or not there.
                Err(Errno::INVAL | Errno::NOENT) => return Ok(place),
                Err(errno) => return Err(place.error(errno)),
            }
        }
        Err(FileError::Io { path: path.to_owned(), source: Errno::LOOP.into() })
    }

    /// Opens a directory, and makes it where it is missing.
    fn make(&self, dir: &Path, called: &Path) -> Result<OwnedFd, FileError> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        match self.resolve(dir, called, flags) {
            Err(FileError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => {}
            found => return found,
        }
        let (Some(parent), Some(name)) = (dir.parent(), dir.file_name()) else {
            return Err(self.outside(called));
        };
        let parent = self.make(parent, called)?;
        match rustix::fs::mkdirat(&parent, name, Mode::from_raw_mode(0o777)) {
            // Another was quicker.
            Ok(()) | Err(Errno::EXIST) => self.resolve(dir, called, flags),
            Err(errno) => Err(FileError::Io { path: called.to_owned(), source: errno.into() }),
        }
    }

    /// Opens `path` if it is beneath the directory; `called` is what errors call it.
    fn resolve(&self, path: &Path, called: &Path, flags: OFlags) -> Result<OwnedFd, FileError> {
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        let beneath = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
        let mut last = Errno::AGAIN;
        for _ in 0..TRIES {
            match rustix::fs::openat2(&self.held, path, flags, Mode::empty(), beneath) {
                Ok(found) => return Ok(found),
                // Something was renamed while the kernel went up a step.
                Err(Errno::AGAIN | Errno::INTR) => {}
                Err(errno) => {
                    last = errno;
                    break;
                }
            }
        }
        match last {
            Errno::XDEV => Err(self.outside(called)),
            // A socket cannot be opened.
            Errno::NXIO => Err(FileError::NotRegular(called.to_owned())),
            errno => Err(FileError::Io { path: called.to_owned(), source: errno.into() }),
        }
    }

    fn outside(&self, path: &Path) -> FileError {
        FileError::Outside { path: path.to_owned(), root: self.path.clone() }
    }
}

impl Place<'_> {
    fn stat(&self) -> rustix::io::Result<Stat> {
        rustix::fs::statat(&self.parent, &self.name, AtFlags::SYMLINK_NOFOLLOW)
    }

    /// A new file in the same directory, under a name that nothing else has.
    fn create_beside(&self) -> rustix::io::Result<(String, File)> {
        static COUNTER: AtomicU64 = AtomicU64::new(0);
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        // The name is short, so that it fits wherever the file's own does.
        loop {
            let number = COUNTER.fetch_add(1, Ordering::Relaxed);
            let name = format!(".swarm-{}-{number}.tmp", std::process::id());
            match rustix::fs::openat(&self.parent, &name, flags, Mode::from_raw_mode(0o666)) {
                Ok(file) => return Ok((name, file.into())),
                Err(Errno::EXIST | Errno::INTR) => {}
                Err(errno) => return Err(errno),
            }
        }
    }

    fn error(&self, errno: Errno) -> FileError {
        FileError::Io { path: self.path.to_owned(), source: errno.into() }
    }
}

/// Writes a new file, to become the one that was `before`.
fn fill(mut file: File, bytes: &[u8], before: Option<&Stat>) -> io::Result<()> {
    if let Some(before) = before {
        // Until it is whole nobody reads it who could not read the old one.
        rustix::fs::fchmod(&file, Mode::from_raw_mode(0o600))?;
        // Only the administrator gives files away; for others this is theirs already, or cannot be kept.
        let _ =
            rustix::fs::fchown(&file, Some(Uid::from_raw(before.st_uid)), Some(Gid::from_raw(before.st_gid)));
    }
    file.write_all(bytes)?;
    if let Some(before) = before {
        let mode = before.st_mode & 0o7777;
        rustix::fs::fchmod(&file, Mode::from_raw_mode(mode as RawMode))?;
    }
    file.sync_data()
}

#[cfg(test)]
mod tests;
