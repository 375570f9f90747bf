//! What a user can set: `initializationOptions`, and the section `swarm` of `workspace/configuration`.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::permission::Trust;
use crate::team::BackendType;

/// All settings; a missing one has its default.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct Settings {
    /// Which format the provider speaks; by default what the environment has a key or an address for.
    pub provider: Option<Provider>,
    /// The model of the leader, and of teammates that name none.
    pub model: Option<String>,
    /// Where the provider answers, without the path; by default `ANTHROPIC_BASE_URL` or `OPENAI_BASE_URL`, else the
    /// provider's own.
    pub base_url: Option<String>,
    /// The provider's key; better in the environment, as `ANTHROPIC_API_KEY` or `OPENAI_API_KEY`.
    #[serde(skip_serializing)]
    pub api_key: Option<Secret>,
    /// The longest answer asked of the model, thinking included, in tokens; 8192 by default.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub max_tokens: Option<u32>,
    /// How hard models think, where a member chose nothing else; by default as the provider has it.
    pub effort: Option<Effort>,
    /// How many tokens the model takes, history and answer together; by default what is known of the model.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub context_window: Option<u32>,
    /// Whether models are shown pictures; by default what is known of the model.
    pub pictures: Option<bool>,
    /// What models cost, by their names, over what is known of them; in US dollars a million tokens.
    pub prices: BTreeMap<String, Price>,
    /// US dollars that the team, or each member, may spend before it pauses; without end by default.
    pub budget: Budget,
    /// How much goes through unasked.
    pub trust: Trust,
    /// Further names of files that hold secrets, as patterns such as `*.vault`.
    pub secrets: Vec<String>,
    /// How many members a team has at most, the leader's agent included; 16 by default.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub max_members: Option<usize>,
    /// How teammates run whose start does not say; `in-process` by default.
    pub teammate_backend: Option<BackendChoice>,
    /// How much of the server's own pane of tmux the panes of teammates take together, in percent; 30 by default.
    #[cfg_attr(test, schemars(range(min = 10, max = 90)))]
    pub tmux_share: Option<u8>,
    /// Whether teammates in terminals outlive the server's end, and wait for the next one.
    pub keep_terminals: bool,
    /// How long teammates in processes of their own wait for a leader when theirs is gone, in seconds; 600 by default.
    pub leaderless_seconds: Option<u64>,
    /// Who looks at a teammate's plan before you; you decide in any case.
    pub plan_review: PlanReview,
    /// What becomes of turns that an earlier server's end cut off.
    pub resume: Resume,
}

impl Settings {
    /// What the settings are called.
    pub fn names() -> Vec<String> {
        let all = serde_json::to_value(Self::default());
        let shown = all.ok().and_then(|all| Some(all.as_object()?.keys().cloned().collect()));
        let mut names: Vec<String> = shown.unwrap_or_default();
        // The one that is never written.
        names.push("apiKey".to_owned());
        names
    }
}

/// How a teammate is to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BackendChoice {
    /// In a terminal that the user looks at, where there is one; else in the server.
    Auto,
    Named(BackendType),
}

impl Default for BackendChoice {
    fn default() -> Self {
        Self::Named(BackendType::InProcess)
    }
}

impl BackendChoice {
    /// What can be chosen, as it is written.
    pub fn names() -> impl Iterator<Item = &'static str> {
        std::iter::once("auto").chain(BackendType::ALL.into_iter().map(BackendType::as_str))
    }

    fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Named(kind) => kind.as_str(),
        }
    }
}

impl FromStr for BackendChoice {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        if name == "auto" {
            return Ok(Self::Auto);
        }
        let named = BackendType::ALL.into_iter().find(|kind| kind.as_str() == name).map(Self::Named);
        named.ok_or_else(|| {
            let names: Vec<String> = Self::names().map(|name| format!("`{name}`")).collect();
            format!("`{name}` is no way to run a teammate; there are: {}", names.join(", "))
        })
    }
}

impl Serialize for BackendChoice {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for BackendChoice {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// Who looks at a plan before the user is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum PlanReview {
    /// Nobody: you see every plan at once.
    #[default]
    User,
    /// The leader's agent, which sends it back or on to you.
    Leader,
}

/// What a model costs, in US dollars a million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Price {
    #[cfg_attr(test, schemars(range(min = 0)))]
    pub input: f64,
    #[cfg_attr(test, schemars(range(min = 0)))]
    pub output: f64,
    /// Input out of the provider's cache; as other input without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(range(min = 0)))]
    pub cache_read: Option<f64>,
    /// Input into the provider's cache; as other input without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(range(min = 0)))]
    pub cache_write: Option<f64>,
}

/// The most that may be spent, in US dollars.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Budget {
    /// By all members of a team together.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(range(min = 0)))]
    pub team: Option<f64>,
    /// By each member.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(range(min = 0)))]
    pub member: Option<f64>,
}

/// What becomes of the turns that an earlier server's end cut off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Resume {
    /// They wait for you, unless the server was away for under a minute.
    #[default]
    Ask,
    /// They go on.
    Auto,
}

/// How much a model may spend on thinking, from least to most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Effort {
    Low,
    Medium,
    High,
    XHigh,
    Max,
}

impl Effort {
    /// From least to most.
    pub const ALL: [Self; 5] = [Self::Low, Self::Medium, Self::High, Self::XHigh, Self::Max];

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::XHigh => "xhigh",
            Self::Max => "max",
        }
    }
}

/// The wire formats of providers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Provider {
    /// Anthropic Messages.
    Anthropic,
    /// OpenAI Responses.
    OpenaiResponses,
    /// Chat Completions, which most local servers speak.
    OpenaiChat,
}

/// A key or token: never shown by `Debug`, never serialised.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    pub fn new(secret: impl Into<String>) -> Self {
        Self(secret.into())
    }

    /// The secret itself, for the one place that sends it.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}
