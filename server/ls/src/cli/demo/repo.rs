//! The throwaway repository, and beside it the state root of its team.

use std::path::PathBuf;
use std::process::Stdio;

use anyhow::{Context as _, bail};
use swarm_wire::settings::Secret;
use tempfile::TempDir;
use tokio::process::Command;

const FILES: [(&str, &str); 2] =
    [("total.sh", include_str!("repo/total.sh")), ("test.sh", include_str!("repo/test.sh"))];

/// Removed when dropped, unless it is to be kept.
pub(super) struct Repo {
    folder: TempDir,
}

impl Repo {
    /// Makes the repository, with everything committed.
    pub(super) async fn new() -> anyhow::Result<Self> {
        let folder =
            tempfile::Builder::new().prefix("swarm-demo-").tempdir().context("a temporary folder")?;
        let repo = Self { folder };
        tokio::fs::create_dir(repo.path()).await?;
        for (name, text) in FILES {
            tokio::fs::write(repo.path().join(name), text).await?;
        }
        repo.git(&["init", "--quiet"]).await?;
        repo.git(&["add", "."]).await?;
        repo.git(&["commit", "--quiet", "--message", "A program with a failing test"]).await?;
        Ok(repo)
    }

    pub(super) fn path(&self) -> PathBuf {
        self.folder.path().join("repo")
    }

    /// The state root of the demo's team, so that the user's own is not touched.
    pub(super) fn state(&self) -> PathBuf {
        self.folder.path().join("state")
    }

    /// What the scripted model takes for a key: anything.
    pub(super) fn key(&self) -> Secret {
        Secret::new("demo")
    }

    /// Runs git in the repository and gives what it printed.
    pub(super) async fn git(&self, arguments: &[&str]) -> anyhow::Result<String> {
        let mut git = self.command("git");
        git.args([
            "-c",
            "user.name=swarm-ls demo",
            "-c",
            "user.email=demo@localhost",
            "-c",
            "commit.gpgSign=false",
        ]);
        let output =
            git.args(arguments).output().await.context("git, which the demo needs, could not be run")?;
        if !output.status.success() {
            bail!("git {}: {}", arguments.join(" "), String::from_utf8_lossy(&output.stderr).trim());
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Whether the test passes, and what it printed.
    pub(super) async fn test(&self) -> anyhow::Result<(bool, String)> {
        let output = self.command("sh").arg("test.sh").output().await.context("sh could not be run")?;
        Ok((output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned()))
    }

    /// Leaves everything where it is.
    pub(super) fn keep(self) -> PathBuf {
        self.folder.keep()
    }

    /// The user's own git configuration has no part in the demo.
    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.path()).stdin(Stdio::null()).kill_on_drop(true);
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1").env_remove("GIT_DIR");
        command.env_remove("GIT_WORK_TREE").env_remove("GIT_INDEX_FILE");
        command
    }
}
