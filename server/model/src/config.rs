//! Where a model answers, with which key, and how long to wait for it.

use std::fmt;
use std::time::Duration;

use reqwest::header::{HeaderValue, InvalidHeaderValue};

/// What a [`Client`](crate::Client) needs to know. Every wait is bounded; the whole of an answer is not.
#[derive(Debug, Clone)]
pub struct Config {
    /// What is spoken there.
    pub format: Format,
    /// The address without the path of a method: `https://api.anthropic.com`, `http://127.0.0.1:11434/v1`. The
    /// version may be left out where it would be the whole path.
    pub base_url: String,
    /// `None` for a server that wants none.
    pub api_key: Option<ApiKey>,
    /// How long a connection may take to be made.
    pub connect_timeout: Duration,
    /// How long the first byte of an answer may take: a large prompt on a small machine needs minutes.
    pub first_byte_timeout: Duration,
    /// How long a stream may be silent. Providers send a sign of life every few seconds.
    pub idle_timeout: Duration,
    /// How many attempts one call has in all.
    pub attempts: u32,
    /// The wait before the second attempt, doubled for each further one.
    pub backoff: Duration,
    /// The longest wait of our own choice. What a provider asks for is honoured up to ten times this.
    pub longest_backoff: Duration,
}

/// A wire format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Anthropic's `POST /v1/messages`.
    Messages,
    /// OpenAI's `POST /v1/responses`.
    Responses,
    /// `POST /v1/chat/completions`, spoken by OpenAI, Ollama, llama.cpp, vLLM, OpenRouter, DeepSeek and others.
    ChatCompletions,
}

impl Format {
    /// The environment variable by which users know the key.
    pub fn key_variable(self) -> &'static str {
        match self {
            Self::Messages => "ANTHROPIC_API_KEY",
            Self::Responses | Self::ChatCompletions => "OPENAI_API_KEY",
        }
    }

    /// The format's name in settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::Messages => "anthropic",
            Self::Responses => "openai-responses",
            Self::ChatCompletions => "openai-chat",
        }
    }

    /// The address of the format's owner.
    pub fn home(self) -> &'static str {
        match self {
            Self::Messages => "https://api.anthropic.com",
            Self::Responses | Self::ChatCompletions => "https://api.openai.com/v1",
        }
    }
}

impl Config {
    /// Anthropic's format, with waits that suit a hosted model and a local one.
    pub fn new(base_url: impl Into<String>, api_key: Option<ApiKey>) -> Self {
        Self {
            format: Format::Messages,
            base_url: base_url.into(),
            api_key,
            connect_timeout: Duration::from_secs(15),
            first_byte_timeout: Duration::from_secs(300),
            idle_timeout: Duration::from_secs(90),
            attempts: 6,
            backoff: Duration::from_millis(500),
            longest_backoff: Duration::from_secs(30),
        }
    }
}

/// A provider's key: never shown by `Debug`, in no error, and in no address.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey(String);

impl ApiKey {
    /// White space around it, such as the line end of a file, is not part of a key.
    pub fn new(key: impl Into<String>) -> Self {
        Self(key.into().trim().to_owned())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The key behind `scheme`, marked so that no debug text of headers shows it.
    pub(crate) fn header(&self, scheme: &str) -> Result<HeaderValue, InvalidHeaderValue> {
        let mut value = HeaderValue::try_from(format!("{scheme}{}", self.0))?;
        value.set_sensitive(true);
        Ok(value)
    }

    /// `text` without the key, for what a server may send back.
    pub(crate) fn scrubbed_from(&self, text: &str) -> String {
        if self.is_empty() { text.to_owned() } else { text.replace(&self.0, "…") }
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey(…)")
    }
}
