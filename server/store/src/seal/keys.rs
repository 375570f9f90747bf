//! The keys: the team's in its file, a teammate's handed over in a file that is gone once read.

use std::fmt;
use std::path::{Path, PathBuf};

use ed25519_dalek::{SigningKey, VerifyingKey};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use swarm_wire::{AgentId, TeamName};

use crate::atomic::{self, Durability};
use crate::error::{Error, Result};
use crate::lease::Lease;
use crate::lock;
use crate::root::Root;
use crate::seal::{Certificate, Signer, Verifier, hex};
use crate::team_dir::TeamDir;

/// The team's own key, `<root>/keys/<team>.key`. It outlives a leader, so that the next one is believed.
#[derive(Clone)]
pub struct TeamKey {
    team: TeamName,
    epoch: u64,
    key: SigningKey,
}

/// The key of one member in one incarnation, and what it needs to check its mail.
#[derive(Clone)]
pub struct MemberKey {
    epoch: u64,
    key: SigningKey,
    certificate: Certificate,
    team_key: VerifyingKey,
}

/// [`MemberKey`] on its way to another process.
#[derive(Serialize, Deserialize)]
struct Handover<T> {
    epoch: u64,
    #[serde(with = "hex")]
    key: [u8; 32],
    certificate: Certificate,
    #[serde(with = "hex")]
    team_key: [u8; 32],
    order: T,
}

impl TeamKey {
    /// The key of the team that `lease` leads, made when there is none yet.
    pub fn of(lease: &Lease, team: &TeamDir) -> Result<Self> {
        let dir = keys_dir(team.root());
        atomic::create_dir(&dir)?;
        let path = key_path(team);
        let key = lock::locked(&dir.join(".lock"), || match atomic::read(&path) {
            Ok(text) => {
                let text = String::from_utf8_lossy(&text);
                hex::decode(text.trim()).ok_or_else(|| Error::BadKey {
                    path: path.clone(),
                    why: "it is not 64 hexadecimal digits",
                })
            }
            Err(error) if error.is_not_found() => {
                let seed = random()?;
                let text = format!("{}\n", hex::encode(&seed));
                atomic::replace(&path, text.as_bytes(), Durability::Synced)?;
                Ok(seed)
            }
            Err(error) => Err(error),
        })?;
        Ok(Self { team: team.name().clone(), epoch: lease.epoch(), key: SigningKey::from_bytes(&key) })
    }

    /// Removes the key of a team that is deleted.
    pub(crate) fn forget(team: &TeamDir) -> Result<()> {
        atomic::remove(&key_path(team))
    }

    /// Signs as the leader, or as the user who sits at its editor.
    pub fn signer(&self) -> Signer {
        Signer { team: self.team.clone(), epoch: self.epoch, key: self.key.clone(), certificate: None }
    }

    /// Checks what comes to the leader.
    pub fn verifier(&self) -> Verifier {
        Verifier::new(self.team.clone(), self.key.verifying_key(), self.epoch)
    }

    /// A new key for one start of a member.
    pub fn member(&self, agent: &AgentId, incarnation: u64) -> Result<MemberKey> {
        let key = SigningKey::from_bytes(&random()?);
        let certificate = Certificate::issue(&self.key, agent.clone(), incarnation, &key.verifying_key());
        Ok(MemberKey { epoch: self.epoch, key, certificate, team_key: self.key.verifying_key() })
    }
}

impl MemberKey {
    pub fn agent(&self) -> &AgentId {
        &self.certificate.agent
    }

    pub fn incarnation(&self) -> u64 {
        self.certificate.incarnation
    }

    /// Signs as the member.
    pub fn signer(&self) -> Signer {
        Signer {
            team: self.certificate.agent.team.clone(),
            epoch: self.epoch,
            key: self.key.clone(),
            certificate: Some(self.certificate.clone()),
        }
    }

    /// Checks what comes to the member.
    pub fn verifier(&self) -> Verifier {
        Verifier::new(self.certificate.agent.team.clone(), self.team_key, self.epoch)
    }

    /// Writes the key, and what else the member's own process is to know, to a new file, and says where.
    pub fn hand_over<T: Serialize>(&self, root: &Root, order: &T) -> Result<PathBuf> {
        root.hand_over(&Handover {
            epoch: self.epoch,
            key: self.key.to_bytes(),
            certificate: self.certificate.clone(),
            team_key: self.team_key.to_bytes(),
            order,
        })
    }

    /// Reads a key that was handed over and what came with it, and removes the file.
    pub fn take<T: DeserializeOwned>(root: &Root, path: &Path) -> Result<(Self, T)> {
        let Handover { epoch, key, certificate, team_key, order } = root.take_over(path)?;
        let team_key = VerifyingKey::from_bytes(&team_key)
            .map_err(|_| Error::BadKey { path: path.to_owned(), why: "the team's public key is none" })?;
        Ok((Self { epoch, key: SigningKey::from_bytes(&key), certificate, team_key }, order))
    }
}

/// Keeps this process's memory from core dumps and from other processes of the same user.
///
/// Where the system has no such switch, nothing is done: `Ok(false)`.
pub fn forbid_dumps() -> std::io::Result<bool> {
    #[cfg(target_os = "linux")]
    nix::sys::prctl::set_dumpable(false)?;
    Ok(cfg!(target_os = "linux"))
}

impl fmt::Debug for TeamKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TeamKey({}, epoch {})", self.team, self.epoch)
    }
}

impl fmt::Debug for MemberKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MemberKey({}, incarnation {})", self.certificate.agent, self.certificate.incarnation)
    }
}

pub(crate) fn keys_dir(root: &Root) -> PathBuf {
    root.path().join("keys")
}

fn key_path(team: &TeamDir) -> PathBuf {
    keys_dir(team.root()).join(format!("{}.key", team.name().as_str().to_ascii_lowercase()))
}

pub(crate) fn random<const N: usize>() -> Result<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|error| Error::NoRandomness(error.to_string()))?;
    Ok(bytes)
}
