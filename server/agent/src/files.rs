//! A member's files: what it read, what is open in the editor, and how a change is written.
//!
//! Open documents win over the disk. A file's bytes are kept as they are; text is only a view of them.

mod place;
mod replace;

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use place::Place;
pub(crate) use replace::replace;
use swarm_guard::files::Dir;

use crate::ports::{EditError, Edited, Editor};

/// The largest file that is read whole, in bytes.
const FILE_MAX: u64 = 32 * 1024 * 1024;
const BOM: &str = "\u{feff}";

/// Why a file was not read or written. All of it is told to the model.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FileError {
    #[error("There is no file {}.", .0.display())]
    NotThere(PathBuf),
    #[error("{} is a folder; list it with a command.", .0.display())]
    Folder(PathBuf),
    #[error("{} is not a regular file.", .0.display())]
    Special(PathBuf),
    #[error("{} has {size} bytes; at most {FILE_MAX} are read. Use a command to look at a part.", path.display())]
    TooLarge { path: PathBuf, size: u64 },
    #[error("{} changed since you read it. Nothing was written; read it again.", .0.display())]
    Changed(PathBuf),
    #[error("{} is not UTF-8, and the editor holds text only. Nothing was written.", .0.display())]
    NotText(PathBuf),
    #[error("{}: {error}. Nothing is known to be written; read it again.", path.display())]
    Editor { path: PathBuf, error: EditError },
    #[error("{}: {problem}", path.display())]
    Place { path: PathBuf, problem: String },
    #[error("{}: {error}", path.display())]
    Io { path: PathBuf, error: std::io::Error },
}

/// A file's bytes at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Content {
    bytes: Vec<u8>,
}

impl Content {
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(crate) fn is_utf8(&self) -> bool {
        std::str::from_utf8(&self.bytes).is_ok()
    }

    /// As text; bytes that are none become U+FFFD.
    pub(crate) fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.bytes)
    }

    /// As the model reads it: without a byte order mark, which no edit needs to name.
    pub(crate) fn shown(&self) -> Cow<'_, str> {
        match self.text() {
            Cow::Borrowed(text) => Cow::Borrowed(text.strip_prefix(BOM).unwrap_or(text)),
            Cow::Owned(text) => Cow::Owned(text.strip_prefix(BOM).map(str::to_owned).unwrap_or(text)),
        }
    }

    fn fingerprint(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.bytes.hash(&mut hasher);
        hasher.finish()
    }
}

/// Where a change went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Written {
    Disk,
    /// Into the open document, and saved by the client.
    Saved,
    /// Into the open document, which nothing could save.
    Unsaved,
}

/// The files of one member.
pub(crate) struct Files {
    cwd: PathBuf,
    /// The working directory, held open: what is beneath it is reached from here, so that no link that is put
    /// in the way after a decision leads elsewhere. `None` when it cannot be opened, as each use then says.
    root: Option<Arc<Dir>>,
    editor: Arc<dyn Editor>,
    /// What each file was when the member last saw it.
    seen: Mutex<HashMap<PathBuf, u64>>,
    /// Documents that were edited and could not be saved.
    unsaved: Mutex<BTreeSet<PathBuf>>,
}

impl Files {
    pub(crate) fn new(cwd: PathBuf, editor: Arc<dyn Editor>) -> Self {
        let root = Dir::open(&cwd).ok().map(Arc::new);
        Self { cwd, root, editor, seen: Mutex::default(), unsaved: Mutex::default() }
    }

    /// An absolute path without links, so that what is decided about it is about the file itself.
    /// The file need not exist. The error is for the model.
    pub(crate) async fn resolve(&self, path: &str) -> Result<PathBuf, String> {
        if path.is_empty() || path.contains('\0') {
            return Err("`path` is empty or has a NUL; name a file.".to_owned());
        }
        let full = self.cwd.join(path);
        let mut missing = Vec::new();
        let mut existing = full.as_path();
        loop {
            match tokio::fs::canonicalize(existing).await {
                Ok(real) => return Ok(missing.iter().rev().fold(real, |path, name| path.join(name))),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(error) => return Err(format!("{}: {error}", existing.display())),
            }
            // A link to nowhere would let a write land elsewhere than decided.
            if tokio::fs::symlink_metadata(existing).await.is_ok() {
                return Err(format!("{} is a link to something that does not exist.", existing.display()));
            }
            match (existing.components().next_back(), existing.parent()) {
                (Some(Component::Normal(name)), Some(parent)) => {
                    missing.push(name.to_owned());
                    existing = parent;
                }
                _ => return Err(format!("{path}: `..` behind a folder that does not exist.")),
            }
        }
    }

    /// The file as it is now; remembered as what the member saw.
    pub(crate) async fn read(&self, path: &Path) -> Result<Content, FileError> {
        let content = self.load(path).await?;
        self.remember(path, &content);
        Ok(content)
    }

    /// The file as it is now, without counting as seen by the model.
    pub(crate) async fn read_for_change(&self, path: &Path) -> Result<Content, FileError> {
        self.load(path).await
    }

    /// As [`Files::read_for_change`], and `None` when there is no such file.
    pub(crate) async fn read_if_there(&self, path: &Path) -> Result<Option<Content>, FileError> {
        match self.load(path).await {
            Ok(content) => Ok(Some(content)),
            Err(FileError::NotThere(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Nothing counts as seen by the model any more.
    pub(crate) fn forget_seen(&self) {
        lock(&self.seen).clear();
    }

    /// Refuses a change to a file that the model has not seen as it is now. The error is for the model.
    pub(crate) fn require_read(&self, path: &Path, now: &Content) -> Result<(), String> {
        match lock(&self.seen).get(path) {
            None => Err(format!("Read {} before you change it.", path.display())),
            Some(seen) if *seen != now.fingerprint() => Err(FileError::Changed(path.to_owned()).to_string()),
            Some(_) => Ok(()),
        }
    }

    /// Writes `after`, made from `before`; refused when the file is no longer that.
    pub(crate) async fn write(
        &self,
        path: &Path,
        before: Option<Content>,
        after: Vec<u8>,
    ) -> Result<Written, FileError> {
        // A link that was put in the way since then would lead the write to a file that nobody decided about.
        if self.resolve(&path.to_string_lossy()).await.as_deref() != Ok(path) {
            return Err(FileError::Changed(path.to_owned()));
        }
        if self.read_if_there(path).await? != before {
            return Err(FileError::Changed(path.to_owned()));
        }
        let after = Content { bytes: after };
        let written = match self.editor.open_text(path).await {
            Some(open) => self.write_open(path, &open, &after).await?,
            None => self.write_disk(path, after.bytes.clone()).await?,
        };
        self.remember(path, &after);
        match written {
            Written::Unsaved => lock(&self.unsaved).insert(path.to_owned()),
            Written::Disk | Written::Saved => lock(&self.unsaved).remove(path),
        };
        Ok(written)
    }

    /// Documents that this member edited and whose text is still not what the disk has.
    pub(crate) async fn still_unsaved(&self) -> Vec<PathBuf> {
        let candidates: Vec<PathBuf> = lock(&self.unsaved).iter().cloned().collect();
        let mut still = Vec::new();
        for path in candidates {
            let open = self.editor.open_text(&path).await;
            let saved = match open {
                None => true,
                Some(text) => tokio::fs::read(&path).await.is_ok_and(|bytes| bytes == text.into_bytes()),
            };
            if saved {
                lock(&self.unsaved).remove(&path);
            } else {
                still.push(path);
            }
        }
        still
    }

    async fn load(&self, path: &Path) -> Result<Content, FileError> {
        if let Some(text) = self.editor.open_text(path).await {
            return Ok(Content { bytes: text.into_bytes() });
        }
        let (place, target) = (self.place(path), path.to_owned());
        let read = tokio::task::spawn_blocking(move || place.read(&target)).await;
        let bytes = read.unwrap_or_else(|lost| Err(lost_task(path, lost)))?;
        Ok(Content { bytes })
    }

    async fn write_open(&self, path: &Path, before: &str, after: &Content) -> Result<Written, FileError> {
        let text = std::str::from_utf8(&after.bytes).map_err(|_| FileError::NotText(path.to_owned()))?;
        match self.editor.edit(path, before, text).await {
            Ok(Edited::Saved) => Ok(Written::Saved),
            Ok(Edited::Unsaved) => Ok(Written::Unsaved),
            Err(error) => Err(FileError::Editor { path: path.to_owned(), error }),
        }
    }

    async fn write_disk(&self, path: &Path, bytes: Vec<u8>) -> Result<Written, FileError> {
        let (place, target) = (self.place(path), path.to_owned());
        let written = tokio::task::spawn_blocking(move || place.write(&target, &bytes)).await;
        written.unwrap_or_else(|lost| Err(lost_task(path, lost)))?;
        Ok(Written::Disk)
    }

    /// Where a resolved path is reached from.
    fn place(&self, path: &Path) -> Place {
        match (&self.root, path.strip_prefix(&self.cwd)) {
            (Some(root), Ok(beneath)) => Place::Beneath { root: root.clone(), path: beneath.to_owned() },
            _ => Place::Elsewhere,
        }
    }

    fn remember(&self, path: &Path, content: &Content) {
        lock(&self.seen).insert(path.to_owned(), content.fingerprint());
    }
}

fn lost_task(path: &Path, lost: tokio::task::JoinError) -> FileError {
    FileError::Io { path: path.to_owned(), error: std::io::Error::other(lost) }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Whoever panicked left a whole map behind: every change here is one insert or remove.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
