//! The Anthropic Messages API as a server speaks it, version 2023-06-01.

pub(crate) mod answer;
pub(crate) mod check;

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

pub(crate) fn kind_of(status: u16) -> &'static str {
    match status {
        401 => "authentication_error",
        402 => "billing_error",
        403 => "permission_error",
        404 => "not_found_error",
        413 => "request_too_large",
        429 => "rate_limit_error",
        504 => "timeout_error",
        529 => "overloaded_error",
        400..=499 => "invalid_request_error",
        _ => "api_error",
    }
}
