//! Reading and writing on disk: beneath the working directory's descriptor, or by path for what is elsewhere.
//! All of it blocks.

use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use swarm_guard::files::{self, Dir};

use super::{FILE_MAX, FileError};

/// Where a file is reached from.
pub(super) enum Place {
    Beneath {
        root: Arc<Dir>,
        /// Relative to the root.
        path: PathBuf,
    },
    /// Outside, which the user was asked about by its path.
    Elsewhere,
}

impl Place {
    /// The bytes of the regular file at `full`.
    pub(super) fn read(&self, full: &Path) -> Result<Vec<u8>, FileError> {
        let about = std::fs::metadata(full).map_err(io(full))?;
        if about.is_dir() {
            return Err(FileError::Folder(full.to_owned()));
        }
        if !about.is_file() {
            return Err(FileError::Special(full.to_owned()));
        }
        if about.len() > FILE_MAX {
            return Err(FileError::TooLarge { path: full.to_owned(), size: about.len() });
        }
        match self {
            Self::Beneath { root, path } => root.read(path, FILE_MAX).map_err(beneath(full)),
            Self::Elsewhere => std::fs::read(full).map_err(io(full)),
        }
    }

    /// Puts `bytes` in the file's place: complete or not at all, its mode kept, its folders made.
    pub(super) fn write(&self, full: &Path, bytes: &[u8]) -> Result<(), FileError> {
        match self {
            Self::Beneath { root, path } => root.write_atomic(path, bytes).map_err(beneath(full)),
            Self::Elsewhere => replace_file(full, bytes).map_err(io(full)),
        }
    }
}

fn io(path: &Path) -> impl Fn(std::io::Error) -> FileError {
    move |error| match error.kind() {
        std::io::ErrorKind::NotFound => FileError::NotThere(path.to_owned()),
        _ => FileError::Io { path: path.to_owned(), error },
    }
}

fn beneath(path: &Path) -> impl Fn(files::FileError) -> FileError {
    move |error| FileError::Place { path: path.to_owned(), problem: error.to_string() }
}

fn replace_file(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let folder = path.parent().ok_or(std::io::ErrorKind::InvalidInput)?;
    std::fs::create_dir_all(folder)?;
    let mut builder = tempfile::Builder::new();
    builder.prefix(".swarm-");
    let existing = std::fs::metadata(path).ok().map(|about| about.permissions());
    // For a new file the usual mode, from which the process's umask takes away.
    let mut file = builder.permissions(std::fs::Permissions::from_mode(0o666)).tempfile_in(folder)?;
    if let Some(mode) = existing {
        file.as_file().set_permissions(mode)?;
    }
    file.write_all(bytes)?;
    file.as_file().sync_data()?;
    file.persist(path)?;
    Ok(())
}
