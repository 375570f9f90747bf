//! The fields of a request, and the words for one that is missing or of another kind.

use serde_json::{Map, Value};

use crate::format::Refused;

/// The fields of a body.
pub(crate) fn object(body: &[u8]) -> Result<Map<String, Value>, Refused> {
    // Says no to bytes that are not UTF-8, and to half of a surrogate pair.
    let value: Value = serde_json::from_slice(body)
        .map_err(|error| Refused::invalid(format!("The request body is not valid JSON: {error}")))?;
    match value {
        Value::Object(fields) => Ok(fields),
        _ => Err(Refused::invalid("The request body is not an object")),
    }
}

/// # Errors
/// Names the first field that is none of `known`.
pub(crate) fn only(request: &Map<String, Value>, known: &[&str]) -> Result<(), Refused> {
    match request.keys().find(|field| !known.contains(&field.as_str())) {
        Some(field) => Err(Refused::invalid(format!("{field}: is no field of a request"))),
        None => Ok(()),
    }
}

pub(crate) fn model(request: &Map<String, Value>) -> Result<&str, Refused> {
    let model = request.get("model").and_then(Value::as_str).filter(|model| !model.is_empty());
    model.ok_or_else(|| Refused::invalid("model: is missing"))
}

/// A limit of tokens, if there is one.
pub(crate) fn limit(request: &Map<String, Value>, field: &str, least: u64) -> Result<Option<u64>, Refused> {
    match request.get(field).map(Value::as_u64) {
        None => Ok(None),
        Some(Some(limit)) if limit >= least => Ok(Some(limit)),
        Some(_) => Err(Refused::invalid(format!("{field}: must be at least {least}"))),
    }
}

pub(crate) fn is_set(request: &Map<String, Value>, field: &str) -> bool {
    request.get(field).and_then(Value::as_bool).unwrap_or(false)
}

pub(crate) fn array<'a>(value: Option<&'a Value>, at: &str) -> Result<&'a [Value], Refused> {
    match value {
        Some(Value::Array(items)) => Ok(items),
        Some(_) => Err(Refused::invalid(format!("{at}: must be a list"))),
        None => Err(Refused::invalid(format!("{at}: is missing"))),
    }
}

pub(crate) fn string<'a>(value: &'a Value, field: &str, at: &str) -> Result<&'a str, Refused> {
    value
        .get(field)
        .and_then(Value::as_str)
        .ok_or_else(|| Refused::invalid(format!("{at}.{field}: must be a string")))
}

/// A tool's name and the id of a call: nothing but letters, digits, `_` and `-`.
pub(crate) fn is_plain(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte))
}
