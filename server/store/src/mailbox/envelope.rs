//! A message's file: the message, its seal, and fields of a later version, which survive.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use swarm_wire::mail::{Kind, Message, Protocol};

use crate::mailbox::name::FileName;
use crate::seal::Seal;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Envelope {
    #[serde(flatten)]
    pub(super) message: Message,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) seal: Option<Seal>,
}

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
        let envelope: Self = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        let message = &envelope.message;
        if message.id != name.message_id() {
            return Err(format!("its id `{}` is not its name", message.id));
        }
        if !message.from.eq_ignore_ascii_case(&name.sender) {
            return Err(format!("it says it is from `{}`", message.from));
        }
        Ok(envelope)
    }

    pub(super) fn content(&self) -> Content {
        match (self.message.kind, self.message.protocol()) {
            (Kind::Protocol, Some(Ok(protocol))) => Content::Protocol(Box::new(protocol)),
            (Kind::Protocol, Some(Err(error))) => Content::Opaque { why: error.to_string() },
            _ => Content::Text,
        }
    }
}

/// The same file with `read` set, every other field byte for byte.
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
