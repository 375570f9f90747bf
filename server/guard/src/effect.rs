//! What a prepared call would do to the world, at its worst.

use std::path::PathBuf;

use swarm_wire::permission::{Level, Mode};

use crate::shell::understand;

/// The effect of one call. Paths are absolute with symbolic links resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Reads files.
    Reads { paths: Vec<PathBuf> },
    /// Creates or changes files.
    Writes { paths: Vec<PathBuf> },
    /// Runs a shell command.
    Runs { command: String },
    /// Reaches these hosts.
    Leaves { hosts: Vec<String> },
    /// Does what cannot be taken back; `what` completes "it destroys …".
    Destroys { what: String },
    /// Stays within the team: a message, a teammate with no more rights than `default`.
    Team,
    /// Asks a person to approve a plan, which ends planning.
    EndsPlanning,
    /// Gives a teammate this mode, which is wider than `default`.
    Widens { mode: Mode },
}

impl Effect {
    /// Whether it changes nothing, so that the like of it can run at the same time.
    pub fn only_reads(&self) -> bool {
        match self {
            Self::Reads { .. } => true,
            Self::Runs { .. } => self.level() == Level::ReadOnly,
            _ => false,
        }
    }

    pub fn level(&self) -> Level {
        match self {
            Self::Reads { .. } | Self::Team | Self::EndsPlanning => Level::ReadOnly,
            Self::Writes { .. } => Level::ChangesFiles,
            Self::Runs { command } => understand(command).level,
            Self::Widens { .. } => Level::RunsCode,
            Self::Leaves { .. } => Level::LeavesMachine,
            Self::Destroys { .. } => Level::Destroys,
        }
    }
}
