//! What a command may touch: the walls as data. Serialisable, since the helper is another process.
//! It must not look at the disk or the environment; `places` does, and makes policies.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// The walls around one command. Paths are absolute; what is not named is readable as far as the user can read it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Policy {
    /// Where the work is done: writable, unless that would open the home or more (see [`Policy::writable_roots`]).
    pub workspace: PathBuf,
    /// The user's home: readable, not writable.
    pub home: PathBuf,
    /// Further writable places, such as the git paths that a commit in a worktree needs. One that turned into a link is
    /// not opened: what it leads to was not meant.
    pub writable: Vec<PathBuf>,
    /// Relative to every writable root, what stays read-only there. A directory that is missing cannot be made either.
    pub readonly_within: Vec<Protected>,
    /// What is not there at all; a writable root beneath one of these is there all the same.
    pub hidden: Vec<PathBuf>,
    /// Where the command's tools keep their caches, writable and shared by a team; none means none are kept.
    pub caches: Option<PathBuf>,
    /// What the command sees as `/tmp`; none means that it sees an empty one, gone when it ends.
    pub temp: Option<PathBuf>,
    pub network: Network,
    pub confinement: Confinement,
}

/// Which walls there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Confinement {
    /// All of them. Where the machine has them not, nothing is run.
    #[default]
    Full,
    /// Without namespaces: what Landlock and seccomp hold alone ([`super::Coverage::not_held`] says what they don't).
    Partial,
    /// None, as only a person may decide. What the command leaves behind is ended all the same.
    Off,
}

/// Something that is read-only inside a writable root.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Protected {
    /// A file: whatever it is while it is there.
    File(PathBuf),
    /// A directory, also while it is missing.
    Directory(PathBuf),
}

/// What a command reaches beyond its own loopback.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Network {
    /// Nothing.
    None,
    /// What the leader's proxy lets through, host by host.
    Proxy,
    /// The machine's own network, with nobody asked.
    Open,
}

impl Policy {
    /// The roots that the command may write. A root that holds the home, as `/` and the home itself do, is none:
    /// a command that can write there can write what runs at the next login.
    pub fn writable_roots(&self) -> impl Iterator<Item = &Path> {
        [&self.workspace]
            .into_iter()
            .chain(&self.writable)
            .chain(&self.caches)
            .map(PathBuf::as_path)
            .filter(|root| !self.home.starts_with(root))
    }
}

impl Protected {
    pub fn path(&self) -> &Path {
        match self {
            Protected::File(path) | Protected::Directory(path) => path,
        }
    }

    /// The same beneath one root alone.
    pub(super) fn beneath(self, root: &Path) -> Self {
        match self {
            Protected::File(path) => Protected::File(root.join(path)),
            Protected::Directory(path) => Protected::Directory(root.join(path)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_root_that_holds_the_home_is_not_writable() {
        let writable = |workspace: &str| {
            let policy = Policy {
                workspace: workspace.into(),
                home: "/home/ada".into(),
                writable: Vec::new(),
                readonly_within: Vec::new(),
                hidden: Vec::new(),
                caches: None,
                temp: None,
                network: Network::None,
                confinement: Confinement::Full,
            };
            policy.writable_roots().next().is_some()
        };
        for refused in ["/", "/home", "/home/ada", "/home/ada/"] {
            assert!(!writable(refused), "{refused}");
        }
        for taken in ["/home/ada/work", "/srv/work", "/home/adam"] {
            assert!(writable(taken), "{taken}");
        }
    }
}
