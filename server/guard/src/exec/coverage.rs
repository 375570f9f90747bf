//! What this machine can hold, found out by trying. For `doctor`, and for whoever decides what has to be asked instead.

use std::path::Path;

use super::helper;
use super::order::Failed;
use super::policy::{Confinement, Network, Policy};
use super::spawn::{Command, ExecError, Helper, spawn};
use super::{Exit, Program};

/// The walls of a machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Coverage {
    /// Why there are no namespaces, or no view of the file system in them; none when there are.
    pub namespaces_refused: Option<Failed>,
    /// The version of Landlock, if the kernel has it.
    pub landlock: Option<u32>,
    pub seccomp: bool,
}

/// Something that a full set of walls holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Promise {
    /// Nothing that a command starts outlives it, even when its helper is killed.
    TreeEnds,
    /// Only what may be written is written.
    Writes,
    /// What is hidden is not read.
    Secrets,
    /// What is hidden is not seen, and the modes, owners and times of what may not be written stay.
    NamesAndModes,
    /// What runs by itself inside the workspace stays as it is.
    SelfRunning,
    /// Other processes are not reached: no signal, no memory, no environment.
    Processes,
    /// Sockets with a name in the file system are not reached.
    Sockets,
    /// Hosts are reached through the proxy alone.
    Network,
}

impl Promise {
    pub const ALL: [Promise; 8] = [
        Promise::TreeEnds,
        Promise::Writes,
        Promise::Secrets,
        Promise::NamesAndModes,
        Promise::SelfRunning,
        Promise::Processes,
        Promise::Sockets,
        Promise::Network,
    ];
}

/// The first versions of Landlock that hold renaming across directories and truncating, and signals and abstract names.
const LANDLOCK_WRITES: u32 = 3;
const LANDLOCK_SCOPES: u32 = 6;
/// The first that holds sockets with a name in the file system.
const LANDLOCK_SOCKETS: u32 = 9;

impl Coverage {
    /// The strongest confinement that commands can have here without a person's word; `Off` means that there is none.
    pub fn confinement(&self) -> Confinement {
        match (&self.namespaces_refused, self.landlock, self.seccomp) {
            (None, _, true) => Confinement::Full,
            (Some(_), Some(_), true) => Confinement::Partial,
            _ => Confinement::Off,
        }
    }

    /// What is not held under [`Coverage::confinement`], so that a command which is not known to leave it alone is
    /// asked about.
    pub fn not_held(&self) -> Vec<Promise> {
        let landlock = self.landlock.unwrap_or(0);
        let held = |promise: &Promise| match (self.confinement(), promise) {
            (Confinement::Full, _) => true,
            (Confinement::Off, _) => false,
            (Confinement::Partial, Promise::Secrets) => true,
            (Confinement::Partial, Promise::Writes) => landlock >= LANDLOCK_WRITES,
            (Confinement::Partial, Promise::Processes) => landlock >= LANDLOCK_SCOPES,
            (Confinement::Partial, Promise::Sockets) => landlock >= LANDLOCK_SOCKETS,
            // Rules about TCP leave all that is not TCP, and every host on the port that is allowed.
            (Confinement::Partial, _) => false,
        };
        Promise::ALL.into_iter().filter(|promise| !held(promise)).collect()
    }
}

/// Finds out, by running `true` behind all walls.
pub async fn coverage(helper: Helper) -> Coverage {
    let nowhere = Policy {
        workspace: "/".into(),
        home: "/".into(),
        writable: Vec::new(),
        readonly_within: Vec::new(),
        hidden: Vec::new(),
        caches: None,
        temp: None,
        network: Network::None,
        confinement: Confinement::Full,
    };
    let command = Command { helper, program: Program::Bash("true".into()), ..Command::bash("true", nowhere) };
    let namespaces_refused = match spawn(command).await {
        Ok(mut running) => match running.wait().await {
            Ok(finished) if finished.exit == Exit::Code(0) => None,
            _ => Some(Failed::lost()),
        },
        Err(ExecError::Refused(failed)) => Some(failed),
        Err(_) => Some(Failed::lost()),
    };
    Coverage {
        namespaces_refused,
        landlock: helper::landlock_version(),
        seccomp: Path::new("/proc/sys/kernel/seccomp/actions_avail").exists(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(namespaces: bool, landlock: Option<u32>) -> Coverage {
        let namespaces_refused = if namespaces { None } else { Some(Failed::lost()) };
        Coverage { namespaces_refused, landlock, seccomp: true }
    }

    #[test]
    fn a_machine_with_namespaces_holds_all_whatever_its_landlock() {
        for landlock in [None, Some(1), Some(7)] {
            let machine = machine(true, landlock);
            assert_eq!((machine.confinement(), machine.not_held()), (Confinement::Full, Vec::new()));
        }
    }

    #[test]
    fn without_namespaces_the_network_never_counts_as_held() {
        for landlock in [Some(1), Some(4), Some(7), Some(9)] {
            let machine = machine(false, landlock);
            assert_eq!(machine.confinement(), Confinement::Partial);
            let not_held = machine.not_held();
            for promise in [Promise::Network, Promise::SelfRunning, Promise::TreeEnds, Promise::NamesAndModes]
            {
                assert!(not_held.contains(&promise), "{landlock:?} {promise:?}");
            }
            assert!(!not_held.contains(&Promise::Secrets));
        }
    }

    #[test]
    fn an_older_landlock_holds_less() {
        assert!(machine(false, Some(2)).not_held().contains(&Promise::Writes));
        assert!(!machine(false, Some(3)).not_held().contains(&Promise::Writes));
        assert!(machine(false, Some(5)).not_held().contains(&Promise::Processes));
        assert!(!machine(false, Some(6)).not_held().contains(&Promise::Processes));
        assert!(machine(false, Some(8)).not_held().contains(&Promise::Sockets));
        assert!(!machine(false, Some(9)).not_held().contains(&Promise::Sockets));
    }

    #[test]
    fn a_machine_with_neither_holds_nothing() {
        let machine = machine(false, None);
        assert_eq!(machine.confinement(), Confinement::Off);
        assert_eq!(machine.not_held(), Promise::ALL);
    }
}
