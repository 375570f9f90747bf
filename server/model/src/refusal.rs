//! What an HTTP answer says that is no stream of an answer: the error in it, the wait it asks for, and what
//! the user can do.

use std::time::{Duration, SystemTime};

use reqwest::StatusCode;
use reqwest::header::{HeaderMap, RETRY_AFTER};
use serde_json::Value;

use crate::error::Error;

/// The most that is shown of a body that is no error object, in characters.
const LONGEST_EXCERPT: usize = 300;

pub(crate) fn read(
    host: &str,
    key_variable: &str,
    status: StatusCode,
    headers: &HeaderMap,
    body: &[u8],
    now: SystemTime,
) -> Error {
    let (kind, message) = error_in(body);
    Error::Status {
        host: host.to_owned(),
        status: status.as_u16(),
        hint: hint(status, kind.as_deref(), key_variable),
        kind,
        message: message
            .unwrap_or_else(|| status.canonical_reason().unwrap_or("no reason was given").to_owned()),
        retry_after: retry_after(headers, now),
    }
}

/// The start of a body as text, for a message.
pub(crate) fn excerpt(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    let mut words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((cut, _)) = words.char_indices().nth(LONGEST_EXCERPT) {
        words.truncate(cut);
        words.push('…');
    }
    words
}

/// Both families of formats put `{type, message, code?}` under `error`; some servers only a text.
fn error_in(body: &[u8]) -> (Option<String>, Option<String>) {
    let Ok(value) = serde_json::from_slice::<Value>(body) else {
        return (None, Some(excerpt(body)).filter(|text| !text.is_empty()));
    };
    let error = value.get("error").unwrap_or(&value);
    let word = |field: &str| error.get(field).and_then(Value::as_str).filter(|word| !word.is_empty());
    let message = word("message").or_else(|| error.as_str()).or_else(|| word("detail"));
    // A code is the more exact of the two where there is one.
    let kind = word("code").or_else(|| word("type"));
    (kind.map(Into::into), Some(message.map_or_else(|| excerpt(body), Into::into)))
}

fn hint(status: StatusCode, kind: Option<&str>, key_variable: &str) -> Option<String> {
    let hint = match (status.as_u16(), kind) {
        (_, Some("insufficient_quota" | "billing_error")) | (402, _) => {
            "the account needs credit; see the provider's billing page".into()
        }
        (401, _) => format!("check the key in {key_variable}, or the setting `apiKey`"),
        (403, _) => format!("the key in {key_variable}, or the setting `apiKey`, may not use this model"),
        (404, _) => "check the settings `model` and `baseUrl`".into(),
        (300..=399, _) => "the address has moved; set `baseUrl` to the new one".into(),
        _ => return None,
    };
    Some(hint)
}

/// Milliseconds (a header of some providers), seconds, or a date.
fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    let seconds = |text: &str, unit: f64| {
        let number: f64 = text.parse().ok()?;
        Duration::try_from_secs_f64(number / unit).ok()
    };
    if let Some(wait) = text("retry-after-ms").and_then(|text| seconds(text, 1000.0)) {
        return Some(wait);
    }
    let value = text(RETRY_AFTER.as_str())?;
    seconds(value, 1.0).or_else(|| {
        let date = httpdate::parse_http_date(value).ok()?;
        Some(date.duration_since(now).unwrap_or_default())
    })
}

#[cfg(test)]
mod tests;
