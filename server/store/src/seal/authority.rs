//! What a signature allows: the leader commands, a member speaks for itself, anyone may send free text.

use ed25519_dalek::VerifyingKey;
use swarm_wire::ids::USER;
use swarm_wire::mail::{Kind, Message, Protocol};
use swarm_wire::{AgentId, TeamName};

use crate::seal::{Seal, mail_bytes, verified};

/// Who stands behind a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// The reader checks nothing; see [`crate::Mailbox::reader`].
    Unchecked,
    /// Signed with the team's key.
    Leader,
    /// Signed by the member that it says it is from.
    Member,
    /// Unsigned free text, whoever it says it is from.
    External,
}

/// Why mail was not let through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("it is no free text and carries no signature")]
    Unsigned,
    #[error("its signature is not of this team, for this recipient and this message")]
    BadSignature,
    #[error("it is signed by another than the sender that it names")]
    OtherSender,
    #[error("it is of an earlier leader's time (epoch {epoch}; the leader's is {newest})")]
    LowerEpoch { epoch: u64, newest: u64 },
    #[error("only the leader may say this")]
    LeaderOnly,
}

/// Checks the mail of one recipient.
#[derive(Debug, Clone)]
pub struct Verifier {
    team: TeamName,
    team_key: VerifyingKey,
    /// The highest epoch known; only rises.
    newest: u64,
}

impl Verifier {
    pub(super) fn new(team: TeamName, team_key: VerifyingKey, epoch: u64) -> Self {
        Self { team, team_key, newest: epoch }
    }

    /// Who stands behind `message`, or why nobody may read it.
    pub(crate) fn check(
        &mut self,
        recipient: &AgentId,
        incarnation: u64,
        message: &Message,
        seal: Option<&Seal>,
        protocol: Option<&Protocol>,
    ) -> Result<Standing, Refusal> {
        let Some(seal) = seal else {
            return match message.kind {
                Kind::Text => Ok(Standing::External),
                Kind::Protocol => Err(Refusal::Unsigned),
            };
        };
        let bytes = mail_bytes(&self.team, seal.epoch, recipient, message);
        let Some(certificate) = &seal.certificate else {
            self.check_leader(seal, &bytes, message, protocol)?;
            return Ok(Standing::Leader);
        };
        let key = VerifyingKey::from_bytes(&certificate.key).map_err(|_| Refusal::BadSignature)?;
        if !certificate.is_of(&self.team_key) || !verified(&key, &bytes, &seal.signature) {
            return Err(Refusal::BadSignature);
        }
        // A member outlives its leader and signs under the epoch it was started in: no check of epochs here.
        let of_sender = message.from.parse().is_ok_and(|from: AgentId| from == certificate.agent);
        if !of_sender || certificate.incarnation != incarnation {
            return Err(Refusal::OtherSender);
        }
        if protocol.is_some_and(is_leaders_alone) {
            return Err(Refusal::LeaderOnly);
        }
        Ok(Standing::Member)
    }

    fn check_leader(
        &mut self,
        seal: &Seal,
        bytes: &[u8],
        message: &Message,
        protocol: Option<&Protocol>,
    ) -> Result<(), Refusal> {
        if !verified(&self.team_key, bytes, &seal.signature) {
            return Err(Refusal::BadSignature);
        }
        let lead = AgentId::lead_of(self.team.clone());
        if message.from != USER && message.from.parse::<AgentId>() != Ok(lead) {
            return Err(Refusal::OtherSender);
        }
        // Words that nobody read before their leader ended are read under the next: they grant nothing.
        let is_said = message.kind == Kind::Text || matches!(protocol, Some(Protocol::UserMessage { .. }));
        if seal.epoch < self.newest && is_said {
            return Ok(());
        }
        if seal.epoch < self.newest {
            return Err(Refusal::LowerEpoch { epoch: seal.epoch, newest: self.newest });
        }
        self.newest = seal.epoch;
        Ok(())
    }
}

/// What grants, commands or changes a member.
fn is_leaders_alone(message: &Protocol) -> bool {
    match message {
        Protocol::PermissionResponse(_)
        | Protocol::UserMessage { .. }
        | Protocol::Interrupt { .. }
        | Protocol::Compact { .. }
        | Protocol::Converse { .. }
        | Protocol::ModeChange { .. }
        | Protocol::RulesUpdate { .. }
        | Protocol::ModelUpdate { .. }
        | Protocol::LeaderResponse { .. }
        | Protocol::LeaderChanged
        | Protocol::TaskAssigned { .. }
        | Protocol::PlanReview { .. }
        | Protocol::ShutdownRequest { .. } => true,
        Protocol::IdleNotification(_)
        | Protocol::PermissionRequest(_)
        | Protocol::PermissionWithdraw { .. }
        | Protocol::Conversed { .. }
        | Protocol::Progress { .. }
        | Protocol::LeaderRequest { .. }
        | Protocol::ShutdownResponse { .. } => false,
    }
}
