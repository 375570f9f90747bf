//! One team's folder: which file is where. Names are lower-cased on disk, since they compare without case.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use swarm_wire::{AgentId, MemberName, TeamName};

use crate::atomic::{self, Durability};
use crate::error::{Error, Result};
use crate::lock;
use crate::mailbox::{Mailbox, Origin, Sender};
use crate::permissions::Permissions;
use crate::root::Root;
use crate::tasks::Tasks;

/// Handle to one team's state; cheap to clone, and nothing is open in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TeamDir {
    root: Root,
    name: TeamName,
    path: PathBuf,
}

impl TeamDir {
    pub(crate) fn new(root: Root, name: TeamName) -> Self {
        let path = root.teams_dir().join(name.as_str().to_ascii_lowercase());
        Self { root, name, path }
    }

    pub fn name(&self) -> &TeamName {
        &self.name
    }

    /// `<root>/teams/<team>`, where everything but the team file is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn root(&self) -> &Root {
        &self.root
    }

    /// `<root>/teams/<team>.json`.
    pub fn team_file_path(&self) -> PathBuf {
        // Not `with_extension`: a team's name may have dots.
        let mut name = self.path.file_name().unwrap_or_default().to_owned();
        name.push(".json");
        self.path.with_file_name(name)
    }

    pub fn mailbox(&self, agent: &AgentId) -> Mailbox {
        Mailbox::new(self.clone(), agent.clone())
    }

    /// A sender whose mail is numbered within `incarnation`; see [`TeamDir::next_incarnation`].
    pub fn sender(&self, from: Origin, incarnation: u64) -> Sender {
        Sender::new(self, from, incarnation)
    }

    pub fn permissions(&self) -> Permissions {
        Permissions::new(self.path.join("permissions"))
    }

    /// Writes a member's plan to a file of its own, `plans/<member>-<n>.md`.
    pub fn write_plan(&self, member: &MemberName, plan: &str) -> Result<PathBuf> {
        let folder = self.path.join("plans");
        atomic::create_dir(&folder)?;
        let name = member.as_str().to_ascii_lowercase();
        let mut number = 1_usize;
        loop {
            let path = folder.join(format!("{name}-{number}.md"));
            if !atomic::exists(&path)? {
                atomic::replace(&path, plan.as_bytes(), Durability::Synced)?;
                return Ok(path);
            }
            number += 1;
        }
    }

    /// Where a member's conversation is shown as a document that the user writes in.
    pub fn conversation_page(&self, member: &MemberName) -> PathBuf {
        let name = member.as_str().to_ascii_lowercase();
        match *member == MemberName::team_lead() {
            true => self.path.join("conversation.md"),
            false => self.path.join(format!("conversation-{name}.md")),
        }
    }

    /// Writes that document.
    pub fn write_conversation_page(&self, member: &MemberName, text: &str) -> Result<PathBuf> {
        let path = self.conversation_page(member);
        atomic::replace(&path, text.as_bytes(), Durability::Synced)?;
        Ok(path)
    }

    /// Makes the folder that members' git worktrees are in, `worktrees/`.
    pub fn prepare_worktrees(&self) -> Result<PathBuf> {
        let folder = self.path.join("worktrees");
        atomic::create_dir(&folder)?;
        Ok(folder)
    }

    /// The git worktrees that there are, also those of members that left.
    pub fn worktrees(&self) -> Result<Vec<PathBuf>> {
        let folder = self.path.join("worktrees");
        match fs::read_dir(&folder) {
            Ok(entries) => {
                let paths = entries.map(|entry| entry.map(|entry| entry.path()));
                let mut paths: Vec<PathBuf> =
                    paths.collect::<io::Result<_>>().map_err(Error::io("list", &folder))?;
                paths.sort();
                Ok(paths)
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(Error::io("list", &folder)(error)),
        }
    }

    pub fn tasks(&self) -> Tasks {
        Tasks::new(self.path.join("tasks"))
    }

    /// Whether a member of this name was ever started, also one that is gone: its name is not used again.
    pub fn was_member(&self, agent: &AgentId) -> Result<bool> {
        atomic::exists(&self.path.join("incarnations").join(file_name(agent)))
    }

    /// The number of the last start of `agent`; 0 before the first.
    pub fn incarnation(&self, agent: &AgentId) -> Result<u64> {
        let path = self.path.join("incarnations").join(file_name(agent));
        Ok(atomic::read_json_if_there::<u64>(&path)?.unwrap_or(0))
    }

    /// The number of this start of `agent`, one more than at its last start, on disk before it is used.
    pub fn next_incarnation(&self, agent: &AgentId) -> Result<u64> {
        let dir = self.path.join("incarnations");
        atomic::create_dir(&dir)?;
        lock::locked(&dir.join(".lock"), || {
            let path = dir.join(file_name(agent));
            let next = atomic::read_json_if_there::<u64>(&path)?.unwrap_or(0).saturating_add(1);
            atomic::replace_json(&path, &next, Durability::Synced)?;
            Ok(next)
        })
    }
}

/// An agent id as a file or folder name.
pub(crate) fn file_name(agent: &AgentId) -> String {
    agent.to_string().to_ascii_lowercase()
}

/// Refuses an id from outside that could name anything but one plain file.
pub(crate) fn checked_id(id: &str) -> Result<&str> {
    let refuse = |why| Err(Error::BadId { id: id.chars().take(80).collect(), why });
    match id {
        "" => refuse("it is empty"),
        _ if id.len() > 128 => refuse("it is longer than 128 characters"),
        _ if id.starts_with('.') => refuse("it starts with a dot"),
        _ if !id.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-')) => {
            refuse("it takes A-Z a-z 0-9 . _ -")
        }
        _ => Ok(id),
    }
}
