//! Where a model answers, with which key, and how long to wait for it.

use std::fmt;
use std::time::Duration;

use reqwest::header::{HeaderValue, InvalidHeaderValue};

/// What a [`Client`](crate::Client) needs to know. Every wait is bounded; the whole of an answer is not.
#[derive(Debug, Clone)]
pub struct Config {
    /// The address without the path of a method, such as `http://127.0.0.1:8080`.
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

impl Config {
    pub fn new(base_url: impl Into<String>, api_key: Option<ApiKey>) -> Self {
        Self {
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
