//! The reasoning in the chunks of an answer, put together so that it can be sent back as the server wants it.
//!
//! `reasoning_content` (DeepSeek, llama.cpp, vLLM) and `reasoning` (Ollama, OpenRouter) are texts;
//! `reasoning_details` (OpenRouter) is a list whose entries stream in pieces of the same index.

use serde_json::{Map, Value};

use crate::openai::chat::encode::REASONING_FIELDS;

/// Whichever of the fields came.
#[derive(Debug, Default)]
pub(super) struct Reasoning(Map<String, Value>);

/// The fields of an entry that stream; a later piece of any other replaces the earlier.
const STREAMED: [&str; 3] = ["text", "summary", "data"];

impl Reasoning {
    /// Takes the reasoning out of the fields of a chunk.
    pub(super) fn add(&mut self, mut fields: Map<String, Value>) {
        for field in REASONING_FIELDS {
            match fields.remove(field) {
                Some(Value::String(more)) => append(&mut self.0, field, more),
                Some(Value::Array(entries)) => {
                    let list = self.0.entry(field).or_insert_with(|| Value::Array(Vec::new()));
                    if let Value::Array(list) = list {
                        entries.into_iter().for_each(|entry| add_entry(list, entry));
                    }
                }
                _ => {}
            }
        }
    }

    /// All of it as one opaque item. The plain text is left out where the entries say the same.
    pub(super) fn item(&self) -> Option<Value> {
        let mut fields = self.0.clone();
        fields.retain(|_, value| !matches!(value, Value::String(text) if text.is_empty()));
        if fields.get("reasoning_details").and_then(Value::as_array).is_some_and(|list| !list.is_empty()) {
            fields.remove("reasoning");
        } else {
            fields.remove("reasoning_details");
        }
        (!fields.is_empty()).then_some(Value::Object(fields))
    }
}

fn add_entry(list: &mut Vec<Value>, entry: Value) {
    match (list.last_mut(), entry) {
        (Some(Value::Object(last)), Value::Object(more))
            if more.contains_key("index")
                && ["index", "type"].iter().all(|field| last.get(*field) == more.get(*field)) =>
        {
            for (field, value) in more {
                match value {
                    Value::String(piece) if STREAMED.contains(&field.as_str()) => append(last, &field, piece),
                    Value::Null => {}
                    value => drop(last.insert(field, value)),
                }
            }
        }
        (_, entry) => list.push(entry),
    }
}

fn append(fields: &mut Map<String, Value>, field: &str, more: String) {
    match fields.get_mut(field) {
        Some(Value::String(whole)) => whole.push_str(&more),
        _ => drop(fields.insert(field.to_owned(), Value::String(more))),
    }
}
