//! A file of Chrome's trace events, in the format's array form: whole after every event but for its `]`, which
//! readers do without.
//!
//! The format: <https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU>.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::time::Instant;

use serde_json::{Value, json};

/// A point in time, in microseconds since the file was made.
pub(super) type Micros = u64;

/// What events stand on: a thread of a process, as the format calls them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) pid: usize,
    pub(super) tid: usize,
}

pub(super) struct Sheet {
    file: File,
    start: Instant,
    is_empty: bool,
}

impl Sheet {
    /// Makes the file, or empties it; only its owner can read it.
    pub(super) fn create(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path);
        let named = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
        let mut file = file.map_err(named)?;
        file.write_all(b"[\n").map_err(named)?;
        Ok(Self { file, start: Instant::now(), is_empty: true })
    }

    pub(super) fn now(&self) -> Micros {
        Micros::try_from(self.start.elapsed().as_micros()).unwrap_or(Micros::MAX)
    }

    /// Says what a process is called.
    pub(super) fn name_process(&mut self, pid: usize, name: &str) -> io::Result<()> {
        self.put(json!({ "ph": "M", "pid": pid, "name": "process_name", "args": { "name": name } }))
    }

    /// Says what a line is called; lines are shown in the order of their `tid`.
    pub(super) fn name_line(&mut self, Line { pid, tid }: Line, name: &str) -> io::Result<()> {
        let args = json!({ "name": name });
        self.put(json!({ "ph": "M", "pid": pid, "tid": tid, "name": "thread_name", "args": args }))?;
        let args = json!({ "sort_index": tid });
        self.put(json!({ "ph": "M", "pid": pid, "tid": tid, "name": "thread_sort_index", "args": args }))
    }

    /// Begins a span, within the one that is open there.
    pub(super) fn begin(&mut self, Line { pid, tid }: Line, name: &str, args: Value) -> io::Result<()> {
        self.put(json!({ "ph": "B", "pid": pid, "tid": tid, "ts": self.now(), "name": name, "args": args }))
    }

    /// Ends the span that was begun last; what is known only now joins what it was begun with.
    pub(super) fn end(&mut self, Line { pid, tid }: Line, args: Value) -> io::Result<()> {
        self.put(json!({ "ph": "E", "pid": pid, "tid": tid, "ts": self.now(), "args": args }))
    }

    /// A span that is over.
    pub(super) fn whole(
        &mut self,
        Line { pid, tid }: Line,
        name: &str,
        (from, to): (Micros, Micros),
        args: Value,
    ) -> io::Result<()> {
        let (ts, dur) = (from, to.saturating_sub(from));
        self.put(
            json!({ "ph": "X", "pid": pid, "tid": tid, "ts": ts, "dur": dur, "name": name, "args": args }),
        )
    }

    /// Something that takes no time.
    pub(super) fn instant(&mut self, Line { pid, tid }: Line, name: &str, args: Value) -> io::Result<()> {
        let ts = self.now();
        self.put(json!({ "ph": "i", "s": "t", "pid": pid, "tid": tid, "ts": ts, "name": name, "args": args }))
    }

    /// An arrow begins at the span that is open there.
    pub(super) fn arrow_from(&mut self, Line { pid, tid }: Line, id: usize) -> io::Result<()> {
        let ts = self.now();
        self.put(
            json!({ "ph": "s", "cat": "mail", "name": "mail", "id": id, "pid": pid, "tid": tid, "ts": ts }),
        )
    }

    /// The arrow of this id ends at what comes next there.
    pub(super) fn arrow_to(&mut self, Line { pid, tid }: Line, id: usize) -> io::Result<()> {
        let ts = self.now();
        self.put(
            json!({ "ph": "f", "cat": "mail", "name": "mail", "id": id, "pid": pid, "tid": tid, "ts": ts }),
        )
    }

    /// Ends the file.
    pub(super) fn finish(&mut self) -> io::Result<()> {
        self.file.write_all(b"\n]\n")
    }

    /// In one write, so that a process that is killed leaves no half of an event.
    fn put(&mut self, mut event: Value) -> io::Result<()> {
        if event["args"].is_null() {
            event["args"] = json!({});
        }
        let comma = if std::mem::take(&mut self.is_empty) { "" } else { ",\n" };
        self.file.write_all(format!("{comma}{event}").as_bytes())
    }
}
