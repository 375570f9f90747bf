//! OpenAI Responses: `POST /v1/responses`, without anything stored at the provider.

mod decode;
mod encode;

use reqwest::Url;
use reqwest::header::{HeaderMap, InvalidHeaderValue};

use crate::config::ApiKey;
use crate::provider::{Decoder, Provider};
use crate::request::{Effort, Request};

#[derive(Debug)]
pub(crate) struct Responses;

impl Provider for Responses {
    fn endpoint(&self, base: &Url) -> Url {
        super::endpoint(base, "responses")
    }

    fn headers(&self, key: Option<&ApiKey>) -> Result<HeaderMap, InvalidHeaderValue> {
        super::headers(key)
    }

    fn encode(&self, request: &Request, effort: Option<Effort>) -> Result<Vec<u8>, serde_json::Error> {
        encode::body(request, effort)
    }

    fn decoder(&self) -> Box<dyn Decoder> {
        Box::new(decode::Stream::default())
    }
}
