//! Git worktrees of members: made for one that starts, looked at when it ended. What may be somebody's work is never
//! removed. It must not know the hub.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use swarm_guard::Worktree;
use swarm_wire::team::MemberEntry;
use swarm_wire::{AgentId, lsp};

use crate::git::{self, GitError};

/// How long it may take to see what a worktree holds, and to remove it.
const SETTLE_MAX: Duration = Duration::from_secs(60);
/// What a teammate without a worktree is told to be.
const WITHOUT: &str = "or start the teammate without `worktree`";

/// Where a member works.
#[derive(Debug, Clone)]
pub(crate) struct Ground {
    /// Absolute, with symbolic links resolved.
    pub(crate) cwd: PathBuf,
    /// `None` in the user's own checkout.
    pub(crate) worktree: Option<Worktree>,
}

/// Why there is no worktree; nothing of it is left then.
#[derive(Debug, thiserror::Error)]
pub(crate) enum WorktreeError {
    #[error("{} is in no git repository; make one with `git init` and a commit, {WITHOUT}", .0.display())]
    NoRepository(PathBuf),
    #[error("{} is in a repository without a checkout; open a folder that is checked out, {WITHOUT}", .0.display())]
    NoCheckout(PathBuf),
    #[error("the repository {} has no commit that it could begin with; make one, {WITHOUT}", .0.display())]
    NoCommit(PathBuf),
    #[error("the last commit has no folder {}; commit what is in it, {WITHOUT}", .0.display())]
    NoFolder(PathBuf),
    #[error("{0}; see to that, {WITHOUT}")]
    Git(#[from] GitError),
}

/// What became of the worktree of a member that ended.
#[derive(Debug)]
pub(crate) enum Settled {
    /// It held nothing that is not elsewhere, and is gone with its branch.
    Removed,
    /// It is where it was; with what it holds, in words.
    Kept(String),
}

/// Where the members of a team in this workspace work, by the team file.
pub(crate) fn ground(entry: Option<&MemberEntry>, workspace: &Path) -> Ground {
    let own = || {
        let entry = entry?;
        let lsp::Worktree { path, branch } = view(entry)?;
        let (path, cwd) = (PathBuf::from(path), PathBuf::from(&entry.cwd));
        // The checkout is as far above the workspace as the worktree is above the working directory.
        let inside = cwd.strip_prefix(&path).ok()?;
        let checkout = workspace.ancestors().nth(inside.components().count())?.to_owned();
        Some(Ground { worktree: Some(Worktree { path, branch, checkout }), cwd })
    };
    own().unwrap_or_else(|| Ground { cwd: workspace.to_owned(), worktree: None })
}

/// What clients see of a member's worktree.
pub(crate) fn view(entry: &MemberEntry) -> Option<lsp::Worktree> {
    let (path, branch) = (entry.worktree_path.clone()?, entry.worktree_branch.clone()?);
    Some(lsp::Worktree { path, branch })
}

/// Makes a branch and a worktree for `agent` from the last commit of the checkout around `workspace`, in `folder`.
pub(crate) async fn make(workspace: &Path, folder: &Path, agent: &AgentId) -> Result<Ground, WorktreeError> {
    let checkout = checkout_of(workspace).await?;
    match git::told(&checkout, &["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]).await {
        Err(GitError::Failed { .. }) => return Err(WorktreeError::NoCommit(checkout)),
        found => drop(found?),
    }
    let (path, branch) = free_place(&checkout, folder, agent).await?;
    let worktree = Worktree { path, branch, checkout };
    let shown = worktree.path.display().to_string();
    let add = ["worktree", "add", "--quiet", "--no-track", "-b", &worktree.branch, &shown, "HEAD"];
    if let Err(error) = git::told(&worktree.checkout, &add).await {
        // Of what it did not finish git leaves the branch.
        let _ = git::told(&worktree.checkout, &["branch", "-D", &worktree.branch]).await;
        return Err(error.into());
    }
    let inside = workspace.strip_prefix(&worktree.checkout).unwrap_or(Path::new("")).to_owned();
    let cwd: PathBuf = worktree.path.components().chain(inside.components()).collect();
    if !tokio::fs::metadata(&cwd).await.is_ok_and(|found| found.is_dir()) {
        // Nobody has worked in it yet.
        remove(&worktree).await?;
        return Err(WorktreeError::NoFolder(inside));
    }
    Ok(Ground { cwd, worktree: Some(worktree) })
}

/// The top folder of the checkout around `workspace`.
async fn checkout_of(workspace: &Path) -> Result<PathBuf, WorktreeError> {
    match git::told(workspace, &["rev-parse", "--is-inside-work-tree"]).await {
        Ok(inside) if inside.trim() == "true" => {}
        Ok(_) => return Err(WorktreeError::NoCheckout(workspace.to_owned())),
        Err(GitError::Failed { said, .. }) if said.contains("not a git repository") => {
            return Err(WorktreeError::NoRepository(workspace.to_owned()));
        }
        Err(error) => return Err(error.into()),
    }
    let top = git::told(workspace, &["rev-parse", "--show-toplevel"]).await?;
    Ok(PathBuf::from(top.trim_end_matches('\n')))
}

/// A folder and a branch that are not there yet: those of an earlier member may be kept.
async fn free_place(
    checkout: &Path,
    folder: &Path,
    agent: &AgentId,
) -> Result<(PathBuf, String), WorktreeError> {
    let (team, name) = (component(agent.team.as_str()), component(agent.name.as_str()));
    let mut number = 1_usize;
    loop {
        let name = if number == 1 { name.clone() } else { format!("{name}-{number}") };
        let (path, branch) = (folder.join(&name), format!("swarm/{team}/{name}"));
        let shown = format!("refs/heads/{branch}");
        let is_taken = match git::told(checkout, &["show-ref", "--verify", "--quiet", &shown]).await {
            Ok(_) => true,
            Err(GitError::Failed { .. }) => tokio::fs::symlink_metadata(&path).await.is_ok(),
            Err(error) => return Err(error.into()),
        };
        if !is_taken {
            return Ok((path, branch));
        }
        number += 1;
    }
}

/// A name as a part of a branch's, as git-check-ref-format(1) takes one.
fn component(name: &str) -> String {
    let name = name.to_ascii_lowercase();
    let is_fine = !name.contains("..") && !name.ends_with('.') && !name.ends_with(".lock");
    if is_fine { name } else { name.replace('.', "_") }
}

/// Removes a worktree that holds no work, with its branch; says what any other holds.
pub(crate) async fn settle(worktree: &Worktree) -> Settled {
    let settled = async {
        let work = Work::of(worktree).await?;
        if work.is_some() {
            return Ok::<_, GitError>(work);
        }
        remove(worktree).await.map(|()| None)
    };
    match tokio::time::timeout(SETTLE_MAX, settled).await {
        Ok(Ok(None)) => Settled::Removed,
        Ok(Ok(Some(work))) => Settled::Kept(work.to_string()),
        Ok(Err(error)) => Settled::Kept(format!("what it holds is not known: {error}")),
        Err(_) => Settled::Kept(format!("git did not say within {} s what it holds", SETTLE_MAX.as_secs())),
    }
}

async fn remove(worktree: &Worktree) -> Result<(), GitError> {
    let path = worktree.path.display().to_string();
    // Git itself refuses where something is left in it.
    git::told(&worktree.checkout, &["worktree", "remove", &path]).await?;
    git::told(&worktree.checkout, &["branch", "-D", &worktree.branch]).await.map(drop)
}

/// What a worktree holds that is nowhere else.
#[derive(Debug, PartialEq, Eq)]
struct Work {
    /// That no other branch or tag has.
    commits: usize,
    /// As git sums them up; empty where only files are new that git was not told of.
    changes: String,
    untracked: usize,
}

impl Work {
    /// `None` where there is none. What git ignores is none.
    async fn of(worktree: &Worktree) -> Result<Option<Self>, GitError> {
        let Worktree { path, branch, checkout } = worktree;
        // A look into a repository inside of it could run what that one is configured to.
        let no_further = "--ignore-submodules=dirty";
        let status = ["status", "--porcelain", "--untracked-files=normal", no_further];
        let status = git::told(path, &status).await?;
        let untracked = status.lines().filter(|line| line.starts_with("??")).count();
        let users = git::told(checkout, &["rev-parse", "HEAD"]).await?;
        let users = users.trim();
        let (own, others) = (format!("refs/heads/{branch}"), format!("--exclude={branch}"));
        let count = [
            "rev-list",
            "--count",
            "HEAD",
            &own,
            "--not",
            &others,
            "--branches",
            "--remotes",
            "--tags",
            users,
        ];
        let commits = git::told(path, &count).await?.trim().parse().unwrap_or(usize::MAX);
        if commits == 0 && status.is_empty() {
            return Ok(None);
        }
        let changes = match git::told(path, &["merge-base", "HEAD", users]).await {
            Ok(base) => {
                let diff = ["diff", "--shortstat", "--no-ext-diff", "--no-textconv", no_further, base.trim()];
                git::told(path, &diff).await?.trim().to_owned()
            }
            // The two have nothing in common.
            Err(_) => String::new(),
        };
        Ok(Some(Self { commits, changes, untracked }))
    }
}

impl fmt::Display for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counted = |count: usize, what: &str| match count {
            0 => None,
            1 => Some(format!("1 {what}")),
            _ => Some(format!("{count} {what}s")),
        };
        let changes = (!self.changes.is_empty()).then(|| self.changes.clone());
        let parts = [counted(self.commits, "commit"), changes, counted(self.untracked, "untracked file")];
        f.write_str(&parts.into_iter().flatten().collect::<Vec<_>>().join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_parts_of_a_branch_that_git_takes() {
        for (name, part) in
            [("Ada", "ada"), ("a.b", "a.b"), ("a..b", "a__b"), ("a.", "a_"), ("a.lock", "a_lock")]
        {
            assert_eq!(component(name), part);
        }
    }

    #[test]
    fn what_is_left_is_summed_up() {
        let work = Work { commits: 1, changes: "2 files changed, 3 insertions(+)".into(), untracked: 2 };
        assert_eq!(work.to_string(), "1 commit, 2 files changed, 3 insertions(+), 2 untracked files");
        let work = Work { commits: 0, changes: String::new(), untracked: 1 };
        assert_eq!(work.to_string(), "1 untracked file");
    }
}
