//! A message's file: the message, its seal, and fields of a later version, which survive.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use swarm_wire::MessageId;
use swarm_wire::mail::{Kind, Message, Protocol};

use crate::mailbox::name::FileName;
use crate::seal::Seal;

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Envelope {
    pub(super) message: Message,
    pub(super) seal: Option<Seal>,
}

/// The file as it is written. `read` comes first, so that it lies at a known place within one disk sector.
#[derive(Serialize, Deserialize)]
struct Form {
    #[serde(default)]
    read: bool,
    id: MessageId,
    from: String,
    text: String,
    timestamp: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    color: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    summary: Option<String>,
    kind: Kind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    seal: Option<Seal>,
}

/// How every file begins that [`Envelope::into_bytes`] wrote for an unread message.
const UNREAD: &[u8] = br#"{"read":false,"#;
/// The same length, read.
const READ: &[u8] = br#"{"read":true ,"#;

/// What the text of a message is.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// Free text; never parsed.
    Text,
    Protocol(Box<Protocol>),
    /// A protocol message of a type or shape that this version does not know.
    Opaque {
        why: String,
    },
}

impl Envelope {
    /// Parses a file that must hold the message that its name says.
    pub(super) fn parse(name: &FileName, bytes: &[u8]) -> Result<Self, String> {
        if bytes.is_empty() {
            return Err("it is empty".to_owned());
        }
        let form: Form = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        let Form { read, id, from, text, timestamp, color, summary, kind, seal } = form;
        let message = Message { id, from, text, timestamp, color, summary, read, kind };
        if message.id != name.message_id() {
            return Err(format!("its id `{}` is not its name", message.id));
        }
        if !message.from.eq_ignore_ascii_case(&name.sender) {
            return Err(format!("it says it is from `{}`", message.from));
        }
        Ok(Self { message, seal })
    }

    pub(super) fn into_bytes(self) -> serde_json::Result<Vec<u8>> {
        let Self { message: Message { id, from, text, timestamp, color, summary, read, kind }, seal } = self;
        serde_json::to_vec(&Form { read, id, from, text, timestamp, color, summary, kind, seal })
    }

    pub(super) fn content(&self) -> Content {
        match (self.message.kind, self.message.protocol()) {
            (Kind::Protocol, Some(Ok(protocol))) => Content::Protocol(Box::new(protocol)),
            (Kind::Protocol, Some(Err(error))) => Content::Opaque { why: error.to_string() },
            _ => Content::Text,
        }
    }
}

/// Sets `read` in an unread message's file, if it is one of ours; `false` where nothing was done.
///
/// Five bytes of one sector change in place, so whoever looks sees the one or the other.
pub(super) fn mark_read_in_place(file: &File) -> io::Result<bool> {
    let mut head = [0; UNREAD.len()];
    let length = file.read_at(&mut head, 0)?;
    if head == READ {
        return Ok(true);
    }
    if length < UNREAD.len() || head != UNREAD {
        return Ok(false);
    }
    file.write_all_at(READ, 0).map(|()| true)
}

/// Any message's file with `read` set, every other field byte for byte.
pub(super) fn marked_read(bytes: &[u8]) -> serde_json::Result<Vec<u8>> {
    let mut fields: BTreeMap<String, Box<RawValue>> = serde_json::from_slice(bytes)?;
    fields.insert("read".to_owned(), RawValue::from_string("true".to_owned())?);
    serde_json::to_vec(&fields)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_a_later_version_survive_the_acknowledgement() {
        let bytes =
            br#"{"id":"1.1.user","read":false,"later":{"b":1.50,"a":123456789012345678901234567890}}"#;
        let marked = String::from_utf8(marked_read(bytes).unwrap()).unwrap();
        assert!(marked.contains(r#""later":{"b":1.50,"a":123456789012345678901234567890}"#), "{marked}");
        assert!(marked.contains(r#""read":true"#) && !marked.contains("false"), "{marked}");
    }
}
