//! Signed mail: who may say what, proved by ed25519 and not by where a file lies.
//!
//! The leader signs with the team's key. A member signs with a key of its own, certified by the team's for
//! its name and incarnation, so that the public half of the team's key is all that a reader needs.
//! A signature covers team, lease epoch, recipient, message id, kind and the text's bytes.

mod authority;
mod handover;
pub(crate) mod hex;
mod keys;

use ed25519_dalek::{Signature, Signer as _, SigningKey, VerifyingKey};
use serde::{Deserialize, Serialize};
use swarm_wire::mail::{Kind, Message};
use swarm_wire::{AgentId, TeamName};

pub use authority::{Refusal, Standing, Verifier};
pub use keys::{MemberKey, TeamKey, forbid_dumps};
pub(crate) use keys::{keys_dir, random};

/// What proves a message, in its file beside the message's own fields.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Seal {
    /// Of the lease under which the signer was started.
    pub(crate) epoch: u64,
    #[serde(with = "hex")]
    pub(crate) signature: [u8; 64],
    /// Absent from what the leader signs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) certificate: Option<Certificate>,
}

/// The team's word that a key is a member's, for one incarnation of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Certificate {
    pub(crate) agent: AgentId,
    pub(crate) incarnation: u64,
    #[serde(with = "hex")]
    pub(crate) key: [u8; 32],
    #[serde(with = "hex")]
    pub(crate) signature: [u8; 64],
}

/// Signs mail in one name.
#[derive(Debug, Clone)]
pub struct Signer {
    team: TeamName,
    epoch: u64,
    key: SigningKey,
    certificate: Option<Certificate>,
}

impl Signer {
    pub(crate) fn seal(&self, message: &Message, recipient: &AgentId) -> Seal {
        let signature = self.key.sign(&mail_bytes(&self.team, self.epoch, recipient, message)).to_bytes();
        Seal { epoch: self.epoch, signature, certificate: self.certificate.clone() }
    }
}

impl Certificate {
    fn issue(team_key: &SigningKey, agent: AgentId, incarnation: u64, key: &VerifyingKey) -> Self {
        let key = key.to_bytes();
        let signature = team_key.sign(&certificate_bytes(&agent, incarnation, &key)).to_bytes();
        Self { agent, incarnation, key, signature }
    }

    fn is_of(&self, team_key: &VerifyingKey) -> bool {
        verified(team_key, &certificate_bytes(&self.agent, self.incarnation, &self.key), &self.signature)
    }
}

fn verified(key: &VerifyingKey, bytes: &[u8], signature: &[u8; 64]) -> bool {
    key.verify_strict(bytes, &Signature::from_bytes(signature)).is_ok()
}

fn mail_bytes(team: &TeamName, epoch: u64, recipient: &AgentId, message: &Message) -> Vec<u8> {
    let kind = match message.kind {
        Kind::Text => "text",
        Kind::Protocol => "protocol",
    };
    joined(&[
        b"swarm mail 1",
        team.as_str().to_ascii_lowercase().as_bytes(),
        &epoch.to_be_bytes(),
        recipient.to_string().to_ascii_lowercase().as_bytes(),
        message.id.as_str().as_bytes(),
        kind.as_bytes(),
        message.text.as_bytes(),
    ])
}

fn certificate_bytes(agent: &AgentId, incarnation: u64, key: &[u8; 32]) -> Vec<u8> {
    let agent = agent.to_string().to_ascii_lowercase();
    joined(&[b"swarm member 1", agent.as_bytes(), &incarnation.to_be_bytes(), key])
}

/// Each part with its length before it, so that no two lists of parts give the same bytes.
fn joined(parts: &[&[u8]]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(parts.iter().map(|part| part.len() + 8).sum());
    for part in parts {
        bytes.extend_from_slice(&(part.len() as u64).to_be_bytes());
        bytes.extend_from_slice(part);
    }
    bytes
}
