//! What a command printed, in bounded memory: the beginning and the end, the whole in a file once it is too much.
//! It must not interpret the bytes beyond the borders of characters.

use std::collections::VecDeque;
use std::io;
use std::path::PathBuf;

use tokio::fs::File;
use tokio::io::AsyncWriteExt;

/// Where output goes that does not fit in memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overflow {
    /// A file that does not exist yet; it is made, 0600, once output is over the cap, and begins at the beginning.
    pub file: PathBuf,
    /// At most this many bytes are kept in it.
    pub max_bytes: u64,
}

/// Standard output and standard error, interleaved as they were written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Output {
    /// All of it, or its beginning when `omitted` is not 0.
    pub head: String,
    /// Its end, when `omitted` is not 0.
    pub tail: String,
    /// Bytes between the two that are not in memory.
    pub omitted: u64,
    /// Bytes printed in all.
    pub total: u64,
    /// Where the whole was kept, up to the limit given.
    pub file: Option<PathBuf>,
    /// Why it could not be kept there.
    pub file_error: Option<String>,
}

/// Collects the output of one command.
pub(super) struct Capture {
    /// Bytes held in memory at most; half for the beginning, half for the end.
    cap: usize,
    head: Vec<u8>,
    tail: VecDeque<u8>,
    total: u64,
    overflow: Option<Overflow>,
    spill: Spill,
}

enum Spill {
    NotNeeded,
    Open { file: File, kept: u64 },
    Done,
    Failed(String),
}

impl Capture {
    pub(super) fn new(cap: usize, overflow: Option<Overflow>) -> Self {
        Self { cap, head: Vec::new(), tail: VecDeque::new(), total: 0, overflow, spill: Spill::NotNeeded }
    }

    /// Takes what was printed.
    pub(super) async fn push(&mut self, bytes: &[u8]) {
        if self.total + bytes.len() as u64 > self.cap as u64 {
            self.spill(bytes).await;
        }
        self.total += bytes.len() as u64;
        let room = (self.cap / 2).saturating_sub(self.head.len()).min(bytes.len());
        let (first, rest) = bytes.split_at(room);
        self.head.extend_from_slice(first);
        let tail_cap = self.cap - self.cap / 2;
        let rest = rest.get(rest.len().saturating_sub(tail_cap)..).unwrap_or_default();
        self.tail.extend(rest);
        let surplus = self.tail.len().saturating_sub(tail_cap);
        self.tail.drain(..surplus);
    }

    /// Closes the file.
    pub(super) async fn finish(&mut self) {
        if let Spill::Open { file, .. } = &mut self.spill {
            self.spill = match file.flush().await {
                Ok(()) => Spill::Done,
                Err(error) => Spill::Failed(error.to_string()),
            };
        }
    }

    /// What was printed so far.
    pub(super) fn output(&self) -> Output {
        let held = (self.head.len() + self.tail.len()) as u64;
        let omitted = self.total - held;
        let (head, tail) = if omitted == 0 {
            let mut whole = self.head.clone();
            whole.extend(&self.tail);
            (String::from_utf8_lossy(&whole).into_owned(), String::new())
        } else {
            let tail: Vec<u8> = self.tail.iter().copied().collect();
            let (head, tail) = (without_cut_end(&self.head), without_cut_start(&tail));
            (String::from_utf8_lossy(head).into_owned(), String::from_utf8_lossy(tail).into_owned())
        };
        let kept = matches!(self.spill, Spill::Open { .. } | Spill::Done);
        Output {
            head,
            tail,
            omitted,
            total: self.total,
            file: self.overflow.as_ref().filter(|_| kept).map(|overflow| overflow.file.clone()),
            file_error: if let Spill::Failed(error) = &self.spill { Some(error.clone()) } else { None },
        }
    }

    /// Puts `bytes` in the file, after all that came before when it is the first time.
    async fn spill(&mut self, bytes: &[u8]) {
        let Some(overflow) = &self.overflow else { return };
        if matches!(self.spill, Spill::NotNeeded) {
            let mut before = self.head.clone();
            before.extend(&self.tail);
            self.spill = match open(overflow, &before).await {
                Ok((file, kept)) => Spill::Open { file, kept },
                Err(error) => Spill::Failed(format!("{}: {error}", overflow.file.display())),
            };
        }
        if let Spill::Open { file, kept } = &mut self.spill {
            let room = overflow.max_bytes.saturating_sub(*kept).min(bytes.len() as u64);
            *kept += room;
            if let Err(error) = file.write_all(bytes.get(..room as usize).unwrap_or_default()).await {
                self.spill = Spill::Failed(format!("{}: {error}", overflow.file.display()));
            }
        }
    }
}

async fn open(overflow: &Overflow, before: &[u8]) -> io::Result<(File, u64)> {
    let mut file = File::options().write(true).create_new(true).mode(0o600).open(&overflow.file).await?;
    let kept = overflow.max_bytes.min(before.len() as u64);
    file.write_all(before.get(..kept as usize).unwrap_or_default()).await?;
    Ok((file, kept))
}

/// Drops a character that was cut in two at the end.
fn without_cut_end(bytes: &[u8]) -> &[u8] {
    let cut = bytes.utf8_chunks().last().filter(|last| {
        // An incomplete character is one whose bytes were fine as far as they go.
        let invalid = last.invalid();
        invalid.first().is_some_and(|first| *first >= 0xC2 && invalid.len() < sequence_length(*first))
    });
    let surplus = cut.map_or(0, |last| last.invalid().len());
    bytes.get(..bytes.len() - surplus).unwrap_or_default()
}

/// Drops the remainder of a character whose first byte is gone.
fn without_cut_start(bytes: &[u8]) -> &[u8] {
    let surplus = bytes.iter().take(3).take_while(|byte| **byte & 0xC0 == 0x80).count();
    bytes.get(surplus..).unwrap_or_default()
}

/// How many bytes a character has that begins with `first`, as UTF-8 (RFC 3629) has it.
fn sequence_length(first: u8) -> usize {
    match first {
        0xF0.. => 4,
        0xE0.. => 3,
        0xC0.. => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests;
