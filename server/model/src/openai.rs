//! The two formats of OpenAI's API, which many other servers speak: Responses, and the older Chat Completions.
//!
//! Ollama, llama.cpp, vLLM, OpenRouter and DeepSeek speak Chat Completions, each with a few words of its own.

pub(crate) mod chat;
pub(crate) mod responses;

use reqwest::Url;
use reqwest::header::{AUTHORIZATION, HeaderMap, InvalidHeaderValue};
use serde_json::{Map, Value};

use crate::config::ApiKey;

/// An address is given with its version, as in `http://127.0.0.1:11434/v1`; one without a path gets it.
fn endpoint(base: &Url, method: &str) -> Url {
    let mut url = base.clone();
    let path = base.path().trim_end_matches('/');
    let path = if path.is_empty() { "/v1" } else { path };
    url.set_path(&format!("{path}/{method}"));
    url
}

fn headers(key: Option<&ApiKey>) -> Result<HeaderMap, InvalidHeaderValue> {
    let mut headers = HeaderMap::new();
    if let Some(key) = key {
        headers.insert(AUTHORIZATION, key.header("Bearer ")?);
    }
    Ok(headers)
}

/// These formats have no field for a failed call, so its result says it.
fn result_text(content: &str, is_error: bool) -> String {
    if is_error { format!("Error: {content}") } else { content.to_owned() }
}

/// The input of a call out of the text in which it streamed; a tool without input may stream none.
fn call_input(arguments: &str) -> Result<Map<String, Value>, serde_json::Error> {
    if arguments.trim().is_empty() { Ok(Map::new()) } else { serde_json::from_str(arguments) }
}
