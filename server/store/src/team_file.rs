//! The team file: made once, read whole, changed under its lock.

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::Path;

use swarm_wire::permission::Mode;
use swarm_wire::team::TeamFile;
use swarm_wire::{AgentId, MemberName};

use crate::atomic::{self, Durability};
use crate::error::{Error, Result};
use crate::lease::{Lease, LiveLock};
use crate::lock;
use crate::seal::TeamKey;
use crate::team_dir::TeamDir;

/// The folders that a new team has from the start.
const FOLDERS: [&str; 6] = ["mailbox", "permissions", "tasks", "transcripts", "outputs", "plans"];

impl TeamDir {
    /// Makes the team: its folders, then its file. One that exists is an error and stays as it is.
    pub fn create(&self, team: &TeamFile) -> Result<()> {
        for folder in FOLDERS {
            atomic::create_dir(&self.path().join(folder))?;
        }
        self.locked(|| {
            if self.exists()? {
                return Err(Error::TeamExists(self.name().clone()));
            }
            atomic::replace_json(&self.team_file_path(), team, Durability::Synced)
        })
    }

    /// Whether the team has a file.
    pub fn exists(&self) -> Result<bool> {
        atomic::exists(&self.team_file_path())
    }

    pub fn read(&self) -> Result<TeamFile> {
        atomic::read_json_if_there(&self.team_file_path())?.ok_or_else(|| self.no_such_team())
    }

    /// Changes the team file in one step that no other process can come between.
    ///
    /// A `change` that leaves the file as it was writes nothing.
    pub fn update<R>(&self, change: impl FnOnce(&mut TeamFile) -> R) -> Result<R> {
        if !self.exists()? {
            return Err(self.no_such_team());
        }
        self.locked(|| {
            let before = self.read()?;
            let mut after = before.clone();
            let result = change(&mut after);
            if after != before {
                atomic::replace_json(&self.team_file_path(), &after, Durability::Synced)?;
            }
            Ok(result)
        })
    }

    /// Sets the modes of many members in one write, of all or of none.
    pub fn set_modes(&self, modes: &[(MemberName, Mode)]) -> Result<()> {
        self.update(|team| {
            let wanted: HashMap<&MemberName, Mode> = modes.iter().map(|(name, mode)| (name, *mode)).collect();
            let exist: Vec<MemberName> = team.members.iter().map(|member| member.name.clone()).collect();
            let there: HashSet<&MemberName> = exist.iter().collect();
            let unknown: Vec<MemberName> =
                wanted.keys().filter(|name| !there.contains(*name)).map(|name| (*name).clone()).collect();
            if !unknown.is_empty() {
                return Err(Error::NoSuchMembers { unknown, exist });
            }
            for member in &mut team.members {
                if let Some(mode) = wanted.get(&member.name) {
                    member.mode = Some(*mode);
                }
            }
            Ok(())
        })?
    }

    /// Refuses to delete a team that holds git worktrees, where work may be that is nowhere else.
    pub fn check_worktrees(&self) -> Result<()> {
        let worktrees = self.worktrees()?;
        if worktrees.is_empty() {
            return Ok(());
        }
        let worktrees = worktrees.iter().map(|path| path.display().to_string()).collect();
        Err(Error::WorktreesLeft { team: self.name().clone(), worktrees })
    }

    /// Deletes the team with all its state. Refused while a member's process lives, or it holds git worktrees.
    ///
    /// The lease proves that nobody else leads it. The state goes aside in one step before the team file does,
    /// so that no kill leaves mail or tasks for a later team of the name; deleting once more finishes it.
    pub fn delete(&self, lease: Lease) -> Result<()> {
        let live: Vec<AgentId> = LiveLock::all(self)?;
        if !live.is_empty() {
            return Err(Error::MembersRun { team: self.name().clone(), live });
        }
        self.check_worktrees()?;
        let mut aside = OsString::from(".deleted-");
        aside.push(self.path().file_name().unwrap_or_default());
        let aside = self.path().with_file_name(aside);
        remove_dir(&aside)?;
        fs::rename(self.path(), &aside).map_err(Error::io("put aside", self.path()))?;
        TeamKey::forget(self)?;
        atomic::remove(&self.team_file_path())?;
        drop(lease);
        remove_dir(&aside)
    }

    fn locked<R>(&self, work: impl FnOnce() -> Result<R>) -> Result<R> {
        lock::locked(&self.path().join("team.lock"), work)
    }

    fn no_such_team(&self) -> Error {
        // The list is for the message; that it could not be made is not what went wrong.
        let exist = self.root().teams().unwrap_or_default();
        Error::NoSuchTeam { team: self.name().clone(), exist }
    }
}

/// Removes a folder that may be gone already, with all that is in it.
fn remove_dir(path: &Path) -> Result<()> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(Error::io("delete", path)(error)),
        _ => Ok(()),
    }
}
