//! The history of one conversation: one JSON line an entry, only ever appended to by the member's own writer.
//!
//! A line that a kill or a power cut tore at the end is reported and cut off before anything is appended;
//! an unreadable line further up is reported and left.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use swarm_wire::AgentId;
use swarm_wire::transcript::Entry;

use crate::atomic;
use crate::conversations::Conversations;
use crate::error::{Error, Result};
use crate::team_dir::TeamDir;

/// The writing end.
#[derive(Debug)]
pub struct Transcript {
    file: File,
    path: PathBuf,
    /// Bytes of whole lines.
    length: u64,
    /// A failed append may have left a piece of a line behind `length`.
    torn: bool,
}

/// A part of a transcript that holds no entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Torn {
    pub path: PathBuf,
    /// Where the line starts, in bytes from the beginning of the file.
    pub offset: u64,
    pub why: String,
}

/// What a transcript holds.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Replay {
    pub entries: Vec<Entry>,
    pub problems: Vec<Torn>,
}

impl Transcript {
    /// Opens or creates the transcript of `agent`'s present conversation, its history read and a torn last line cut off.
    pub fn open(team: &TeamDir, agent: &AgentId) -> Result<(Self, Replay)> {
        Conversations::new(team, agent).open_present()
    }

    pub(crate) fn open_at(path: PathBuf) -> Result<(Self, Replay)> {
        if let Some(dir) = path.parent() {
            atomic::create_dir(dir)?;
        }
        let file = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .mode(0o600)
            .custom_flags(nix::libc::O_NOFOLLOW)
            .open(&path)
            .map_err(Error::io("open", &path))?;
        let page = scan(&file, &path, 0, usize::MAX)?;
        let end = file.metadata().map_err(Error::io("look at", &path))?.len();
        let mut replay = Replay { entries: page.entries, problems: page.problems };
        if page.next < end {
            let why = format!("the last line was torn: {} bytes cut off", end - page.next);
            replay.problems.push(Torn { path: path.clone(), offset: page.next, why });
            file.set_len(page.next).map_err(Error::io("cut the torn last line of", &path))?;
        }
        Ok((Self { file, path, length: page.next, torn: false }, replay))
    }

    /// Appends entries, all of them in one write; on an error none of them counts.
    pub fn append(&mut self, entries: &[Entry]) -> Result<()> {
        let mut lines = Vec::new();
        for entry in entries {
            serde_json::to_writer(&mut lines, entry)
                .map_err(|source| Error::Encode { path: self.path.clone(), source })?;
            lines.push(b'\n');
        }
        if self.torn {
            self.repair()?;
        }
        if let Err(error) = self.file.write_all(&lines) {
            self.torn = true;
            // Best effort: a full disk may refuse this too, then the next append tries again.
            let _ = self.repair();
            return Err(Error::io("append to", &self.path)(error));
        }
        self.length += lines.len() as u64;
        Ok(())
    }

    /// Waits until all that was appended is on the disk.
    pub fn sync(&self) -> Result<()> {
        self.file.sync_data().map_err(Error::io("sync", &self.path))
    }

    fn repair(&mut self) -> Result<()> {
        self.file.set_len(self.length).map_err(Error::io("cut a torn line of", &self.path))?;
        self.torn = false;
        Ok(())
    }
}

/// The reading end, for those who watch another's history.
#[derive(Debug, Clone)]
pub struct TranscriptReader {
    path: PathBuf,
}

/// Some entries, and where the next ones are.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    pub entries: Vec<Entry>,
    pub problems: Vec<Torn>,
    /// Pass as `after` for what comes next.
    pub next: u64,
}

impl TranscriptReader {
    /// The present conversation of `agent`.
    pub fn new(team: &TeamDir, agent: &AgentId) -> Result<Self> {
        let conversations = Conversations::new(team, agent);
        conversations.reader(&conversations.index()?.current)
    }

    pub(crate) fn at(path: PathBuf) -> Self {
        Self { path }
    }

    /// At most `limit` entries behind `after`, which is 0 or the `next` of an earlier page.
    ///
    /// A line still being written is left for the next page; a missing file is an empty page.
    pub fn page(&self, after: u64, limit: usize) -> Result<Page> {
        match atomic::open_regular(&self.path, &mut OpenOptions::new()) {
            Ok((file, _)) => scan(&file, &self.path, after, limit),
            Err(error) if error.is_not_found() => {
                Ok(Page { entries: Vec::new(), problems: Vec::new(), next: 0 })
            }
            Err(error) => Err(error),
        }
    }
}

/// How much of a transcript's end is read to find its last entry, in bytes; doubled until one is found.
const TAIL: u64 = 64 * 1024;

impl TranscriptReader {
    /// The last whole entry; what is torn or unreadable behind it is passed over.
    pub fn last(&self) -> Result<Option<Entry>> {
        let (file, meta) = match atomic::open_regular(&self.path, &mut OpenOptions::new()) {
            Ok(opened) => opened,
            Err(error) if error.is_not_found() => return Ok(None),
            Err(error) => return Err(error),
        };
        let (end, mut tail) = (meta.len(), TAIL);
        loop {
            let start = end.saturating_sub(tail);
            // A start within a line goes on with the next whole one.
            let page = scan(&file, &self.path, start, usize::MAX)?;
            if start == 0 || !page.entries.is_empty() {
                return Ok(page.entries.into_iter().next_back());
            }
            tail = tail.saturating_mul(2);
        }
    }
}

fn scan(file: &File, path: &Path, after: u64, limit: usize) -> Result<Page> {
    let mut page = Page { entries: Vec::new(), problems: Vec::new(), next: after };
    let mut reader = BufReader::new(file);
    reader.seek(SeekFrom::Start(after)).map_err(Error::io("read", path))?;
    // A cursor that points into a line is somebody's invention: go on with the next whole line.
    if after > 0 && !starts_a_line(file, after).map_err(Error::io("read", path))? {
        let mut rest = Vec::new();
        let skipped = reader.read_until(b'\n', &mut rest).map_err(Error::io("read", path))?;
        page.next += skipped as u64;
    }
    let mut line = Vec::new();
    while page.entries.len() < limit {
        line.clear();
        let length = reader.read_until(b'\n', &mut line).map_err(Error::io("read", path))?;
        if line.pop() != Some(b'\n') {
            break;
        }
        match serde_json::from_slice(&line) {
            Ok(entry) => page.entries.push(entry),
            Err(error) => {
                page.problems.push(Torn { path: path.to_owned(), offset: page.next, why: error.to_string() })
            }
        }
        page.next += length as u64;
    }
    Ok(page)
}

fn starts_a_line(file: &File, offset: u64) -> io::Result<bool> {
    let mut before = [0];
    let read = file.read_at(&mut before, offset - 1)?;
    Ok(read == 1 && before[0] == b'\n')
}
