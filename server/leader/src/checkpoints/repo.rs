//! The git commands behind checkpoints. They use an index and refs of their own: the user's index, stash, branches and
//! tags stay as they are, and no hook runs.

use std::path::{Path, PathBuf};

use swarm_wire::lsp::Checkpoint;

use crate::git::{self, GitError, Result};

/// Checkpoints of one team that are kept; older ones are let go.
const KEPT_MAX: usize = 200;

/// A file that differs between two trees, by its path from the top of the repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Difference {
    pub(super) path: PathBuf,
    /// The later tree has it.
    pub(super) stays: bool,
}

/// The repository around a workspace.
pub(super) struct Repo {
    /// Where every command runs.
    pub(super) top: PathBuf,
    /// The workspace, as git takes a path.
    workspace: String,
    /// The index that snapshots are made with, which spares hashing what did not change.
    index: PathBuf,
    /// What the refs of the team begin with.
    refs: String,
}

impl Repo {
    /// Finds the repository of `workspace`. The index is kept in `folder`.
    pub(super) async fn find(workspace: &Path, folder: &Path, team: &str) -> Result<Self> {
        let mut repo = Self {
            top: workspace.to_owned(),
            workspace: String::new(),
            index: folder.join("checkpoint.index"),
            refs: format!("refs/swarm/{team}/"),
        };
        let top = match repo.git(&["rev-parse", "--show-toplevel"]).await {
            Ok(top) => top,
            Err(GitError::Failed { .. }) => return Err(GitError::NoRepository),
            Err(error) => return Err(error),
        };
        repo.top = PathBuf::from(top.trim_end_matches('\n'));
        let inside = workspace.strip_prefix(&repo.top).unwrap_or(Path::new(""));
        repo.workspace = format!(":(top,literal){}", inside.display());
        Ok(repo)
    }

    /// The tree of the workspace as it is now.
    pub(super) async fn snapshot(&self) -> Result<String> {
        // Left there by one that was cut off; only one runs at a time.
        let _ = tokio::fs::remove_file(self.index.with_extension("index.lock")).await;
        if !self.index.exists() {
            let own = self.git(&["rev-parse", "--git-path", "index"]).await?;
            // What the user's index knows of unchanged files is known here, too. A new repository has none.
            let _ = tokio::fs::copy(self.top.join(own.trim_end_matches('\n')), &self.index).await;
        }
        self.with_index(&self.index, &["add", "--all", "--", &self.workspace], None).await?;
        // Files that are tracked although they are ignored.
        let ignored =
            ["ls-files", "--cached", "--ignored", "--exclude-standard", "-z", "--", &self.workspace];
        let forced = self.git(&ignored).await?;
        if !forced.is_empty() {
            let update = ["update-index", "--add", "--remove", "-z", "--stdin"];
            self.with_index(&self.index, &update, Some(forced.into_bytes())).await?;
        }
        Ok(self.with_index(&self.index, &["write-tree"], None).await?.trim().to_owned())
    }

    /// Keeps a tree under the checkpoint's id.
    pub(super) async fn keep(&self, tree: &str, checkpoint: &Checkpoint) -> Result<()> {
        let told = serde_json::to_string(checkpoint).unwrap_or_default();
        let commit = self.git(&["commit-tree", tree, "-m", &told]).await?;
        self.git(&["update-ref", &format!("{}{}", self.refs, checkpoint.id), commit.trim()]).await?;
        for (old, _) in self.list().await?.split_off_at(KEPT_MAX) {
            self.git(&["update-ref", "-d", &format!("{}{}", self.refs, old.id)]).await?;
        }
        Ok(())
    }

    /// What is kept, newest first, each with its tree.
    pub(super) async fn list(&self) -> Result<Kept> {
        let format = "--format=%(tree) %(contents:subject)";
        let told = self.git(&["for-each-ref", format, &self.refs]).await?;
        let read = |line: &str| {
            let (tree, told) = line.split_once(' ')?;
            Some((serde_json::from_str::<Checkpoint>(told).ok()?, tree.to_owned()))
        };
        let mut kept: Vec<(Checkpoint, String)> = told.lines().filter_map(read).collect();
        kept.sort_by(|(a, _), (b, _)| b.created_at.cmp(&a.created_at).then_with(|| b.id.cmp(&a.id)));
        Ok(Kept(kept))
    }

    /// What of the workspace differs between two trees.
    pub(super) async fn differences(&self, from: &str, to: &str) -> Result<Vec<Difference>> {
        let command =
            ["diff-tree", "-r", "-z", "--no-renames", "--name-status", from, to, "--", &self.workspace];
        let told = self.git(&command).await?;
        let mut fields = told.split('\0').filter(|field| !field.is_empty());
        let mut found = Vec::new();
        while let (Some(status), Some(path)) = (fields.next(), fields.next()) {
            found.push(Difference { path: PathBuf::from(path), stays: status != "D" });
        }
        Ok(found)
    }

    /// The text that a file of the tree has in the workspace; `None` when it is no text.
    pub(super) async fn text(&self, tree: &str, path: &Path) -> Result<Option<String>> {
        let name = format!("{tree}:{}", path.display());
        let output = git::run(&self.top, &["cat-file", "--filters", &name], None, None).await?;
        Ok(String::from_utf8(output.stdout).ok())
    }

    /// Writes files of the tree into the workspace.
    pub(super) async fn write(&self, tree: &str, paths: &[&Path]) -> Result<()> {
        if paths.is_empty() {
            return Ok(());
        }
        let index = self.index.with_extension("restore");
        let _ = tokio::fs::remove_file(&index).await;
        self.with_index(&index, &["read-tree", tree], None).await?;
        let mut names = Vec::new();
        for path in paths {
            names.extend_from_slice(path.as_os_str().as_encoded_bytes());
            names.push(0);
        }
        let checkout = ["checkout-index", "-f", "-q", "-z", "--stdin"];
        let written = self.with_index(&index, &checkout, Some(names)).await;
        let _ = tokio::fs::remove_file(&index).await;
        written.map(drop)
    }

    async fn git(&self, arguments: &[&str]) -> Result<String> {
        self.told(arguments, None, None).await
    }

    async fn with_index(&self, index: &Path, arguments: &[&str], input: Option<Vec<u8>>) -> Result<String> {
        self.told(arguments, Some(index), input).await
    }

    async fn told(&self, arguments: &[&str], index: Option<&Path>, input: Option<Vec<u8>>) -> Result<String> {
        let output = git::run(&self.top, arguments, index, input).await?;
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }
}

/// Checkpoints and their trees, newest first.
pub(super) struct Kept(pub(super) Vec<(Checkpoint, String)>);

impl Kept {
    fn split_off_at(mut self, at: usize) -> Vec<(Checkpoint, String)> {
        if self.0.len() > at { self.0.split_off(at) } else { Vec::new() }
    }

    pub(super) fn tree_of(&self, id: &str) -> Option<&str> {
        self.0.iter().find(|(checkpoint, _)| checkpoint.id == id).map(|(_, tree)| tree.as_str())
    }
}
