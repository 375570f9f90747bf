//! Messages with their headers, as bytes.

use std::io::{BufRead, Read};

use serde_json::Value;

/// The bytes of a message.
pub(crate) fn frame(message: &Value) -> Vec<u8> {
    let body = message.to_string();
    format!("Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

/// The next message; `None` at the end of the stream. Anything but a message is a fault of the server.
pub(crate) fn read(stream: &mut impl BufRead) -> Option<Value> {
    let mut length = None;
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).ok()? == 0 {
            return None;
        }
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        let Some((name, value)) = line.split_once(": ") else { panic!("not LSP on stdout: {line:?}") };
        if name == "Content-Length" {
            length = value.parse::<u64>().ok();
        }
    }
    let length = length.unwrap_or_else(|| panic!("a header without Content-Length"));
    let mut body = Vec::new();
    stream.take(length).read_to_end(&mut body).ok()?;
    match serde_json::from_slice(&body) {
        Ok(message) => Some(message),
        Err(error) => panic!("not JSON on stdout: {error}: {}", String::from_utf8_lossy(&body)),
    }
}
