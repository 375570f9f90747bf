//! The reading end, of which a mailbox has one: what is new in order, and the acknowledgement.

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};

use swarm_wire::mail::Message;

use crate::atomic::{self, Durability};
use crate::error::{Error, Result};
use crate::mailbox::envelope::{Content, mark_read_in_place, marked_read};
use crate::mailbox::fetch::{Fetched, Miss};
use crate::mailbox::name::{FileName, Origin, Place};
use crate::mailbox::reports::{Problem, Reports};
use crate::mailbox::trim::{Floors, Keep, trim};
use crate::mailbox::{Mailbox, fetch};
use crate::seal::{Standing, Verifier};

/// Reads one mailbox. Each message is handed out once by one reader; a new reader, as after a crash, hands
/// out again all that was not acknowledged.
#[derive(Debug)]
pub struct Reader {
    pub(super) mailbox: Mailbox,
    /// `None` for a reader that believes what it reads.
    pub(super) verifier: Option<Verifier>,
    /// `None` until first needed.
    floors: Option<Floors>,
    keep: Keep,
    acks_since_trim: usize,
    handed_out: HashSet<FileName>,
    reports: Reports,
}

/// A message, and what [`Reader::ack`] takes once it was handled.
#[derive(Debug, Clone, PartialEq)]
pub struct Delivered {
    /// Its `from` is `external:<name>` where nobody known stands behind it.
    pub message: Message,
    /// `from`, parsed.
    pub origin: Origin,
    pub standing: Standing,
    pub content: Content,
    pub handle: Handle,
}

/// Names one delivered message for its acknowledgement.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Handle(pub(super) FileName);

/// What one look into the mailbox found.
#[derive(Debug, Default)]
pub struct Unread {
    /// One sender's in the order sent; between senders roughly as they came.
    pub mail: Vec<Delivered>,
    /// What is to be shown to a person, each file told once.
    pub problems: Vec<Problem>,
}

/// Acknowledgements between two trimmings of `cur`.
const TRIM_EVERY: usize = 500;

impl Mailbox {
    /// A reader that believes what it reads: for looking on, and where no keys are.
    pub fn reader(&self) -> Reader {
        self.new_reader(None)
    }

    /// The owner's reader: mail without the right signature is refused, or comes as an outside tool's.
    pub fn sealed_reader(&self, verifier: Verifier) -> Reader {
        self.new_reader(Some(verifier))
    }

    fn new_reader(&self, verifier: Option<Verifier>) -> Reader {
        Reader {
            mailbox: self.clone(),
            verifier,
            floors: None,
            keep: Keep::default(),
            acks_since_trim: 0,
            handed_out: HashSet::new(),
            reports: Reports::default(),
        }
    }
}

impl Reader {
    pub fn mailbox(&self) -> &Mailbox {
        &self.mailbox
    }

    /// Sets how much handled mail is kept.
    pub fn keeping(mut self, keep: Keep) -> Self {
        self.keep = keep;
        self
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
            self.reports = Reports::default();
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
                None => {
                    let why = "its name is not a message's".to_owned();
                    found.problems.extend(self.reports.hopeless(self.mailbox.new_dir().join(name), why));
                }
            }
        }
        self.forget_gone(&names, &listed);
        names.retain(|name| !self.handed_out.contains(name));
        names.sort();
        self.load_floors()?;
        self.take(names, &mut found);
        Ok(found)
    }

    /// Says that a message was handled: it moves to `cur`, with `read` set. A second time does nothing.
    pub fn ack(&mut self, handle: &Handle) -> Result<()> {
        let name = handle.0.to_string();
        let path = self.mailbox.new_dir().join(&name);
        let kept = self.mailbox.cur_dir().join(&name);
        let file = match atomic::open_regular(&path, OpenOptions::new().write(true)) {
            Err(error) if error.is_not_found() => return Ok(()),
            file => file?.0,
        };
        if mark_read_in_place(&file).map_err(Error::io("mark as read", &path))? {
            fs::rename(&path, &kept).map_err(Error::io("acknowledge", &path))?;
        } else {
            self.replace_by_marked(&path, &kept)?;
        }
        // Should it turn up again, it is looked at again.
        self.handed_out.remove(&handle.0);
        self.acks_since_trim += 1;
        if self.acks_since_trim >= TRIM_EVERY {
            self.trim()?;
        }
        Ok(())
    }

    /// The way of a message that another tool wrote in its own way.
    fn replace_by_marked(&self, path: &Path, kept: &Path) -> Result<()> {
        let marked = marked_read(&atomic::read(path)?)
            .map_err(|source| Error::Json { path: path.to_owned(), source })?;
        let temporary = self.mailbox.tmp_dir().join("acknowledged");
        let mut how = OpenOptions::new();
        atomic::write_whole(&temporary, how.create(true).truncate(true), &marked, Durability::Buffered)?;
        // Killed between these two, the message is in both places; `cur` is what counts.
        fs::rename(&temporary, kept).map_err(Error::io("acknowledge", path))?;
        atomic::remove(path)
    }

    /// Removes handled mail beyond what is kept; [`Reader::ack`] does so now and then.
    pub fn trim(&mut self) -> Result<()> {
        self.acks_since_trim = 0;
        let keep = self.keep;
        let mailbox = self.mailbox.clone();
        trim(&mailbox, keep, self.load_floors()?)
    }

    fn list(&self) -> Result<Vec<OsString>> {
        let dir = self.mailbox.new_dir();
        let listing = fs::read_dir(&dir)
            .map_err(Error::io("list", &dir))
            .map_err(|error| self.mailbox.nobody_there(error))?;
        listing.map(|item| Ok(item.map_err(Error::io("list", &dir))?.file_name())).collect()
    }

    fn load_floors(&mut self) -> Result<&mut Floors> {
        let floors = match self.floors.take() {
            Some(floors) => floors,
            None => Floors::read(&self.mailbox)?,
        };
        Ok(self.floors.insert(floors))
    }

    /// Reads the named messages, already sorted by sender and place.
    fn take(&mut self, names: Vec<FileName>, found: &mut Unread) {
        let mut mail: Vec<Fetched> = Vec::with_capacity(names.len());
        let mut blocked: Option<String> = None;
        for name in names {
            // A sender's later messages wait for one that may be readable in a moment.
            if blocked.as_ref() == Some(&name.sender) {
                continue;
            }
            let path = self.mailbox.new_dir().join(name.to_string());
            if self.reports.is_hopeless(&path) {
                continue;
            }
            if self.floors.as_ref().is_some_and(|floors| floors.cover(&name)) {
                self.refuse(path, "it was handled before".to_owned(), found);
                continue;
            }
            match fetch::fetch(&self.mailbox, self.verifier.as_mut(), &name) {
                Ok(mut fetched) => {
                    if let Content::Opaque { why } = &fetched.delivered.content {
                        found.problems.extend(self.reports.passing(path, format!("not understood: {why}")));
                    }
                    // Never before an earlier one of the same sender, whatever the clock did.
                    let before = mail.last().filter(|last| last.delivered.handle.0.sender == name.sender);
                    fetched.arrived =
                        before.map_or(fetched.arrived, |last| fetched.arrived.max(last.arrived));
                    self.handed_out.insert(name);
                    mail.push(fetched);
                }
                Err(Miss::Gone) => {}
                Err(Miss::Refused(why)) => self.refuse(path, why.to_string(), found),
                Err(Miss::Foreign(why)) => found.problems.extend(self.reports.hopeless(path, why)),
                Err(Miss::Unreadable(why)) => {
                    found.problems.extend(self.reports.passing(path, why));
                    blocked = Some(name.sender);
                }
            }
        }
        mail.sort_by_key(|fetched| fetched.arrived);
        found.mail.extend(mail.into_iter().map(|fetched| fetched.delivered));
    }

    /// Reports mail that nobody may read and puts it out of the way.
    fn refuse(&mut self, path: PathBuf, why: String, found: &mut Unread) {
        let dir = self.mailbox.refused_dir();
        let aside = dir.join(path.file_name().unwrap_or_default());
        let moved = atomic::create_dir(&dir)
            .and_then(|()| fs::rename(&path, &aside).map_err(Error::io("put aside", &path)));
        match moved {
            Ok(()) => found.problems.push(Problem { path: aside, why: format!("refused: {why}") }),
            Err(error) => {
                found.problems.extend(self.reports.passing(path, format!("refused: {why}; {error}")));
            }
        }
    }

    /// Forgets what is no longer in the mailbox, so that memory is bounded by what is.
    fn forget_gone(&mut self, names: &[FileName], listed: &[OsString]) {
        if !self.handed_out.is_empty() {
            let there: HashSet<&FileName> = names.iter().collect();
            self.handed_out.retain(|name| there.contains(name));
        }
        self.reports.keep_only(listed);
    }
}
