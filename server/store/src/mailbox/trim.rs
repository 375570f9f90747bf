//! Keeps `cur` small, and remembers what was removed from it, so that an old message is not read again.

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use crate::atomic::{self, Durability};
use crate::error::{Error, Result};
use crate::mailbox::Mailbox;
use crate::mailbox::name::{FileName, Place};

/// How much handled mail is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Keep {
    pub count: usize,
    pub age: Duration,
}

impl Default for Keep {
    /// A thousand messages, none older than a week.
    fn default() -> Self {
        Self { count: 1000, age: Duration::from_secs(7 * 24 * 3600) }
    }
}

/// Refused mail kept for a person to look at.
const REFUSED_KEPT: usize = 100;
/// Pieces of messages whose senders were killed are removed after this long.
const PIECES_KEPT: Duration = Duration::from_secs(24 * 3600);

/// `handled.json`: by sender, the place up to which all mail was handled and removed from `cur`.
///
/// Outside tools are not in it: they number as they please, and nothing they say has any right to lose.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Floors(BTreeMap<String, (u64, u64)>);

impl Floors {
    pub(super) fn read(mailbox: &Mailbox) -> Result<Self> {
        Ok(atomic::read_json_if_there(&path_of(mailbox))?.unwrap_or_default())
    }

    /// Whether a message of this name was handled so long ago that its file is gone.
    pub(super) fn cover(&self, name: &FileName) -> bool {
        let Place { incarnation, counter } = name.place;
        self.0.get(&name.sender).is_some_and(|floor| (incarnation, counter) <= *floor)
    }

    fn raise(&mut self, name: &FileName) {
        let place = (name.place.incarnation, name.place.counter);
        let floor = self.0.entry(name.sender.clone()).or_default();
        *floor = (*floor).max(place);
    }
}

/// Removes handled mail beyond `keep`, old pieces in `tmp`, and refused mail beyond a hundred.
pub(super) fn trim(mailbox: &Mailbox, keep: Keep, floors: &mut Floors) -> Result<()> {
    let surplus = beyond(listed(&mailbox.cur_dir())?, keep);
    let mut surplus: Vec<FileName> = surplus.filter_map(|name| FileName::parse(name.to_str()?)).collect();
    if !surplus.is_empty() {
        // What waits before one of them would fall under the floor unread.
        let waiting = first_waiting(mailbox)?;
        surplus.retain(|name| waiting.get(&name.sender).is_none_or(|first| name.place < *first));
    }
    if !surplus.is_empty() {
        let mut raised = floors.clone();
        surplus.iter().filter(|name| !name.is_external()).for_each(|name| raised.raise(name));
        // Before the files go, or a copy of one could be read as new after a kill in between.
        atomic::replace_json(&path_of(mailbox), &raised, Durability::Buffered)?;
        *floors = raised;
        for name in surplus {
            atomic::remove(&mailbox.cur_dir().join(name.to_string()))?;
        }
    }
    for name in beyond(listed(&mailbox.tmp_dir())?, Keep { count: usize::MAX, age: PIECES_KEPT }) {
        atomic::remove(&mailbox.tmp_dir().join(name))?;
    }
    for name in beyond(listed(&mailbox.refused_dir())?, Keep { count: REFUSED_KEPT, age: Duration::MAX }) {
        atomic::remove(&mailbox.refused_dir().join(name))?;
    }
    Ok(())
}

fn path_of(mailbox: &Mailbox) -> PathBuf {
    mailbox.path().join("handled.json")
}

/// The lowest place in `new` of each sender that has mail there.
fn first_waiting(mailbox: &Mailbox) -> Result<HashMap<String, Place>> {
    let mut first: HashMap<String, Place> = HashMap::new();
    let dir = mailbox.new_dir();
    for item in fs::read_dir(&dir).map_err(Error::io("list", &dir))? {
        let name = item.map_err(Error::io("list", &dir))?.file_name();
        if let Some(name) = name.to_str().and_then(FileName::parse) {
            let place = first.entry(name.sender).or_insert(name.place);
            *place = (*place).min(name.place);
        }
    }
    Ok(first)
}

/// The names that are too many or too old.
fn beyond(mut files: Vec<(SystemTime, OsString)>, keep: Keep) -> impl Iterator<Item = OsString> {
    files.sort_by(|a, b| b.cmp(a));
    let oldest = SystemTime::now().checked_sub(keep.age);
    files.into_iter().enumerate().filter_map(move |(index, (written, name))| {
        let too_old = oldest.is_some_and(|oldest| written < oldest);
        (index >= keep.count || too_old).then_some(name)
    })
}

/// Every file with its time of writing; none where there is no folder.
fn listed(dir: &Path) -> Result<Vec<(SystemTime, OsString)>> {
    let listing = match fs::read_dir(dir) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        listing => listing.map_err(Error::io("list", dir))?,
    };
    let mut files = Vec::new();
    for item in listing {
        let item = item.map_err(Error::io("list", dir))?;
        match item.metadata().and_then(|metadata| metadata.modified()) {
            Ok(written) => files.push((written, item.file_name())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(Error::io("look at", item.path())(error)),
        }
    }
    Ok(files)
}
