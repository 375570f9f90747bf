//! Who leads a team, and which teammates live: kernel locks, so that alive or not is a fact.

use std::fs;
use std::io;
use std::time::SystemTime;

use swarm_wire::AgentId;

use crate::atomic::{self, Durability};
use crate::error::{Error, Result};
use crate::lock::{Holder, ProcessLock};
use crate::team_dir::{TeamDir, file_name};

/// The right to lead a team, held until it is dropped or the process ends.
#[derive(Debug)]
pub struct Lease {
    epoch: u64,
    _lock: ProcessLock,
}

impl Lease {
    /// Takes the lease, or fails with [`crate::Error::Held`] naming the process that has it.
    pub fn take(team: &TeamDir) -> Result<Self> {
        atomic::create_dir(team.path())?;
        let lock = ProcessLock::take(&team.path().join("leader.lock"))?;
        let path = team.path().join("leader.epoch");
        let epoch = atomic::read_json_if_there::<u64>(&path)?.unwrap_or(0).saturating_add(1);
        // On disk before anything is signed with it: an epoch is never used twice.
        atomic::replace_json(&path, &epoch, Durability::Synced)?;
        Ok(Self { epoch, _lock: lock })
    }

    /// The process that leads the team now, where there is one.
    pub fn holder(team: &TeamDir) -> Result<Holder> {
        ProcessLock::holder(&team.path().join("leader.lock"))
    }

    /// When the team was last led, as its holder marked it; `None` before any did.
    pub fn last_seen(team: &TeamDir) -> Result<Option<SystemTime>> {
        let path = team.path().join("leader.seen");
        match fs::metadata(&path).and_then(|meta| meta.modified()) {
            Ok(at) => Ok(Some(at)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Error::io("look at", &path)(error)),
        }
    }

    /// Marks that the team is led now.
    pub fn mark_seen(team: &TeamDir) -> Result<()> {
        atomic::replace_json(&team.path().join("leader.seen"), &(), Durability::Buffered)
    }

    /// One more with every lease of this team; what a leader signs carries it.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }
}

/// Held by a teammate's process for as long as it lives.
#[derive(Debug)]
pub struct LiveLock {
    _lock: ProcessLock,
}

impl LiveLock {
    pub fn take(team: &TeamDir, agent: &AgentId) -> Result<Self> {
        let dir = team.path().join("live");
        atomic::create_dir(&dir)?;
        Ok(Self { _lock: ProcessLock::take(&dir.join(lock_name(agent)))? })
    }

    /// The process that lives as `agent`, where there is one.
    pub fn holder(team: &TeamDir, agent: &AgentId) -> Result<Holder> {
        ProcessLock::holder(&team.path().join("live").join(lock_name(agent)))
    }

    /// Every member whose process lives.
    pub fn all(team: &TeamDir) -> Result<Vec<AgentId>> {
        let mut live = Vec::new();
        for agent in locked_names(team)? {
            if Self::holder(team, &agent)?.is_alive() {
                live.push(agent);
            }
        }
        live.sort();
        Ok(live)
    }
}

fn locked_names(team: &TeamDir) -> Result<Vec<AgentId>> {
    let dir = team.path().join("live");
    let listing = match fs::read_dir(&dir) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        listing => listing.map_err(Error::io("list", &dir))?,
    };
    let mut names = Vec::new();
    for item in listing {
        let name = item.map_err(Error::io("list", &dir))?.file_name();
        names.extend(name.to_str().and_then(|name| name.strip_suffix(".lock")?.parse::<AgentId>().ok()));
    }
    Ok(names)
}

fn lock_name(agent: &AgentId) -> String {
    format!("{}.lock", file_name(agent))
}
