//! A prompt as it was written, byte by byte: what a provider's cache goes by.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::value::RawValue;

use crate::format::Refused;

/// The parts of a prompt, cache marks aside, in the order in which a provider reads them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Prompt {
    pub tools: String,
    pub system: String,
    pub messages: Vec<String>,
}

/// Where two prompts of one agent part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Parting {
    /// `tools`, `system`, or `messages.N`.
    pub part: String,
    /// How many bytes of the whole are the same before it.
    pub common: usize,
}

/// Takes the fields named out of a request that is known to be an object; one that is absent is empty.
pub(crate) fn read(body: &[u8], tools: &[&str], system: &[&str], messages: &str) -> Result<Prompt, Refused> {
    let unreadable = |error| Refused::invalid(format!("The request body is not valid JSON: {error}"));
    let fields: BTreeMap<String, &RawValue> = serde_json::from_slice(body).map_err(unreadable)?;
    let text = |names: &[&str]| {
        let raw = names.iter().filter_map(|name| fields.get(*name));
        raw.map(|raw| without_marks(raw.get())).collect::<Vec<_>>().join("\n")
    };
    let items: Vec<&RawValue> = match fields.get(messages) {
        Some(raw) if raw.get().starts_with('[') => serde_json::from_str(raw.get()).map_err(unreadable)?,
        Some(raw) => vec![raw],
        None => Vec::new(),
    };
    let messages = items.iter().map(|item| without_pictures(&without_marks(item.get()))).collect();
    Ok(Prompt { tools: text(tools), system: text(system), messages })
}

impl Prompt {
    pub(crate) fn len(&self) -> usize {
        self.tools.len() + self.system.len() + self.messages.iter().map(String::len).sum::<usize>()
    }

    /// Where `later` stops to begin with this prompt, or `None` where all of it stands in front of `later`.
    pub(crate) fn parting(&self, later: &Self) -> Option<Parting> {
        let parting = |part: String, common| Some(Parting { part, common });
        if self.tools != later.tools {
            return parting("tools".into(), same_bytes(&self.tools, &later.tools));
        }
        let mut common = self.tools.len();
        if self.system != later.system {
            return parting("system".into(), common + same_bytes(&self.system, &later.system));
        }
        common += self.system.len();
        for (index, message) in self.messages.iter().enumerate() {
            let is_last = index + 1 == self.messages.len();
            let counterpart = later.messages.get(index).map_or("", String::as_str);
            if message != counterpart && !(is_last && grows(message, counterpart)) {
                return parting(format!("messages.{index}"), common + same_bytes(message, counterpart));
            }
            common += message.len();
        }
        None
    }
}

/// Whether `later` is the message with more blocks behind its own, which leaves the prefix as it was.
fn grows(message: &str, later: &str) -> bool {
    message
        .strip_suffix("]}")
        .is_some_and(|open| later.strip_prefix(open).is_some_and(|rest| rest.starts_with(',')))
}

fn same_bytes(one: &str, other: &str) -> usize {
    one.bytes().zip(other.bytes()).take_while(|(one, other)| one == other).count()
}

/// Inside a JSON string its quotes would be escaped, so that only real marks are taken out.
fn without_marks(json: &str) -> String {
    let mark = r#""cache_control":{"type":"ephemeral"}"#;
    json.replace(&format!(",{mark}"), "").replace(&format!("{mark},"), "")
}

/// How much of a prompt a picture is, whatever its file: some 1500 tokens.
const OF_A_PICTURE: usize = 6000;

/// With a short text of its own in place of each picture's base64, as often as makes it as long as a picture counts.
fn without_pictures(json: &str) -> String {
    let begins = |text: &str| {
        let starts = ["\"data\":\"", ";base64,"];
        starts.iter().filter_map(|start| Some(text.find(start)? + start.len())).min()
    };
    let (mut shown, mut rest) = (String::new(), json);
    while let Some(begin) = begins(rest) {
        let (before, from) = rest.split_at(begin);
        let (picture, after) = from.split_at(from.find('"').unwrap_or(from.len()));
        let mut hasher = DefaultHasher::new();
        picture.hash(&mut hasher);
        let name = format!("{:016x}", hasher.finish());
        shown.push_str(before);
        shown.push_str(&if picture.len() > OF_A_PICTURE {
            name.repeat(OF_A_PICTURE / 16)
        } else {
            picture.to_owned()
        });
        rest = after;
    }
    shown + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prompt(body: &str) -> Prompt {
        read(body.as_bytes(), &["tools"], &["system"], "messages").unwrap()
    }

    fn parts_at(one: &str, other: &str) -> Option<String> {
        prompt(one).parting(&prompt(other)).map(|parting| parting.part)
    }

    #[test]
    fn a_prompt_that_only_grows_does_not_part() {
        let one = r#"{"tools":[1],"system":"s","messages":[{"role":"user","content":[{"a":1}]}]}"#;
        let more = [
            one,
            r#"{"tools":[1],"system":"s","messages":[{"role":"user","content":[{"a":1}]},{"b":2}]}"#,
            r#"{"tools":[1],"system":"s","messages":[{"role":"user","content":[{"a":1},{"c":3}]}]}"#,
            r#"{"tools":[1],"system":"s","messages":[{"role":"user","content":[{"a":1,"cache_control":{"type":"ephemeral"}}]}]}"#,
        ];
        for later in more {
            assert_eq!(parts_at(one, later), None, "{later}");
        }
    }

    #[test]
    fn a_picture_is_a_part_of_the_prompt_and_counts_as_one_whatever_its_file() {
        let with = |picture: &str| {
            let body =
                r#"{"messages":[{"content":[{"url":"data:image/png;base64,PICTURE"},{"data":"PICTURE"}]}]}"#;
            body.replace("PICTURE", picture)
        };
        let (one, other) = (with(&"a".repeat(400_000)), with(&"b".repeat(400_000)));
        assert_eq!(parts_at(&one, &one), None);
        assert_eq!(parts_at(&one, &other).as_deref(), Some("messages.0"));
        let length = prompt(&one).len();
        assert!((2 * OF_A_PICTURE..2 * OF_A_PICTURE + 200).contains(&length), "{length}");
    }

    #[test]
    fn any_other_change_is_found_at_its_place() {
        let one = r#"{"tools":[1],"system":"s","messages":[{"content":[1]},{"content":[2]}]}"#;
        let changed = [
            ("tools", r#"{"tools":[2],"system":"s","messages":[{"content":[1]},{"content":[2]}]}"#),
            ("tools", r#"{"tools":[ 1],"system":"s","messages":[{"content":[1]},{"content":[2]}]}"#),
            ("system", r#"{"tools":[1],"system":"t","messages":[{"content":[1]},{"content":[2]}]}"#),
            ("messages.0", r#"{"tools":[1],"system":"s","messages":[{"content":[1,1]},{"content":[2]}]}"#),
            ("messages.1", r#"{"tools":[1],"system":"s","messages":[{"content":[1]},{"content":[3]}]}"#),
            ("messages.1", r#"{"tools":[1],"system":"s","messages":[{"content":[1]}]}"#),
        ];
        for (part, later) in changed {
            assert_eq!(parts_at(one, later).as_deref(), Some(part), "{later}");
        }
    }

    #[test]
    fn a_mark_inside_a_text_is_text() {
        let json = r#"{"text":",\"cache_control\":{\"type\":\"ephemeral\"}"}"#;
        assert_eq!(without_marks(json), json);
    }
}
