//! The reading end, of which a mailbox has one: what is new in order, and the acknowledgement.

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::fs::{self, Metadata, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use serde_json::{Map, Value};
use swarm_wire::mail::Message;

use crate::atomic::{self, Durability};
use crate::error::{Error, Result};
use crate::mailbox::name::{FileName, Origin, Place};
use crate::mailbox::{MESSAGE_LIMIT, Mailbox};

/// Reads one mailbox. Each message is handed out once by one reader; a new reader, as after a crash, hands
/// out again all that was not acknowledged.
#[derive(Debug)]
pub struct Reader {
    mailbox: Mailbox,
    handed_out: HashSet<FileName>,
    /// Files already reported, as they looked then: one that changed since is tried again.
    reported: HashMap<OsString, Stamp>,
}

/// A message, and what [`Reader::ack`] takes once it was handled.
#[derive(Debug, Clone, PartialEq)]
pub struct Delivered {
    pub message: Message,
    pub origin: Origin,
    pub handle: Handle,
}

/// Names one delivered message for its acknowledgement.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Handle(FileName);

/// What one look into the mailbox found.
#[derive(Debug, Default)]
pub struct Unread {
    /// One sender's in the order sent; between senders roughly as they came.
    pub mail: Vec<Delivered>,
    /// Files that are no messages, each told once and left in place.
    pub problems: Vec<Problem>,
}

/// A file in the mailbox that could not be delivered.
#[derive(Debug)]
pub struct Problem {
    pub path: PathBuf,
    pub why: String,
}

type Stamp = (u64, u64, i64, i64);

/// Why one file gave no message.
enum Miss {
    /// Acknowledged meanwhile.
    Gone,
    /// It will not become one as it is.
    Foreign(String),
    /// The system failed us now; the file may be well.
    Unreadable(String),
}

impl Mailbox {
    /// The reading end; only the mailbox's owner should have one.
    pub fn reader(&self) -> Reader {
        Reader { mailbox: self.clone(), handed_out: HashSet::new(), reported: HashMap::new() }
    }
}

impl Reader {
    pub fn mailbox(&self) -> &Mailbox {
        &self.mailbox
    }

    /// What came since this reader looked last.
    ///
    /// A listing is no snapshot: it may show a sender's second message and miss the first, renamed in while
    /// it ran. So the mailbox is listed twice, and from the second listing only that is taken which is not
    /// later, by sender, than what the first one showed: all before it was in place when the second began.
    pub fn unread(&mut self) -> Result<Unread> {
        let first = self.list()?;
        if first.is_empty() {
            self.handed_out.clear();
            self.reported.clear();
            return Ok(Unread::default());
        }
        let mut latest: HashMap<String, Place> = HashMap::new();
        for name in first.iter().filter_map(|name| FileName::parse(name.to_str()?)) {
            let place = latest.entry(name.sender).or_insert(name.place);
            *place = (*place).max(name.place);
        }
        let mut found = Unread::default();
        let mut names = Vec::new();
        let listed = self.list()?;
        for name in &listed {
            match name.to_str().and_then(FileName::parse) {
                Some(parsed) if latest.get(&parsed.sender).is_some_and(|seen| parsed.place <= *seen) => {
                    names.push(parsed);
                }
                Some(_) => {}
                None => self.report(name, "its name is not a message's".to_owned(), &mut found),
            }
        }
        self.forget_gone(&names, &listed);
        names.retain(|name| !self.handed_out.contains(name));
        names.sort();
        self.take(names, &mut found);
        Ok(found)
    }

    /// Says that a message was handled: it moves to `cur`, with `read` set. A second time does nothing.
    pub fn ack(&mut self, handle: &Handle) -> Result<()> {
        let name = handle.0.to_string();
        let path = self.mailbox.new_dir().join(&name);
        let mut message: Map<String, Value> = match atomic::read_json(&path) {
            Err(error) if error.is_not_found() => return Ok(()),
            message => message?,
        };
        message.insert("read".to_owned(), Value::Bool(true));
        let bytes =
            serde_json::to_vec(&message).map_err(|source| Error::Encode { path: path.clone(), source })?;
        let temporary = self.mailbox.tmp_dir().join(format!("ack.{name}"));
        let mut how = OpenOptions::new();
        atomic::write_whole(&temporary, how.create(true).truncate(true), &bytes, Durability::Buffered)?;
        // Killed between these two, the message is in both places; `cur` is what counts.
        let kept = self.mailbox.cur_dir().join(&name);
        fs::rename(&temporary, &kept).map_err(Error::io("acknowledge", &path))?;
        atomic::remove(&path)
    }

    fn list(&self) -> Result<Vec<OsString>> {
        let dir = self.mailbox.new_dir();
        let listing = fs::read_dir(&dir)
            .map_err(Error::io("list", &dir))
            .map_err(|error| self.mailbox.nobody_there(error))?;
        listing.map(|item| Ok(item.map_err(Error::io("list", &dir))?.file_name())).collect()
    }

    /// Reads the named messages, already sorted by sender and place.
    fn take(&mut self, names: Vec<FileName>, found: &mut Unread) {
        let mut mail: Vec<(i128, Delivered)> = Vec::with_capacity(names.len());
        let mut blocked: Option<String> = None;
        for name in names {
            // A sender's later messages wait for one that may be readable in a moment.
            if blocked.as_ref() == Some(&name.sender) {
                continue;
            }
            match self.fetch(&name) {
                Ok((arrived, delivered)) => {
                    // Never before an earlier one of the same sender, whatever the clock did.
                    let before = mail.last().filter(|(_, last)| last.handle.0.sender == name.sender);
                    let arrived = before.map_or(arrived, |(earlier, _)| arrived.max(*earlier));
                    self.handed_out.insert(name);
                    mail.push((arrived, delivered));
                }
                Err(Miss::Gone) => {}
                Err(Miss::Foreign(why)) => self.report(&name.to_string().into(), why, found),
                Err(Miss::Unreadable(why)) => {
                    self.report(&name.to_string().into(), why, found);
                    blocked = Some(name.sender);
                }
            }
        }
        mail.sort_by_key(|(arrived, _)| *arrived);
        found.mail.extend(mail.into_iter().map(|(_, delivered)| delivered));
    }

    /// One message with its time of arrival, which is only good for showing mail in a natural order.
    fn fetch(&self, name: &FileName) -> Result<(i128, Delivered), Miss> {
        let path = self.mailbox.new_dir().join(name.to_string());
        let kept = self.mailbox.cur_dir().join(name.to_string());
        if atomic::exists(&kept).map_err(|error| Miss::Unreadable(error.to_string()))? {
            // Handled already: what is left of an acknowledgement cut short.
            return match atomic::remove(&path) {
                Ok(()) => Err(Miss::Gone),
                Err(error) => Err(Miss::Unreadable(error.to_string())),
            };
        }
        let mut file = atomic::open_regular(&path).map_err(|error| match &error {
            error if error.is_not_found() => Miss::Gone,
            Error::Io { source, .. } if is_foreign(source) => Miss::Foreign(error.to_string()),
            error => Miss::Unreadable(error.to_string()),
        })?;
        let metadata = file.metadata().map_err(|error| Miss::Unreadable(error.to_string()))?;
        if metadata.len() > MESSAGE_LIMIT {
            return Err(Miss::Foreign(format!("it is {} bytes long", metadata.len())));
        }
        let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or(0));
        file.read_to_end(&mut bytes).map_err(|error| Miss::Unreadable(error.to_string()))?;
        let message = parse(name, &bytes).map_err(Miss::Foreign)?;
        let origin = message.from.parse().map_err(|error| Miss::Foreign(format!("{error}")))?;
        let arrived = i128::from(metadata.mtime()) * 1_000_000_000 + i128::from(metadata.mtime_nsec());
        Ok((arrived, Delivered { message, origin, handle: Handle(name.clone()) }))
    }

    fn report(&mut self, name: &OsString, why: String, found: &mut Unread) {
        let path = self.mailbox.new_dir().join(name);
        let stamp = fs::symlink_metadata(&path).map(|metadata| stamp(&metadata)).unwrap_or_default();
        if self.reported.insert(name.clone(), stamp) != Some(stamp) {
            found.problems.push(Problem { path, why });
        }
    }

    /// Forgets what is no longer in the mailbox, so that memory is bounded by what is.
    fn forget_gone(&mut self, names: &[FileName], listed: &[OsString]) {
        if !self.handed_out.is_empty() {
            let there: HashSet<&FileName> = names.iter().collect();
            self.handed_out.retain(|name| there.contains(name));
        }
        if !self.reported.is_empty() {
            let there: HashSet<&OsString> = listed.iter().collect();
            self.reported.retain(|name, _| there.contains(name));
        }
    }
}

fn parse(name: &FileName, bytes: &[u8]) -> Result<Message, String> {
    if bytes.is_empty() {
        return Err("it is empty".to_owned());
    }
    let message: Message = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    if message.id != name.message_id() {
        return Err(format!("its id `{}` is not its name", message.id));
    }
    if !message.from.eq_ignore_ascii_case(&name.sender) {
        return Err(format!("it says it is from `{}`", message.from));
    }
    Ok(message)
}

/// Errors that lie in what the file is: a link, a pipe, a folder.
fn is_foreign(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::InvalidInput
        || matches!(error.raw_os_error(), Some(nix::libc::ELOOP | nix::libc::ENXIO))
}

fn stamp(metadata: &Metadata) -> Stamp {
    (metadata.ino(), metadata.len(), metadata.mtime(), metadata.mtime_nsec())
}
