//! Permission requests as files: pending until answered, resolved once, whoever comes first.
//!
//! A request travels twice, as a file here and as mail. [`Permissions::write_pending`] takes it from either,
//! so that the loss of one leaves the other; a request already answered is not asked again.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use swarm_wire::RequestId;
use swarm_wire::permission::{Answer, Outcome, PermissionRequest, ResolvedBy, Status};

use crate::atomic::{self, Durability};
use crate::clock;
use crate::error::{Error, Result};
use crate::lock;
use crate::team_dir::checked_id;

/// One team's requests.
#[derive(Debug, Clone)]
pub struct Permissions {
    dir: PathBuf,
}

/// What became of a request that was written down.
#[derive(Debug, Clone, PartialEq)]
pub enum Admitted {
    /// It waits for an answer from now on.
    New,
    /// It waited already.
    AlreadyPending,
    /// It was answered before; this is the request with its decision.
    AlreadyResolved(Box<PermissionRequest>),
}

/// What became of an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Resolution {
    pub outcome: Outcome,
    /// The request with the decision that holds; `None` when no such request is known.
    pub request: Option<PermissionRequest>,
}

impl Permissions {
    pub(crate) fn new(dir: PathBuf) -> Self {
        Self { dir }
    }

    /// Writes a request down as pending, once. The change that goes with it is not kept.
    pub fn write_pending(&self, request: &PermissionRequest) -> Result<Admitted> {
        let (pending, resolved) = self.paths(&request.id)?;
        self.locked(|| {
            if let Some(decided) = atomic::read_json_if_there(&resolved)? {
                return Ok(Admitted::AlreadyResolved(Box::new(decided)));
            }
            if atomic::exists(&pending)? {
                return Ok(Admitted::AlreadyPending);
            }
            let request = PermissionRequest { change: None, status: Status::Pending, ..request.clone() };
            atomic::replace_json(&pending, &request, Durability::Synced)?;
            Ok(Admitted::New)
        })
    }

    /// Every request that waits, the oldest first; an unreadable file is logged and left.
    pub fn pending(&self) -> Result<Vec<PermissionRequest>> {
        let dir = self.dir.join("pending");
        let listing = match fs::read_dir(&dir) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            listing => listing.map_err(Error::io("list", &dir))?,
        };
        let mut requests = Vec::new();
        for item in listing {
            let path = item.map_err(Error::io("list", &dir))?.path();
            let Some(id) = request_id(&path) else { continue };
            let (_, resolved) = self.paths(&id)?;
            // Both files are there when a resolver was killed between them; the decision counts.
            if atomic::exists(&resolved)? {
                continue;
            }
            match atomic::read_json_if_there::<PermissionRequest>(&path) {
                Ok(Some(request)) if request.id == id => requests.push(request),
                Ok(Some(_)) => tracing::warn!(path = %path.display(), "a request under another's name"),
                Ok(None) => {}
                Err(error) => tracing::warn!(%error, "a pending request was passed over"),
            }
        }
        requests.sort_by(|a, b| (a.created_at, &a.id).cmp(&(b.created_at, &b.id)));
        Ok(requests)
    }

    /// Answers a request. The first answer wins; a later one is told what was decided.
    pub fn resolve(&self, id: &RequestId, answer: &Answer, by: ResolvedBy) -> Result<Resolution> {
        self.decide(id, |request| apply(request, answer, by))
    }

    /// Gives many requests one answer, under one lock; each has its own outcome, in the order given.
    ///
    /// On an error those before it are answered and on the disk.
    pub fn resolve_all(&self, ids: &[RequestId], answer: &Answer, by: ResolvedBy) -> Result<Vec<Resolution>> {
        self.locked(|| {
            ids.iter().map(|id| self.decide_locked(id, |request| apply(request, answer, by))).collect()
        })
    }

    /// Ends a request whose turn or member is gone: rejected, with `why` and nobody as its resolver.
    pub fn withdraw(&self, id: &RequestId, why: &str) -> Result<Resolution> {
        self.decide(id, |request| {
            request.status = Status::Rejected;
            request.resolved_by = None;
            request.feedback = Some(format!("withdrawn: {why}"));
        })
    }

    /// The request as it stands, pending or decided.
    pub fn get(&self, id: &RequestId) -> Result<Option<PermissionRequest>> {
        let (pending, resolved) = self.paths(id)?;
        match atomic::read_json_if_there(&resolved)? {
            Some(decided) => Ok(Some(decided)),
            None => atomic::read_json_if_there(&pending),
        }
    }

    fn decide(&self, id: &RequestId, decision: impl FnOnce(&mut PermissionRequest)) -> Result<Resolution> {
        self.locked(|| self.decide_locked(id, decision))
    }

    fn decide_locked(
        &self,
        id: &RequestId,
        decision: impl FnOnce(&mut PermissionRequest),
    ) -> Result<Resolution> {
        let (pending, resolved) = self.paths(id)?;
        if let Some(decided) = atomic::read_json_if_there::<PermissionRequest>(&resolved)? {
            atomic::remove(&pending)?;
            return Ok(Resolution { outcome: Outcome::AlreadyResolved, request: Some(decided) });
        }
        let Some(mut request) = atomic::read_json_if_there::<PermissionRequest>(&pending)? else {
            return Ok(Resolution { outcome: Outcome::Unknown, request: None });
        };
        decision(&mut request);
        request.resolved_at = Some(clock::now_ms());
        atomic::replace_json(&resolved, &request, Durability::Synced)?;
        atomic::remove(&pending)?;
        Ok(Resolution { outcome: Outcome::Resolved, request: Some(request) })
    }

    fn locked<R>(&self, work: impl FnOnce() -> Result<R>) -> Result<R> {
        atomic::create_dir(&self.dir.join("pending"))?;
        atomic::create_dir(&self.dir.join("resolved"))?;
        lock::locked(&self.dir.join(".lock"), work)
    }

    fn paths(&self, id: &RequestId) -> Result<(PathBuf, PathBuf)> {
        let name = format!("{}.json", checked_id(id.as_str())?);
        Ok((self.dir.join("pending").join(&name), self.dir.join("resolved").join(&name)))
    }
}

fn apply(request: &mut PermissionRequest, answer: &Answer, by: ResolvedBy) {
    request.status = if answer.allow { Status::Approved } else { Status::Rejected };
    request.resolved_by = Some(by);
    request.feedback = answer.feedback.clone();
    request.updated_input = answer.updated_input.clone();
    request.permission_updates = answer.permission_updates.clone();
}

fn request_id(path: &Path) -> Option<RequestId> {
    let name = path.file_name()?.to_str()?.strip_suffix(".json")?;
    checked_id(name).ok().map(RequestId::new)
}
