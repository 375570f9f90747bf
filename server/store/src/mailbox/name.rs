//! A message's file name, which is its id: `<incarnation>.<counter>.<sender>`.

use std::fmt;
use std::str::FromStr;

use swarm_wire::{AgentId, MemberName, MessageId, NameError};

const EXTERNAL: &str = "external:";

/// Who sends: as `from` in a message, and lower-cased in its file name.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Origin {
    Agent(AgentId),
    /// The person at the editor.
    User,
    /// A tool outside the team, written `external:<tool>`; its name follows the rules of a member's.
    External(MemberName),
}

impl Origin {
    /// The same name as an outside tool's, for one that nobody vouches for.
    pub(super) fn outside(self) -> Self {
        match self {
            Self::Agent(agent) => Self::External(agent.name),
            // The reserved name is a valid one.
            Self::User => swarm_wire::ids::USER.parse().map_or(Self::User, Self::External),
            external @ Self::External(_) => external,
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Agent(agent) => agent.fmt(f),
            Self::User => f.write_str(swarm_wire::ids::USER),
            Self::External(tool) => write!(f, "{EXTERNAL}{tool}"),
        }
    }
}

impl FromStr for Origin {
    type Err = NameError;

    fn from_str(from: &str) -> Result<Self, NameError> {
        if from == swarm_wire::ids::USER {
            return Ok(Self::User);
        }
        match from.strip_prefix(EXTERNAL) {
            Some(tool) => Ok(Self::External(tool.parse()?)),
            None => Ok(Self::Agent(from.parse()?)),
        }
    }
}

impl From<AgentId> for Origin {
    fn from(agent: AgentId) -> Self {
        Self::Agent(agent)
    }
}

/// A parsed file name. Sorted by sender, then in the order sent.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct FileName {
    /// Lower-cased.
    pub(super) sender: String,
    pub(super) place: Place,
}

/// Where a message stands among its sender's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) incarnation: u64,
    pub(super) counter: u64,
}

impl FileName {
    pub(super) fn new(sender: &Origin, place: Place) -> Self {
        Self { sender: sender.to_string().to_ascii_lowercase(), place }
    }

    pub(super) fn is_external(&self) -> bool {
        self.sender.starts_with(EXTERNAL)
    }

    pub(super) fn message_id(&self) -> MessageId {
        MessageId::new(self.to_string())
    }

    /// Parses what [`fmt::Display`] writes and nothing else: no sign, no leading zero, no upper case.
    pub(super) fn parse(name: &str) -> Option<Self> {
        let mut parts = name.splitn(3, '.');
        let incarnation = parts.next()?.parse().ok()?;
        let counter = parts.next()?.parse().ok()?;
        let sender: Origin = parts.next()?.parse().ok()?;
        let parsed = Self::new(&sender, Place { incarnation, counter });
        (parsed.to_string() == name).then_some(parsed)
    }
}

impl fmt::Display for FileName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.place.incarnation, self.place.counter, self.sender)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_name_round_trips_whatever_dots_the_sender_has() {
        for name in ["1.2.ada@shop", "3.40.a.b.c@x.y", "18446744073709551615.0.user", "7.1.external:ci"] {
            assert_eq!(FileName::parse(name).unwrap().to_string(), name);
        }
    }

    #[test]
    fn a_name_that_we_would_not_write_is_not_ours() {
        for name in [
            "",
            "1",
            "1.2",
            "1.2.",
            "+1.2.user",
            "01.2.user",
            "1.2.Ada@shop",
            "1.2.a b@c",
            "1.2.external:",
            "x.1.user",
        ] {
            assert_eq!(FileName::parse(name), None, "{name}");
        }
    }

    #[test]
    fn places_are_ordered_by_number_and_not_by_spelling() {
        let place = |name: &str| FileName::parse(name).unwrap().place;
        assert!(place("2.9.user") < place("2.10.user"));
        assert!(place("9.99.user") < place("10.0.user"));
    }
}
