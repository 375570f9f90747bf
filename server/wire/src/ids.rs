//! Names and ids: newtypes that parse, and say which character is wrong.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The name of the leader's own agent in every team.
pub const TEAM_LEAD: &str = "team-lead";
/// The sender name that stands for the person at the editor.
pub const USER: &str = "user";
/// The longest team or member name, in characters (all of them ASCII).
pub const NAME_MAX: usize = 64;

/// Why a team or member name was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    #[error("a name is empty; it takes 1 to 64 of A-Z a-z 0-9 . _ -")]
    Empty,
    #[error("the name `{0}…` is longer than 64 characters")]
    TooLong(String),
    #[error("the name `{name}` has {character:?}; it takes 1 to 64 of A-Z a-z 0-9 . _ -")]
    Character { name: String, character: char },
    #[error("the name `{0}` starts with a dot, which would hide its files")]
    LeadingDot(String),
    #[error("the name `{0}` ends in `.json`, which would pass for one of the team's own files")]
    JsonSuffix(String),
    #[error("the name `{0}` is reserved; choose another")]
    Reserved(String),
    #[error("`{0}` is not an agent id; one is written `name@team`")]
    NotAnAgentId(String),
}

fn check_name(name: &str) -> Result<(), NameError> {
    if name.is_empty() {
        return Err(NameError::Empty);
    }
    let wrong = |c: &char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-'));
    if let Some(character) = name.chars().find(wrong) {
        let name = name.chars().take(NAME_MAX).collect();
        return Err(NameError::Character { name, character });
    }
    if name.len() > NAME_MAX {
        return Err(NameError::TooLong(name[..NAME_MAX].to_owned()));
    }
    if name.starts_with('.') {
        return Err(NameError::LeadingDot(name.to_owned()));
    }
    if name.to_ascii_lowercase().ends_with(".json") {
        return Err(NameError::JsonSuffix(name.to_owned()));
    }
    Ok(())
}

/// A checked name that keeps its spelling and is compared without case.
macro_rules! name_type {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone)]
        #[cfg_attr(test, derive(schemars::JsonSchema))]
        pub struct $name(String);

        impl $name {
            /// The name as it was first written.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $name {
            type Err = NameError;
            fn from_str(name: &str) -> Result<Self, NameError> {
                check_name(name)?;
                Ok(Self(name.to_owned()))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl PartialEq for $name {
            fn eq(&self, other: &Self) -> bool {
                self.0.eq_ignore_ascii_case(&other.0)
            }
        }

        impl Eq for $name {}

        impl Hash for $name {
            fn hash<H: Hasher>(&self, state: &mut H) {
                self.0.to_ascii_lowercase().hash(state);
            }
        }

        impl PartialOrd for $name {
            fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
                Some(self.cmp(other))
            }
        }

        impl Ord for $name {
            fn cmp(&self, other: &Self) -> std::cmp::Ordering {
                self.0.to_ascii_lowercase().cmp(&other.0.to_ascii_lowercase())
            }
        }

        string_serde!($name);
    };
}

/// Serialises through `Display` and `FromStr`, so that a bad value is refused where it enters.
macro_rules! string_serde {
    ($name:ident) => {
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}

name_type!(
    /// A team's name.
    TeamName
);
name_type!(
    /// A member's name within its team.
    MemberName
);

impl TeamName {
    /// A team name made of a folder's: other characters become `-`, `team` if nothing remains.
    pub fn from_folder(folder: &str) -> Self {
        let mut name: String = folder
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-') { c } else { '-' })
            .take(NAME_MAX)
            .collect();
        if name.to_ascii_lowercase().ends_with(".json") {
            name.truncate(name.len() - ".json".len());
        }
        let name = name.trim_matches(['-', '.']);
        Self(if name.is_empty() { "team".to_owned() } else { name.to_owned() })
    }
}

impl MemberName {
    /// Parses a name for a new teammate, for whom `team-lead` and `user` are not to be had.
    pub fn for_teammate(name: &str) -> Result<Self, NameError> {
        let name: Self = name.parse()?;
        if name.0.eq_ignore_ascii_case(TEAM_LEAD) || name.0.eq_ignore_ascii_case(USER) {
            return Err(NameError::Reserved(name.0));
        }
        Ok(name)
    }

    /// The leader's own agent.
    pub fn team_lead() -> Self {
        Self(TEAM_LEAD.to_owned())
    }

    /// This name with `-2`, `-3`, … behind it, shortened where it would grow too long.
    pub fn numbered(&self, number: usize) -> Self {
        let suffix = format!("-{number}");
        let keep = self.0.len().min(NAME_MAX - suffix.len());
        Self(format!("{}{suffix}", &self.0[..keep]))
    }
}

/// A member of a team, written `name@team`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(from = "String", into = "String"))]
pub struct AgentId {
    pub name: MemberName,
    pub team: TeamName,
}

impl AgentId {
    pub fn new(name: MemberName, team: TeamName) -> Self {
        Self { name, team }
    }

    /// The leader's own agent of `team`.
    pub fn lead_of(team: TeamName) -> Self {
        Self { name: MemberName::team_lead(), team }
    }

    pub fn is_lead(&self) -> bool {
        self.name == MemberName::team_lead()
    }

    /// Whether `name` means this member: its name or its whole id, in any case.
    pub fn is_called(&self, name: &str) -> bool {
        self.name.as_str().eq_ignore_ascii_case(name) || self.to_string().eq_ignore_ascii_case(name)
    }
}

impl fmt::Display for AgentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.name, self.team)
    }
}

impl FromStr for AgentId {
    type Err = NameError;
    fn from_str(id: &str) -> Result<Self, NameError> {
        let (name, team) = id.split_once('@').ok_or_else(|| NameError::NotAnAgentId(id.to_owned()))?;
        Ok(Self { name: name.parse()?, team: team.parse()? })
    }
}

string_serde!(AgentId);

/// An id that we or a peer made and nobody reads into.
macro_rules! opaque_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[cfg_attr(test, derive(schemars::JsonSchema))]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            pub fn new(id: impl Into<String>) -> Self {
                Self(id.into())
            }

            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

opaque_id!(
    /// One turn of one member.
    TurnId
);
opaque_id!(
    /// A message in a mailbox.
    MessageId
);
opaque_id!(
    /// A permission or plan request; permission ids are `perm-<ms>-<6 characters>`.
    RequestId
);
opaque_id!(
    /// One conversation of one member; `first`, or `conv-<ms>-<6 characters>`.
    ConversationId
);

impl ConversationId {
    /// The one that every member begins with.
    pub fn first() -> Self {
        Self::new("first")
    }

    pub fn is_first(&self) -> bool {
        self.as_str() == "first"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bad_name_is_refused_naming_the_character() {
        let refused = |name: &str| name.parse::<MemberName>().unwrap_err().to_string();
        assert!(refused("a b").contains("' '"));
        assert!(refused("a/b").contains("'/'"));
        assert!(refused("名").contains("'名'"));
        assert!(refused(".hidden").contains("dot"));
        assert!(refused("x.JSON").contains(".json"));
        assert!(refused("").contains("empty"));
        assert!(refused(&"x".repeat(65)).contains("64"));
        assert!("x".repeat(64).parse::<MemberName>().is_ok());
    }

    #[test]
    fn names_keep_their_spelling_and_compare_without_case() {
        let (a, b): (MemberName, MemberName) = ("Ada".parse().unwrap(), "aDA".parse().unwrap());
        assert_eq!(a, b);
        assert_eq!(a.as_str(), "Ada");
        assert!(MemberName::for_teammate("Team-Lead").is_err());
        assert!(MemberName::for_teammate("USER").is_err());
    }

    #[test]
    fn a_folder_makes_a_valid_team_name() {
        for (folder, team) in
            [("shop", "shop"), ("my shop", "my-shop"), ("店", "team"), ("...", "team"), ("a.json", "a")]
        {
            let name = TeamName::from_folder(folder);
            assert_eq!(name.as_str(), team);
            assert!(team.parse::<TeamName>().is_ok());
        }
        let long = TeamName::from_folder(&"é".repeat(100));
        assert_eq!(long.as_str(), "team");
    }

    #[test]
    fn an_agent_id_round_trips() {
        let id: AgentId = "ada@shop".parse().unwrap();
        assert_eq!(id.to_string(), "ada@shop");
        assert_eq!(serde_json::to_string(&id).unwrap(), "\"ada@shop\"");
        assert!("ada".parse::<AgentId>().is_err());
        assert!(serde_json::from_str::<AgentId>("\"a b@c\"").is_err());
    }

    #[test]
    fn a_numbered_name_never_grows_too_long() {
        let name: MemberName = "x".repeat(64).parse().unwrap();
        assert_eq!(name.numbered(12).as_str().len(), 64);
        assert!(name.numbered(12).as_str().ends_with("-12"));
    }
}
