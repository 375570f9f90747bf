//! Snapshots of the workspace, each from before a turn's first change, so that a turn can be undone.
//!
//! They are commits without parents on the refs `refs/swarm/<team>/` of the workspace's own repository. A workspace
//! that is in none has no checkpoints.

mod repo;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use swarm_agent::ports::{Editor, Snapshots};
use swarm_agent::unix_ms;
use swarm_wire::lsp::{Checkpoint, CheckpointRestoreResult, Event as ClientEvent};
use swarm_wire::{AgentId, TurnId};
use tokio::sync::{Mutex, mpsc};

use crate::command::Refusal;
use crate::event::Event;
use crate::git::GitError;
use repo::{Difference, Repo};

/// How long a turn waits for its snapshot.
const TAKE_MAX: Duration = Duration::from_secs(10);
/// How long none is tried after one that took too long.
const PAUSE: Duration = Duration::from_secs(600);

/// The checkpoints of one team.
pub(crate) struct Checkpoints {
    workspace: PathBuf,
    /// The team's folder, for what git needs to be quick.
    folder: PathBuf,
    team: String,
    editor: Arc<dyn Editor>,
    events: mpsc::Sender<Event>,
    /// One snapshot or restore at a time; until when none is tried.
    paused: Mutex<Option<Instant>>,
}

impl Checkpoints {
    pub(crate) fn new(
        workspace: &Path,
        folder: &Path,
        team: &str,
        editor: Arc<dyn Editor>,
        events: mpsc::Sender<Event>,
    ) -> Self {
        Self {
            workspace: workspace.to_owned(),
            folder: folder.to_owned(),
            team: team.to_ascii_lowercase(),
            editor,
            events,
            paused: Mutex::new(None),
        }
    }

    /// What is kept, newest first.
    pub(crate) async fn list(&self, member: Option<&AgentId>) -> Result<Vec<Checkpoint>, Refusal> {
        let kept = self.repo().await?.list().await?;
        let wanted = |checkpoint: &Checkpoint| member.is_none() || checkpoint.member.as_ref() == member;
        Ok(kept.0.into_iter().map(|(checkpoint, _)| checkpoint).filter(wanted).collect())
    }

    /// Makes the workspace what it was. What it is now becomes a checkpoint first.
    pub(crate) async fn restore(&self, id: &str) -> Result<CheckpointRestoreResult, Refusal> {
        let _alone = self.paused.lock().await;
        let repo = self.repo().await?;
        let kept = repo.list().await?;
        let Some(tree) = kept.tree_of(id) else {
            return Err(Refusal::Unknown(format!(
                "there is no checkpoint `{id}`; `swarm/checkpoint/list` names those there are"
            )));
        };
        let now = repo.snapshot().await?;
        let differences = repo.differences(&now, tree).await?;
        if differences.is_empty() {
            return Ok(CheckpointRestoreResult { files: Vec::new(), undo: None });
        }
        self.check_saved(&repo, &differences).await?;
        let undo = Checkpoint {
            id: format!("undo-{}", unix_ms()),
            member: None,
            turn_id: None,
            summary: format!("Before {id} was restored"),
            created_at: unix_ms(),
        };
        repo.keep(&now, &undo).await?;
        self.put_back(&repo, tree, &differences).await?;
        let files: Vec<String> = differences
            .iter()
            .map(|difference| repo.top.join(&difference.path).display().to_string())
            .collect();
        let restored = ClientEvent::CheckpointRestored { id: id.to_owned(), files: files.clone() };
        self.tell(restored).await;
        self.tell(ClientEvent::CheckpointMade { checkpoint: Box::new(undo.clone()) }).await;
        Ok(CheckpointRestoreResult { files, undo: Some(undo) })
    }

    /// Text that only the editor has would be lost.
    async fn check_saved(&self, repo: &Repo, differences: &[Difference]) -> Result<(), Refusal> {
        let mut unsaved = Vec::new();
        for difference in differences {
            let path = repo.top.join(&difference.path);
            let Some(open) = self.editor.open_text(&path).await else { continue };
            if tokio::fs::read(&path).await.map_or(true, |disk| disk != open.as_bytes()) {
                unsaved.push(path.display().to_string());
            }
        }
        if unsaved.is_empty() {
            return Ok(());
        }
        Err(Refusal::Failed(format!(
            "the editor has changes that are not saved in {}; save or undo them first",
            unsaved.join(", ")
        )))
    }

    async fn put_back(&self, repo: &Repo, tree: &str, differences: &[Difference]) -> Result<(), Refusal> {
        for gone in differences.iter().filter(|difference| !difference.stays) {
            remove(&repo.top, &gone.path).await?;
        }
        let mut on_disk = Vec::new();
        for difference in differences.iter().filter(|difference| difference.stays) {
            if !self.edited(repo, tree, &difference.path).await? {
                make_way(&repo.top.join(&difference.path)).await?;
                on_disk.push(difference.path.as_path());
            }
        }
        Ok(repo.write(tree, &on_disk).await?)
    }

    /// Changes the file where it is open, as an agent's edit does. False when the disk is the place to change it.
    async fn edited(&self, repo: &Repo, tree: &str, path: &Path) -> Result<bool, Refusal> {
        let place = repo.top.join(path);
        let Some(before) = self.editor.open_text(&place).await else { return Ok(false) };
        let Some(after) = repo.text(tree, path).await? else { return Ok(false) };
        Ok(self.editor.edit(&place, &before, &after).await.is_ok())
    }

    async fn take(&self, checkpoint: &Checkpoint) -> Result<(), GitError> {
        let repo = self.find().await?;
        let tree = repo.snapshot().await?;
        repo.keep(&tree, checkpoint).await
    }

    async fn find(&self) -> Result<Repo, GitError> {
        Repo::find(&self.workspace, &self.folder, &self.team).await
    }

    async fn repo(&self) -> Result<Repo, Refusal> {
        Ok(self.find().await?)
    }

    async fn tell(&self, event: ClientEvent) {
        // A hub that is gone has nobody to tell.
        let _ = self.events.send(Event::Tell(Box::new(event))).await;
    }

    async fn warn(&self, text: String) {
        self.tell(ClientEvent::Warning { text }).await;
    }
}

#[async_trait]
impl Snapshots for Checkpoints {
    async fn keep(&self, member: &AgentId, turn: &TurnId, change: &str) {
        let mut paused = self.paused.lock().await;
        if paused.is_some_and(|until| Instant::now() < until) {
            return;
        }
        let checkpoint = Checkpoint {
            id: turn.as_str().to_owned(),
            member: Some(member.clone()),
            turn_id: Some(turn.clone()),
            summary: change.to_owned(),
            created_at: unix_ms(),
        };
        match tokio::time::timeout(TAKE_MAX, self.take(&checkpoint)).await {
            Ok(Ok(())) => self.tell(ClientEvent::CheckpointMade { checkpoint: Box::new(checkpoint) }).await,
            Ok(Err(GitError::NoRepository | GitError::NotRun(_))) => {}
            Ok(Err(error)) => {
                *paused = Some(Instant::now() + PAUSE);
                self.warn(format!("the workspace is not kept before turns for ten minutes: {error}")).await;
            }
            Err(_) => {
                *paused = Some(Instant::now() + PAUSE);
                let text = "keeping the workspace took longer than 10 s, so turns of the next ten minutes cannot be \
                            undone; files that git should pass over belong into .gitignore";
                self.warn(text.to_owned()).await;
            }
        }
    }
}

impl From<GitError> for Refusal {
    fn from(error: GitError) -> Self {
        Self::Failed(format!("checkpoints: {error}"))
    }
}

/// Removes a file, and the folders that it leaves empty.
async fn remove(top: &Path, path: &Path) -> Result<(), GitError> {
    let place = top.join(path);
    match tokio::fs::remove_file(&place).await {
        Ok(()) => {}
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(source) => return Err(GitError::File { doing: "remove", path: place, source }),
    }
    for folder in path.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty()) {
        // One that is not empty stays, and those above it.
        if tokio::fs::remove_dir(top.join(folder)).await.is_err() {
            break;
        }
    }
    Ok(())
}

/// A folder in the place of a file goes away when it is empty. What is in it otherwise is what git ignores.
async fn make_way(place: &Path) -> Result<(), GitError> {
    match tokio::fs::symlink_metadata(place).await {
        Ok(meta) if meta.is_dir() => tokio::fs::remove_dir(place).await.map_err(|source| GitError::File {
            doing: "put a file in the place of the folder",
            path: place.to_owned(),
            source,
        }),
        _ => Ok(()),
    }
}
