//! The writing end: `tmp`, then a rename into `new`.

use std::collections::HashMap;
use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use swarm_wire::MessageId;
use swarm_wire::mail::{Kind, Message};

use crate::atomic::{self, Durability};
use crate::clock;
use crate::error::{Error, Result};
use crate::mailbox::envelope::Envelope;
use crate::mailbox::name::{FileName, Origin, Place};
use crate::mailbox::{MESSAGE_LIMIT, Mailbox};
use crate::seal::Signer;
use crate::team_dir::TeamDir;

/// What a sender has to say; the rest of a message is the sender's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    pub text: String,
    pub kind: Kind,
    pub summary: Option<String>,
    pub color: Option<String>,
}

/// Sends mail in one name, in order: what is sent first is read first.
#[derive(Debug, Clone)]
pub struct Sender {
    from: Origin,
    incarnation: u64,
    counter: Arc<Mutex<u64>>,
    signer: Option<Signer>,
}

type Counters = HashMap<(PathBuf, String, u64), Arc<Mutex<u64>>>;

/// One counter for each sender and incarnation in this process, so that two senders of one name never
/// give two messages the same file name.
static COUNTERS: Mutex<Option<Counters>> = Mutex::new(None);

impl Draft {
    /// Free text, never parsed.
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), kind: Kind::Text, summary: None, color: None }
    }

    /// A protocol message as JSON.
    pub fn protocol(message: &swarm_wire::mail::Protocol) -> Result<Self, serde_json::Error> {
        let text = serde_json::to_string(message)?;
        Ok(Self { text, kind: Kind::Protocol, summary: None, color: None })
    }
}

impl Sender {
    pub(crate) fn new(team: &TeamDir, from: Origin, incarnation: u64) -> Self {
        let key = (team.path().to_owned(), from.to_string().to_ascii_lowercase(), incarnation);
        let mut counters = COUNTERS.lock().unwrap_or_else(PoisonError::into_inner);
        let counter = counters.get_or_insert_default().entry(key).or_default().clone();
        Self { from, incarnation, counter, signer: None }
    }

    /// The same sender, whose mail is signed from now on.
    pub fn sealed(mut self, signer: Signer) -> Self {
        self.signer = Some(signer);
        self
    }

    pub fn origin(&self) -> &Origin {
        &self.from
    }

    /// Delivers a message, or says why it could not be; nothing is left behind then.
    ///
    /// Waits for the disk when `durability` says so. [`Error::NoSuchMember`] lists whom mail reaches.
    pub fn send(&self, to: &Mailbox, draft: Draft, durability: Durability) -> Result<MessageId> {
        // Held until the message is in `new`: its place among the sender's is taken in this very order.
        let mut counter = self.counter.lock().unwrap_or_else(PoisonError::into_inner);
        *counter += 1;
        let place = Place { incarnation: self.incarnation, counter: *counter };
        let name = FileName::new(&self.from, place);
        let message = Message {
            id: name.message_id(),
            from: self.from.to_string(),
            text: draft.text,
            timestamp: clock::now_rfc3339(),
            color: draft.color,
            summary: draft.summary,
            read: false,
            kind: draft.kind,
        };
        let seal = self.signer.as_ref().map(|signer| signer.seal(&message, to.owner()));
        let id = message.id.clone();
        let bytes = Envelope { message, seal }
            .into_bytes()
            .map_err(|source| Error::Encode { path: to.path().to_owned(), source })?;
        let length = bytes.len() as u64;
        if length > MESSAGE_LIMIT {
            let what = format!("a message to `{}`", to.owner());
            return Err(Error::TooLarge { what, bytes: length, limit: MESSAGE_LIMIT });
        }
        deliver(to, &name.to_string(), &bytes, durability).map_err(|error| to.nobody_there(error))?;
        Ok(id)
    }
}

fn deliver(to: &Mailbox, name: &str, bytes: &[u8], durability: Durability) -> Result<()> {
    let temporary = to.tmp_dir().join(name);
    let target = to.new_dir().join(name);
    let written = atomic::write_whole(&temporary, OpenOptions::new().create_new(true), bytes, durability)
        .and_then(|()| place_new(&temporary, &target));
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    written?;
    atomic::sync_parent(&target, durability)
}

/// Renames `from` to `to`, which must not be there: a name used twice would be a message lost.
#[cfg(target_os = "linux")]
fn place_new(from: &Path, to: &Path) -> Result<()> {
    use nix::errno::Errno;
    use nix::fcntl::{AT_FDCWD, RenameFlags, renameat2};

    match renameat2(AT_FDCWD, from, AT_FDCWD, to, RenameFlags::RENAME_NOREPLACE) {
        Ok(()) => Ok(()),
        // File systems that cannot promise it.
        Err(Errno::EINVAL | Errno::ENOSYS) => link_new(from, to),
        Err(errno) => Err(Error::io("deliver", to)(io::Error::from(errno))),
    }
}

#[cfg(not(target_os = "linux"))]
fn place_new(from: &Path, to: &Path) -> Result<()> {
    link_new(from, to)
}

fn link_new(from: &Path, to: &Path) -> Result<()> {
    fs::hard_link(from, to).map_err(Error::io("deliver", to))?;
    atomic::remove(from)
}
