//! What can go wrong with a call to a model, in words that name what is wrong and what to do.
//!
//! No text here ever holds a key. Whether an error is tried again is the table in `retry.rs`.

use std::time::Duration;

use crate::request::Part;

/// A call that failed, with what the model had finished by then.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{error}")]
pub struct CallError {
    #[source]
    pub error: Error,
    /// Of the last attempt: the text as far as it came, finished thinking. A finished tool call is here only
    /// when the call was cancelled, since otherwise the answer is kept.
    pub partial: Vec<Part>,
}

#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Error {
    #[error("no API key for {host}: set {variable} in the environment, or the setting `apiKey`")]
    MissingKey { host: String, variable: &'static str },
    /// The address itself is not told, since one that can't be parsed may hold anything.
    #[error("the setting `baseUrl` is no http or https address: {reason}")]
    BaseUrl { reason: String },
    #[error("the call could not be set up: {reason}")]
    Setup { reason: String },
    #[error("no connection to {host}: {reason}")]
    Connect { host: String, reason: String },
    #[error(
        "the certificate of {host} is not trusted: {reason} — behind a proxy that opens TLS, let SSL_CERT_FILE \
         name its certificate"
    )]
    Certificate { host: String, reason: String },
    /// The provider answered with an HTTP status that is none of success.
    #[error(
        "{host} answered {status}{}: {message}{}{}",
        in_brackets(kind.as_deref()),
        advice(hint.as_deref()),
        asked(*retry_after)
    )]
    Status {
        host: String,
        status: u16,
        /// The provider's own word for the error, such as `overloaded_error`.
        kind: Option<String>,
        message: String,
        /// What the user can do about it.
        hint: Option<String>,
        /// How long the provider asks to wait.
        retry_after: Option<Duration>,
    },
    /// The provider reported an error inside a stream that had begun.
    #[error("{host} broke off its answer{}: {message}", in_brackets(kind.as_deref()))]
    Reported { host: String, kind: Option<String>, message: String },
    #[error("the answer of {host} broke off before its end: {reason}")]
    Interrupted { host: String, reason: String },
    #[error("{host} was silent for {} s", silence.as_secs_f64())]
    Silent { host: String, silence: Duration },
    /// Bytes that are not what the provider's format says.
    #[error("the answer of {host} can't be read: {reason}")]
    Malformed { host: String, reason: String },
    #[error("cancelled")]
    Cancelled,
}

impl Error {
    /// Whether the prompt was longer than the model takes, so that a shorter one may do.
    pub fn is_too_long(&self) -> bool {
        let (kind, message) = match self {
            Self::Status { status: 400 | 413, kind, message, .. } | Self::Reported { kind, message, .. } => {
                (kind.as_deref().unwrap_or_default(), message.to_ascii_lowercase())
            }
            _ => return false,
        };
        matches!(kind, "request_too_large" | "context_length_exceeded" | "exceed_context_size_error")
            || message.contains("prompt is too long")
            || message.contains("context window")
            || message.contains("maximum context length")
    }

    /// Whether a request with pictures may do without them: it was refused for them, or for no reason that is known to be
    /// another one.
    pub fn may_be_about_pictures(&self) -> bool {
        match self {
            Self::Status { status: 413, .. } => true,
            Self::Status { status: 400 | 422, .. } => !self.is_too_long(),
            _ => self.names_pictures(),
        }
    }

    /// Whether the provider says that it does not take the pictures of a request. Local servers say so with a status that
    /// is used of faults which mend: llama.cpp's "image input is not supported" is a 500.
    pub(crate) fn names_pictures(&self) -> bool {
        let (Self::Status { status: 400 | 404 | 413 | 415 | 422 | 500 | 501, message, .. }
        | Self::Reported { message, .. }) = self
        else {
            return false;
        };
        let message = message.to_ascii_lowercase();
        ["image", "multimodal", "mmproj"].iter().any(|word| message.contains(word))
    }

    /// Whether the request was refused for how hard it asks the model to think.
    pub(crate) fn is_about_effort(&self) -> bool {
        let Self::Status { status: 400 | 422, message, .. } = self else { return false };
        let message = message.to_ascii_lowercase();
        ["effort", "reasoning", "thinking"].iter().any(|word| message.contains(word))
    }

    pub fn is_cancelled(&self) -> bool {
        matches!(self, Self::Cancelled)
    }
}

fn in_brackets(kind: Option<&str>) -> String {
    kind.map(|kind| format!(" ({kind})")).unwrap_or_default()
}

fn advice(hint: Option<&str>) -> String {
    hint.map(|hint| format!(" — {hint}")).unwrap_or_default()
}

fn asked(wait: Option<Duration>) -> String {
    wait.map(|wait| format!(" — it asks to wait {} s", wait.as_secs_f64().ceil())).unwrap_or_default()
}
