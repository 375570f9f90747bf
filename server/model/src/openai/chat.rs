//! Chat Completions: `POST /v1/chat/completions`, the format that most local and hosted servers speak.

mod decode;
mod encode;

use reqwest::Url;
use reqwest::header::{HeaderMap, InvalidHeaderValue};

use crate::config::ApiKey;
use crate::provider::{Decoder, Provider};
use crate::request::{Effort, Request};

#[derive(Debug)]
pub(crate) struct Chat {
    /// The format's owner renamed a field that the others know by its old name.
    limit_field: LimitField,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LimitField {
    MaxTokens,
    MaxCompletionTokens,
}

impl Chat {
    /// `base_url` is where the requests will go; it need not be valid.
    pub(crate) fn at(base_url: &str) -> Self {
        let is_owner = Url::parse(base_url.trim()).is_ok_and(|url| url.host_str() == Some("api.openai.com"));
        let limit_field = if is_owner { LimitField::MaxCompletionTokens } else { LimitField::MaxTokens };
        Self { limit_field }
    }
}

impl Provider for Chat {
    fn endpoint(&self, base: &Url) -> Url {
        super::endpoint(base, "chat/completions")
    }

    fn headers(&self, key: Option<&ApiKey>) -> Result<HeaderMap, InvalidHeaderValue> {
        super::headers(key)
    }

    fn encode(&self, request: &Request, effort: Option<Effort>) -> Result<Vec<u8>, serde_json::Error> {
        encode::body(request, effort, self.limit_field)
    }

    fn decoder(&self) -> Box<dyn Decoder> {
        Box::new(decode::Stream::default())
    }
}
