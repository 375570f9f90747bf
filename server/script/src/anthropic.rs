//! The Anthropic Messages API as a server speaks it, version 2023-06-01.

pub(crate) mod answer;
pub(crate) mod check;

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use serde_json::{Value, json};

use crate::format::Refused;

pub(crate) fn check_headers<'a>(header: &dyn Fn(&str) -> Option<&'a str>) -> Result<(), Refused> {
    let bearer = header("authorization").filter(|value| value.starts_with("Bearer "));
    if header("x-api-key").or(bearer).is_none_or(|key| key.trim().is_empty()) {
        return Err(Refused::new(401, "x-api-key header is required"));
    }
    if header("anthropic-version").is_none_or(|version| version.trim().is_empty()) {
        return Err(Refused::invalid("anthropic-version: header is required"));
    }
    Ok(())
}

pub(crate) fn error(kind: &str, message: &str) -> Value {
    json!({"type": "error", "error": {"type": kind, "message": message}})
}

/// Stands for the provider's signature: whoever changes the thinking no longer fits it.
fn signature(thinking: &str) -> String {
    let mut hasher = DefaultHasher::new();
    thinking.hash(&mut hasher);
    format!("script-{:016x}", hasher.finish())
}
