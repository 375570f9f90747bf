//! The team file: made once, read whole, changed under its lock.

use swarm_wire::team::TeamFile;

use crate::atomic::{self, Durability};
use crate::error::{Error, Result};
use crate::lock;
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

    fn locked<R>(&self, work: impl FnOnce() -> Result<R>) -> Result<R> {
        lock::locked(&self.path().join("team.lock"), work)
    }

    fn no_such_team(&self) -> Error {
        // The list is for the message; that it could not be made is not what went wrong.
        let exist = self.root().teams().unwrap_or_default();
        Error::NoSuchTeam { team: self.name().clone(), exist }
    }
}
