//! The Anthropic Messages API, version 2023-06-01.
//!
//! The format is that of the provider's reference for `POST /v1/messages` and of its page on streaming.

mod decode;
mod encode;

use reqwest::Url;
use reqwest::header::{HeaderMap, HeaderValue, InvalidHeaderValue};

use crate::config::ApiKey;
use crate::provider::{Decoder, Provider};
use crate::request::{Effort, Request};

#[derive(Debug)]
pub(crate) struct Anthropic;

impl Provider for Anthropic {
    fn endpoint(&self, base: &Url) -> Url {
        let mut url = base.clone();
        let path = base.path().trim_end_matches('/');
        // The format's own clients want the address without the version, but many are written with it.
        let path = path.strip_suffix("/v1").unwrap_or(path);
        url.set_path(&format!("{path}/v1/messages"));
        url
    }

    fn headers(&self, key: Option<&ApiKey>) -> Result<HeaderMap, InvalidHeaderValue> {
        let mut headers = HeaderMap::new();
        headers.insert("anthropic-version", HeaderValue::from_static("2023-06-01"));
        if let Some(key) = key {
            headers.insert("x-api-key", key.header("")?);
        }
        Ok(headers)
    }

    fn encode(&self, request: &Request, effort: Option<Effort>) -> Result<Vec<u8>, serde_json::Error> {
        encode::body(request, effort)
    }

    fn decoder(&self) -> Box<dyn Decoder> {
        Box::new(decode::Stream::default())
    }
}
