//! Mailboxes: one folder a member, one file a message.
//!
//! A message is written in `tmp`, renamed into `new`, and moved into `cur` after it was handled, so that a
//! kill of writer or reader at any instant loses nothing: delivery is at least once. Its file name is its id,
//! `<incarnation>.<counter>.<sender>`, from which one sender's order is read without a clock.

mod envelope;
mod fetch;
mod name;
mod read;
mod reports;
mod send;
mod trim;
mod watch;

use std::fs;
use std::path::PathBuf;

use swarm_wire::AgentId;

pub use envelope::Content;
pub use name::Origin;
pub use read::{Delivered, Handle, Reader, Unread};
pub use reports::Problem;
pub use send::{Draft, Sender};
pub use trim::Keep;
pub use watch::{Changes, Watch};

use crate::atomic;
use crate::error::{Error, Result};
use crate::team_dir::{TeamDir, file_name};

/// Largest message that is sent or read, in bytes.
pub const MESSAGE_LIMIT: u64 = 16 << 20;

/// One member's mailbox, which need not exist yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mailbox {
    team: TeamDir,
    owner: AgentId,
    path: PathBuf,
}

impl Mailbox {
    pub(crate) fn new(team: TeamDir, owner: AgentId) -> Self {
        let path = team.path().join("mailbox").join(file_name(&owner));
        Self { team, owner, path }
    }

    pub fn owner(&self) -> &AgentId {
        &self.owner
    }

    pub fn path(&self) -> &std::path::Path {
        &self.path
    }

    /// Makes the mailbox, from when on mail can be sent to it; one that exists keeps its mail.
    pub fn create(&self) -> Result<()> {
        for folder in ["tmp", "cur", "new"] {
            atomic::create_dir(&self.path.join(folder))?;
        }
        Ok(())
    }

    pub fn exists(&self) -> Result<bool> {
        atomic::exists(&self.new_dir())
    }

    /// Ends the mailbox with its mail: what is sent from now on is an error to its sender.
    ///
    /// The mail is kept aside, where a later member of the same name never sees it.
    pub fn close(&self) -> Result<()> {
        let ended = self.team.path().join("ended");
        atomic::create_dir(&ended)?;
        for number in 1_u64.. {
            let aside = ended.join(format!("{}.{number}", file_name(&self.owner)));
            match fs::rename(&self.path, &aside) {
                Ok(()) => return Ok(()),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
                Err(error) if error.kind() == std::io::ErrorKind::DirectoryNotEmpty => {}
                Err(error) => return Err(Error::io("end the mailbox", &self.path)(error)),
            }
        }
        Ok(())
    }

    fn new_dir(&self) -> PathBuf {
        self.path.join("new")
    }

    fn cur_dir(&self) -> PathBuf {
        self.path.join("cur")
    }

    fn refused_dir(&self) -> PathBuf {
        self.path.join("refused")
    }

    fn tmp_dir(&self) -> PathBuf {
        self.path.join("tmp")
    }

    /// The error for a sender to a mailbox that is not there, or the error as it came.
    fn nobody_there(&self, error: Error) -> Error {
        if !error.is_not_found() {
            return error;
        }
        Error::NoSuchMember { to: self.owner.clone(), exist: self.team.mailboxes().unwrap_or_default() }
    }
}

impl TeamDir {
    /// Everyone whom mail reaches, by name.
    pub fn mailboxes(&self) -> Result<Vec<AgentId>> {
        let dir = self.path().join("mailbox");
        let listing = match fs::read_dir(&dir) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            listing => listing.map_err(Error::io("list", &dir))?,
        };
        let mut agents = Vec::new();
        for item in listing {
            let name = item.map_err(Error::io("list", &dir))?.file_name();
            agents.extend(name.to_str().and_then(|name| name.parse::<AgentId>().ok()));
        }
        agents.sort();
        Ok(agents)
    }
}
