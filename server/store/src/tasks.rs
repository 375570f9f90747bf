//! The team's tasks, one file each; who claims one is decided under the lock, and exactly one wins.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::PathBuf;

use swarm_wire::AgentId;
use swarm_wire::task::{Task, TaskId, TaskStatus};

use crate::atomic::{self, Durability};
use crate::error::{Error, Result};
use crate::lock;
use crate::team_dir::checked_id;

/// One team's tasks.
#[derive(Debug, Clone)]
pub struct Tasks {
    dir: PathBuf,
}

/// What became of a claim.
#[derive(Debug, Clone, PartialEq)]
pub enum Claim {
    /// The task is the claimer's now, in progress; it may have been before.
    Claimed(Box<Task>),
    /// Another has it.
    Taken(AgentId),
    /// These must be completed first.
    Blocked(Vec<TaskId>),
    Completed,
    Unknown,
}

/// Every task that can be read, in the order made.
type Board = BTreeMap<u64, Task>;

impl Tasks {
    pub(crate) fn new(dir: PathBuf) -> Self {
        Self { dir }
    }

    /// Adds a task. Its blockers must exist, so that no ring of tasks can wait for itself.
    pub fn create(&self, subject: &str, description: &str, blocked_by: &[TaskId]) -> Result<Task> {
        self.locked(|| {
            self.check_blockers(blocked_by, None)?;
            let id = TaskId::new(self.last_number()?.saturating_add(1).to_string());
            let task = Task {
                id,
                subject: subject.to_owned(),
                description: description.to_owned(),
                status: TaskStatus::Pending,
                owner: None,
                blocked_by: blocked_by.to_vec(),
                unknown: serde_json::Map::new(),
            };
            self.write(&task)?;
            Ok(task)
        })
    }

    /// Every task, in the order made; an unreadable file is logged and left.
    pub fn list(&self) -> Result<Vec<Task>> {
        Ok(self.board()?.into_values().collect())
    }

    pub fn get(&self, id: &TaskId) -> Result<Option<Task>> {
        atomic::read_json_if_there(&self.path(id)?)
    }

    /// Takes a task for `agent`, unless it is another's, done, or waits for others.
    pub fn claim(&self, id: &TaskId, agent: &AgentId) -> Result<Claim> {
        self.locked(|| match self.get(id)? {
            Some(task) => self.claim_read(task, agent),
            None => Ok(Claim::Unknown),
        })
    }

    /// Takes the next task for `agent`: its own before the first free one.
    pub fn claim_next(&self, agent: &AgentId) -> Result<Option<Task>> {
        self.locked(|| {
            let board = self.board()?;
            let open = |task: &&Task| task.status != TaskStatus::Completed;
            let own = board.values().filter(open).filter(|task| task.owner.as_ref() == Some(agent));
            let free = board.values().filter(open).filter(|task| task.owner.is_none());
            self.claim_first(own.chain(free), agent)
        })
    }

    /// The task that an idle member takes up: one that was set aside for it, else the first free one. None while it
    /// has one in progress.
    pub fn claim_when_idle(&self, agent: &AgentId) -> Result<Option<Task>> {
        self.locked(|| {
            let board = self.board()?;
            let own = || board.values().filter(|task| task.owner.as_ref() == Some(agent));
            if own().any(|task| task.status == TaskStatus::InProgress) {
                return Ok(None);
            }
            let waiting = own().filter(|task| task.status == TaskStatus::Pending);
            let free =
                board.values().filter(|task| task.status == TaskStatus::Pending && task.owner.is_none());
            self.claim_first(waiting.chain(free), agent)
        })
    }

    /// Changes a task in one step; `None` where there is none. Its id stays, and new blockers must exist.
    pub fn update(&self, id: &TaskId, change: impl FnOnce(&mut Task)) -> Result<Option<Task>> {
        self.locked(|| {
            let Some(before) = self.get(id)? else { return Ok(None) };
            let mut after = before.clone();
            change(&mut after);
            after.id = before.id.clone();
            if after.blocked_by != before.blocked_by {
                self.check_blockers(&after.blocked_by, Some(id))?;
            }
            if after != before {
                self.write(&after)?;
            }
            Ok(Some(after))
        })
    }

    /// Frees what a member that is gone had claimed; its completed tasks keep its name.
    pub fn release(&self, agent: &AgentId) -> Result<Vec<Task>> {
        self.locked(|| {
            let mut released = Vec::new();
            for mut task in self.board()?.into_values() {
                if task.owner.as_ref() == Some(agent) && task.status != TaskStatus::Completed {
                    task.owner = None;
                    task.status = TaskStatus::Pending;
                    self.write(&task)?;
                    released.push(task);
                }
            }
            Ok(released)
        })
    }

    /// The first that can be claimed. The caller holds the lock.
    fn claim_first<'a>(
        &self,
        tasks: impl Iterator<Item = &'a Task>,
        agent: &AgentId,
    ) -> Result<Option<Task>> {
        for task in tasks {
            if let Claim::Claimed(task) = self.claim_read(task.clone(), agent)? {
                return Ok(Some(*task));
            }
        }
        Ok(None)
    }

    /// The caller holds the lock.
    fn claim_read(&self, mut task: Task, agent: &AgentId) -> Result<Claim> {
        if task.status == TaskStatus::Completed {
            return Ok(Claim::Completed);
        }
        if let Some(owner) = task.owner.as_ref().filter(|owner| *owner != agent) {
            return Ok(Claim::Taken(owner.clone()));
        }
        let blockers = self.unfinished(&task.blocked_by)?;
        if !blockers.is_empty() {
            return Ok(Claim::Blocked(blockers));
        }
        if task.owner.is_none() || task.status != TaskStatus::InProgress {
            task.owner = Some(agent.clone());
            task.status = TaskStatus::InProgress;
            self.write(&task)?;
        }
        Ok(Claim::Claimed(Box::new(task)))
    }

    /// A blocker that is missing or cannot be read is not known to be done.
    fn unfinished(&self, blockers: &[TaskId]) -> Result<Vec<TaskId>> {
        let mut unfinished = Vec::new();
        for id in blockers {
            if self.get(id)?.is_none_or(|task| task.status != TaskStatus::Completed) {
                unfinished.push(id.clone());
            }
        }
        Ok(unfinished)
    }

    /// Every blocker exists, and none of them waits, near or far, for `of`.
    fn check_blockers(&self, blockers: &[TaskId], of: Option<&TaskId>) -> Result<()> {
        let mut next: Vec<TaskId> = blockers.to_vec();
        let mut seen = BTreeSet::new();
        while let Some(id) = next.pop() {
            if of == Some(&id) {
                return Err(Error::TaskWaitsForItself(id));
            }
            if seen.insert(id.clone()) {
                let task = self.get(&id)?.ok_or(Error::NoSuchTask(id))?;
                next.extend(task.blocked_by);
            }
        }
        Ok(())
    }

    fn board(&self) -> Result<Board> {
        let mut board = Board::new();
        for number in self.numbers()? {
            let path = self.dir.join(format!("{number}.json"));
            match atomic::read_json_if_there::<Task>(&path) {
                Ok(Some(task)) if task.id.as_str() == number.to_string() => drop(board.insert(number, task)),
                Ok(Some(_)) => tracing::warn!(path = %path.display(), "a task under another's name"),
                Ok(None) => {}
                Err(error) => tracing::warn!(%error, "a task was passed over"),
            }
        }
        Ok(board)
    }

    /// Counts unreadable files too: no number is given twice.
    fn last_number(&self) -> Result<u64> {
        Ok(self.numbers()?.into_iter().max().unwrap_or(0))
    }

    fn numbers(&self) -> Result<Vec<u64>> {
        let listing = match fs::read_dir(&self.dir) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            listing => listing.map_err(Error::io("list", &self.dir))?,
        };
        let mut numbers = Vec::new();
        for item in listing {
            let name = item.map_err(Error::io("list", &self.dir))?.file_name();
            let number = name.to_str().and_then(|name| name.strip_suffix(".json")?.parse::<u64>().ok());
            numbers.extend(number);
        }
        Ok(numbers)
    }

    fn write(&self, task: &Task) -> Result<()> {
        atomic::replace_json(&self.path(&task.id)?, task, Durability::Synced)
    }

    fn locked<R>(&self, work: impl FnOnce() -> Result<R>) -> Result<R> {
        atomic::create_dir(&self.dir)?;
        lock::locked(&self.dir.join(".lock"), work)
    }

    fn path(&self, id: &TaskId) -> Result<PathBuf> {
        Ok(self.dir.join(format!("{}.json", checked_id(id.as_str())?)))
    }
}
