//! What the leader's side and the helper say to each other. Shapes only: no I/O.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::policy::Policy;

/// What is run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Program {
    /// A line for bash, without start-up files.
    Bash(String),
    /// A program by its absolute path, and its arguments.
    File { path: PathBuf, args: Vec<String> },
}

/// Everything the helper has to know, told once.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Order {
    pub(super) program: Program,
    pub(super) cwd: PathBuf,
    /// The whole environment of the command; nothing is inherited.
    pub(super) env: Vec<(String, String)>,
    pub(super) policy: Policy,
}

/// What the helper reports, one line of JSON each.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Report {
    /// The program runs.
    Started,
    /// It could not be started; nothing runs.
    Failed(Failed),
    /// The program ended by itself with this code; what it left behind is being ended.
    Exited(i32),
    /// A signal ended the program.
    Signaled(i32),
    /// It made what would steer git outside of the walls; that was removed, and everything ended.
    Tampered,
}

/// What the leader can ask for while the command runs, one byte each. Closing the link ends the command.
pub(super) const INTERRUPT: u8 = b'i';
pub(super) const TERMINATE: u8 = b't';

/// Why no command was started: the first step that the machine refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{step}: {} ({path})", std::io::Error::from_raw_os_error(*errno), path = path.display())]
pub struct Failed {
    pub step: Step,
    /// As in errno(3).
    pub errno: i32,
    /// What it was about; empty where there is no path.
    pub path: PathBuf,
}

/// The steps of the helper that can fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Step {
    ReadOrder,
    Session,
    Namespaces,
    IdMap,
    Fork,
    Mounts,
    Loopback,
    WorkingDirectory,
    Privileges,
    Landlock,
    Seccomp,
    Start,
    /// The helper ended without a word.
    Lost,
}

impl Failed {
    /// For a helper of which nothing is known but that it ended.
    pub(super) fn lost() -> Self {
        Self { step: Step::Lost, errno: 0, path: PathBuf::new() }
    }
}

impl std::fmt::Display for Step {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Step::ReadOrder => "the helper could not read its order",
            Step::Session => "the helper could not leave its session",
            Step::Namespaces => "the machine gives no namespaces",
            Step::IdMap => "the machine takes no user mapping",
            Step::Fork => "no further process can be made",
            Step::Mounts => "the file system could not be walled off",
            Step::Loopback => "the loopback could not be brought up",
            Step::WorkingDirectory => "the working directory could not be entered",
            Step::Privileges => "privileges could not be dropped",
            Step::Landlock => "the Landlock rules were refused",
            Step::Seccomp => "the system call filter was refused",
            Step::Start => "the program could not be started",
            Step::Lost => "the helper ended without a result",
        })
    }
}
