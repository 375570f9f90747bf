//! Files that are complete or absent: a temporary name beside the target, then a rename.
//!
//! The temporary name is fixed by the target, so a killed writer leaves at most one, which the next writer
//! takes over. That needs one writer at a time: callers hold the lock of what they write.

use std::ffi::OsString;
use std::fs::{self, DirBuilder, File, Metadata, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::{Error, Result};

/// What a write promises when the power is cut; a kill of the process loses neither.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// Left to the kernel: the last seconds may be missing.
    Buffered,
    /// On the disk, name included, before the call returns.
    Synced,
}

/// Largest file read whole into memory, in bytes.
pub(crate) const FILE_LIMIT: u64 = 64 << 20;

/// Puts `bytes` in the place of `target`. The caller holds the lock that guards it.
pub(crate) fn replace(target: &Path, bytes: &[u8], durability: Durability) -> Result<()> {
    let temporary = temporary_of(target);
    let written = write_whole(&temporary, OpenOptions::new().create(true).truncate(true), bytes, durability)
        .and_then(|()| fs::rename(&temporary, target).map_err(Error::io("rename into place", target)));
    if written.is_err() {
        // Best effort: the next writer truncates it anyway.
        let _ = fs::remove_file(&temporary);
    }
    written?;
    sync_parent(target, durability)
}

/// [`replace`] with a value as JSON.
pub(crate) fn replace_json<T: Serialize>(target: &Path, value: &T, durability: Durability) -> Result<()> {
    replace(target, &json_text(target, value)?, durability)
}

/// A value as JSON for people to read, a line end behind it.
pub(crate) fn json_text<T: Serialize>(target: &Path, value: &T) -> Result<Vec<u8>> {
    let mut bytes = serde_json::to_vec_pretty(value)
        .map_err(|source| Error::Encode { path: target.to_owned(), source })?;
    bytes.push(b'\n');
    Ok(bytes)
}

/// Writes one whole file that only its owner may read.
pub(crate) fn write_whole(
    path: &Path,
    how: &mut OpenOptions,
    bytes: &[u8],
    durability: Durability,
) -> Result<()> {
    let mut file = how
        .write(true)
        .mode(0o600)
        .custom_flags(nix::libc::O_NOFOLLOW)
        .open(path)
        .map_err(Error::io("create", path))?;
    file.write_all(bytes).map_err(Error::io("write", path))?;
    if durability == Durability::Synced {
        file.sync_all().map_err(Error::io("sync", path))?;
    }
    Ok(())
}

/// Makes the name of `path` itself survive a power cut.
pub(crate) fn sync_parent(path: &Path, durability: Durability) -> Result<()> {
    match (durability, path.parent()) {
        (Durability::Synced, Some(dir)) => {
            File::open(dir).and_then(|dir| dir.sync_all()).map_err(Error::io("sync", dir))
        }
        _ => Ok(()),
    }
}

/// Reads a regular file of bounded size; a link, a pipe or a device is an error, never a wait.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>> {
    let (file, metadata) = open_regular(path, &mut OpenOptions::new())?;
    let length = metadata.len();
    if length > FILE_LIMIT {
        return Err(Error::TooLarge { what: path.display().to_string(), bytes: length, limit: FILE_LIMIT });
    }
    read_open(&file, length).map_err(Error::io("read", path))
}

/// The bytes of a file that is `length` long, and of what is appended to it meanwhile a little more.
pub(crate) fn read_open(file: &File, length: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or(0) + 1);
    file.take(FILE_LIMIT).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// [`read`], parsed.
pub(crate) fn read_json<T: DeserializeOwned>(path: &Path) -> Result<T> {
    let bytes = read(path)?;
    serde_json::from_slice(&bytes).map_err(|source| Error::Json { path: path.to_owned(), source })
}

/// `None` where there is no such file.
pub(crate) fn read_json_if_there<T: DeserializeOwned>(path: &Path) -> Result<Option<T>> {
    match read_json(path) {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.is_not_found() => Ok(None),
        Err(error) => Err(error),
    }
}

/// Opens a regular file to read it, and for what else `how` says.
pub(crate) fn open_regular(path: &Path, how: &mut OpenOptions) -> Result<(File, Metadata)> {
    let file = how
        .read(true)
        .custom_flags(nix::libc::O_NOFOLLOW | nix::libc::O_NONBLOCK)
        .open(path)
        .map_err(Error::io("open", path))?;
    let metadata = file.metadata().map_err(Error::io("look at", path))?;
    if !metadata.is_file() {
        let source = io::Error::new(io::ErrorKind::InvalidInput, "not a regular file");
        return Err(Error::Io { doing: "read", path: path.to_owned(), source });
    }
    Ok((file, metadata))
}

/// Creates a directory that only its owner may enter, parents included; one that exists is left as it is.
pub(crate) fn create_dir(path: &Path) -> Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(Error::io("create", path))
}

/// Whether there is something at `path`, links not followed.
pub(crate) fn exists(path: &Path) -> Result<bool> {
    match fs::symlink_metadata(path) {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(Error::io("look at", path)(error)),
    }
}

/// Removes a file that may be gone already.
pub(crate) fn remove(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(Error::io("remove", path)(error)),
        _ => Ok(()),
    }
}

fn temporary_of(target: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(target.file_name().unwrap_or_default());
    name.push(".tmp");
    target.with_file_name(name)
}
