//! Tells what a message is before the library sees it, so that the library sees only what it can read:
//! its reader ends at the first message that it cannot.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::lsp::{ErrorCode, Request};

/// The request that stands for a message that was refused: the service answers it with its own params.
pub(crate) const REFUSED: &str = "$/swarm/refused";

/// A message, by where it goes.
#[derive(Debug)]
pub(crate) enum Incoming {
    /// A message that the library can read, or a refusal that stands for it.
    Forward(Vec<u8>),
    Shutdown(Vec<u8>),
    Exit,
}

/// Read as the library reads a message, by way of a buffer: what passes here passes there.
#[derive(Deserialize)]
#[serde(untagged)]
enum Readable {
    Request(Request),
}

/// Sorts one message body.
pub(crate) fn sort(body: Vec<u8>) -> Incoming {
    match serde_json::from_slice::<Readable>(&body) {
        Ok(Readable::Request(request)) if request.method().is_empty() => answer_or_refusal(&body),
        Ok(Readable::Request(request)) => match (request.method(), request.id()) {
            ("exit", None) => Incoming::Exit,
            ("shutdown", Some(_)) => Incoming::Shutdown(body),
            _ => Incoming::Forward(body),
        },
        Err(error) if error.is_data() => match serde_json::from_slice(&body) {
            Ok(Value::Array(_)) => refuse(None, ErrorCode::InvalidRequest, "LSP has no batches"),
            Ok(Value::Object(fields)) if is_answer(&fields) => answer_or_refusal(&body),
            Ok(Value::Object(fields)) => {
                refuse(fields.get("id"), ErrorCode::InvalidRequest, "the message is no JSON-RPC 2.0 request")
            }
            _ => refuse(None, ErrorCode::InvalidRequest, "the message is no JSON object"),
        },
        Err(error) => refuse(None, ErrorCode::ParseError, &format!("the message is no JSON: {error}")),
    }
}

/// The body of a request that the service answers with this error.
pub(crate) fn refusal(id: Option<&Value>, code: ErrorCode, problem: &str) -> Vec<u8> {
    // An id that JSON-RPC does not know cannot be answered to.
    let id = id.filter(|id| id.is_string() || id.is_i64()).cloned().unwrap_or(Value::Null);
    let params = json!({ "code": code.code(), "message": problem });
    json!({ "jsonrpc": "2.0", "id": id, "method": REFUSED, "params": params }).to_string().into_bytes()
}

/// The id to answer to and the error that [`refusal`] put into a request's params.
pub(crate) fn refused(params: Option<&Value>) -> (ErrorCode, String) {
    let code = params.and_then(|params| params.get("code")).and_then(Value::as_i64);
    let text = params.and_then(|params| params.get("message")).and_then(Value::as_str);
    (code.map_or(ErrorCode::InvalidRequest, ErrorCode::from), text.unwrap_or("invalid request").to_owned())
}

fn refuse(id: Option<&Value>, code: ErrorCode, problem: &str) -> Incoming {
    Incoming::Forward(refusal(id, code, problem))
}

fn is_answer(fields: &serde_json::Map<String, Value>) -> bool {
    !fields.contains_key("method") && (fields.contains_key("result") || fields.contains_key("error"))
}

/// A message without a method: an answer, spelled anew since the library takes no field too many.
fn answer_or_refusal(body: &[u8]) -> Incoming {
    let fields = match serde_json::from_slice(body) {
        Ok(Value::Object(fields)) => fields,
        _ => return refuse(None, ErrorCode::InvalidRequest, "the message has no method"),
    };
    if !is_answer(&fields) {
        return refuse(fields.get("id"), ErrorCode::InvalidRequest, "the message has no method");
    }
    // Ours are numbers; any other id is of no request.
    let id = fields.get("id").and_then(Value::as_i64);
    let answer = match fields.get("error") {
        Some(error) if !error.is_null() => {
            let code = error.get("code").and_then(Value::as_i64).unwrap_or_default();
            let text = error.get("message").and_then(Value::as_str).unwrap_or("an error without words");
            json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": text } })
        }
        _ => json!({ "jsonrpc": "2.0", "id": id, "result": fields.get("result") }),
    };
    Incoming::Forward(answer.to_string().into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(body: &str) -> String {
        match sort(body.as_bytes().to_vec()) {
            Incoming::Forward(body) => String::from_utf8(body).unwrap(),
            Incoming::Shutdown(_) => "shutdown".into(),
            Incoming::Exit => "exit".into(),
        }
    }

    #[test]
    fn a_request_is_forwarded_byte_for_byte() {
        let request = r#"{"jsonrpc":"2.0", "id":1,"method":"x","params":{"a":1}}"#;
        assert_eq!(sorted(request), request);
    }

    #[test]
    fn exit_and_shutdown_are_seen() {
        assert_eq!(sorted(r#"{"jsonrpc":"2.0","method":"exit"}"#), "exit");
        assert_eq!(sorted(r#"{"jsonrpc":"2.0","method":"exit","params":null}"#), "exit");
        assert_eq!(sorted(r#"{"jsonrpc":"2.0","id":2,"method":"shutdown"}"#), "shutdown");
    }

    #[test]
    fn what_the_library_cannot_read_is_refused_with_its_id() {
        for (body, code, id) in [
            ("{bad}", -32700, "null"),
            ("", -32700, "null"),
            ("\u{feff}{}", -32700, "null"),
            ("[]", -32600, "null"),
            ("42", -32600, "null"),
            (r#"{"jsonrpc":"1.0","id":7,"method":"x"}"#, -32600, "7"),
            (r#"{"jsonrpc":"2.0","id":1.5,"method":"x"}"#, -32600, "null"),
            (r#"{"jsonrpc":"2.0","id":"a","method":5}"#, -32600, "\"a\""),
            (r#"{"jsonrpc":"2.0","id":1,"method":"x","method":"y"}"#, -32600, "1"),
            (r#"{"jsonrpc":"2.0","id":3}"#, -32600, "3"),
            (r#"{"jsonrpc":"2.0","id":3,"method":"x","params":"\ud800"}"#, -32700, "null"),
        ] {
            let refusal = sorted(body);
            assert!(refusal.contains(REFUSED), "{body}: {refusal}");
            assert!(refusal.contains(&format!("\"code\":{code}")), "{body}: {refusal}");
            assert!(refusal.contains(&format!("\"id\":{id},")), "{body}: {refusal}");
        }
        let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
        assert!(sorted(&deep).contains("-32700"));
    }

    #[test]
    fn an_answer_is_read_however_a_client_spells_it() {
        let answer = |body: &str| serde_json::from_str::<Value>(&sorted(body)).unwrap();
        let right = |id: Value, result: Value| json!({ "jsonrpc": "2.0", "id": id, "result": result });
        assert_eq!(answer(r#"{"jsonrpc":"2.0","id":4,"result":null}"#), right(json!(4), Value::Null));
        assert_eq!(answer(r#"{"jsonrpc":"2.0","id":"4","result":1}"#), right(Value::Null, json!(1)));
        let wrong =
            |code, text| json!({ "jsonrpc": "2.0", "id": 4, "error": { "code": code, "message": text } });
        let extra = r#"{"jsonrpc":"2.0","id":4,"error":{"code":-1,"message":"no","extra":1}}"#;
        assert_eq!(answer(extra), wrong(-1, "no"));
        let both = r#"{"jsonrpc":"2.0","id":4,"result":null,"error":{"code":-2,"message":"no"}}"#;
        assert_eq!(answer(both), wrong(-2, "no"));
        assert_eq!(answer(r#"{"id":4,"error":"no","jsonrpc":"2.0"}"#), wrong(0, "an error without words"));
    }
}
