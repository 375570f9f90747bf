//! A workspace, a policy over it and the helper to run commands with.

use std::path::{Path, PathBuf};
use std::time::Duration;

use swarm_guard::exec::{
    Command, Confinement, Environment, Finished, Helper, Network, Policy, Running, spawn,
};
use tempfile::TempDir;

/// Far more than any test needs; a test that gets here has failed.
pub(crate) const LONG: Duration = Duration::from_secs(60);

/// Where worlds are that must not lie beneath `/tmp`, which a command may write.
pub(crate) fn place() -> &'static str {
    if is_administrator() { "/var/lib" } else { env!("CARGO_TARGET_TMPDIR") }
}

pub(crate) fn is_administrator() -> bool {
    rustix::process::geteuid().is_root()
}

/// A home and a workspace in it.
pub(crate) struct World {
    pub(crate) dir: TempDir,
}

impl World {
    pub(crate) fn new() -> Self {
        Self::within(std::env::temp_dir())
    }

    pub(crate) fn within(place: impl AsRef<Path>) -> Self {
        let world = Self { dir: tempfile::tempdir_in(place).unwrap() };
        std::fs::create_dir_all(world.workspace()).unwrap();
        world
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.dir.path().join("home")
    }

    pub(crate) fn workspace(&self) -> PathBuf {
        self.home().join("work")
    }

    pub(crate) fn policy(&self) -> Policy {
        Policy {
            workspace: self.workspace(),
            home: self.home(),
            writable: Vec::new(),
            readonly_within: Vec::new(),
            hidden: Vec::new(),
            caches: None,
            temp: None,
            network: Network::None,
            confinement: Confinement::Full,
        }
    }

    pub(crate) fn bash(&self, line: &str) -> Command {
        Command {
            env: Environment::default().with("PATH", "/usr/bin:/bin"),
            helper: Helper::At(probe().into()),
            ..Command::bash(line, self.policy())
        }
    }

    pub(crate) async fn run(&self, line: &str) -> Finished {
        finish(spawn(self.bash(line)).await.unwrap()).await
    }
}

pub(crate) fn probe() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_swarm-exec-probe"))
}

pub(crate) async fn finish(mut running: Running) -> Finished {
    tokio::time::timeout(LONG, running.wait()).await.expect("the command ends").unwrap()
}

/// Waits until the command has printed `text`.
pub(crate) async fn printed(running: &Running, text: &str) {
    let mut output = running.output();
    tokio::time::timeout(LONG, output.wait_for(|output| output.head.contains(text)))
        .await
        .expect("the text is printed")
        .unwrap();
}

/// Host process ids whose command line holds `mark`.
pub(crate) fn processes_with(mark: &str) -> Vec<u32> {
    let own = std::process::id();
    std::fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter(|pid| *pid != own)
        .filter(|pid| {
            std::fs::read(format!("/proc/{pid}/cmdline"))
                .is_ok_and(|line| line.windows(mark.len()).any(|window| window == mark.as_bytes()))
        })
        .collect()
}
