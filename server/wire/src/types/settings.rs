//! The settings as a JSON Schema, and as VS Code's manifest lists them.

use std::borrow::Cow;

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema, schema_for};
use serde_json::{Map, Value, json};

use super::shape::doc_of;
use crate::settings::{BackendChoice, Settings};
use crate::team::BackendType;

/// How a setting is called in VS Code.
const PREFIX: &str = "swarm.";
/// Settings of the extension alone, which it lists itself.
const ITS_OWN: &str = "swarm.server.";
/// Is no setting in VS Code, whose settings are files: it has a storage for secrets.
const SECRET: &str = "apiKey";
/// Where the properties stand in the manifest, and where they end.
const BEGIN: &str = "      \"title\": \"Swarm\",\n      \"properties\": {\n";
const END: &str = "\n      }\n";

/// The schema of all settings.
pub(super) fn schema() -> Value {
    let generator = SchemaSettings::draft2020_12().for_deserialize().into_generator();
    let mut schema = generator.into_root_schema_for::<Settings>().to_value();
    in_one_line(&mut schema);
    schema
}

/// `manifest` with the settings as they are. A setting keeps its scope there; a new one is the machine's.
pub(super) fn manifest_with(manifest: &str) -> String {
    let parsed: Value = serde_json::from_str(manifest).expect("the manifest is JSON");
    let before = parsed["contributes"]["configuration"]["properties"].as_object().expect("it lists settings");
    let mut properties: Map<String, Value> = before
        .iter()
        .filter(|(name, _)| name.starts_with(ITS_OWN))
        .map(|(name, one)| (name.clone(), one.clone()))
        .collect();
    let schema = schema();
    for (name, setting) in schema["properties"].as_object().expect("there are settings") {
        if name == SECRET {
            continue;
        }
        let name = format!("{PREFIX}{name}");
        let mut property = property(setting, &schema["$defs"]);
        let scope = before.get(&name).and_then(|one| one.get("scope")).cloned();
        property.insert("scope".to_owned(), scope.unwrap_or_else(|| json!("machine")));
        properties.insert(name, property.into());
    }
    let (head, rest) = manifest.split_once(BEGIN).expect("the manifest has a place for the settings");
    let (_, tail) = rest.split_once(END).expect("the settings end");
    let text = serde_json::to_string_pretty(&properties).expect("the settings can be written");
    let lines: Vec<String> =
        text.lines().filter(|line| !matches!(*line, "{" | "}")).map(|line| format!("      {line}")).collect();
    format!("{head}{BEGIN}{}{END}{tail}", lines.join("\n"))
}

/// One setting as the settings page understands it: whole, and with its words in Markdown.
fn property(setting: &Value, named: &Value) -> Map<String, Value> {
    let mut property = whole(setting, named);
    property.remove("description");
    property.insert("markdownDescription".to_owned(), doc_of(setting).into());
    if property.get("default").is_some_and(Value::is_null) {
        property.remove("default");
    }
    property
}

/// A schema with what it names put in its place, without `null`, and with words to choose from as a list.
fn whole(schema: &Value, named: &Value) -> Map<String, Value> {
    let Some(fields) = schema.as_object() else { return Map::new() };
    let mut whole = Map::new();
    for (key, value) in fields {
        match key.as_str() {
            "$ref" => {
                let name = value.as_str().and_then(|path| path.rsplit('/').next()).unwrap_or_default();
                for (key, value) in self::whole(&named[name], named) {
                    whole.entry(key).or_insert(value);
                }
            }
            "oneOf" | "anyOf" => whole.extend(choice(value, named)),
            "type" => drop(whole.insert(key.clone(), without_null(value))),
            // How many bits a number has is nothing that a person sets.
            "format" => {}
            "properties" => {
                let each = value.as_object().into_iter().flatten();
                let each: Map<_, Value> =
                    each.map(|(name, one)| (name.clone(), self::whole(one, named).into())).collect();
                whole.insert(key.clone(), each.into());
            }
            "items" | "additionalProperties" if value.is_object() => {
                whole.insert(key.clone(), self::whole(value, named).into());
            }
            _ => drop(whole.insert(key.clone(), value.clone())),
        }
    }
    whole
}

/// One of some words, each with what is said of it; or whatever may be `null` besides.
fn choice(cases: &Value, named: &Value) -> Map<String, Value> {
    let cases = cases.as_array().into_iter().flatten();
    let mut cases: Vec<Map<String, Value>> =
        cases.filter(|case| case["type"] != "null").map(|case| whole(case, named)).collect();
    if let [_] = cases[..] {
        return cases.remove(0);
    }
    let (mut words, mut told) = (Vec::new(), Vec::new());
    for case in &cases {
        let listed = case.get("enum").and_then(Value::as_array);
        let own = case.get("const").cloned();
        let meanings = case.get("enumDescriptions").and_then(Value::as_array);
        for (index, word) in listed.into_iter().flatten().cloned().chain(own).enumerate() {
            let meaning = meanings.and_then(|all| all.get(index)).cloned();
            words.push(word);
            told.push(meaning.unwrap_or_else(|| doc_of(&case.clone().into()).into()));
        }
    }
    let mut choice =
        Map::from_iter([("type".to_owned(), json!("string")), ("enum".to_owned(), words.into())]);
    if told.iter().any(|one| *one != "") {
        choice.insert("enumDescriptions".to_owned(), told.into());
    }
    choice
}

fn without_null(kind: &Value) -> Value {
    let kinds = kind.as_array().into_iter().flatten().filter(|kind| **kind != "null");
    match kinds.collect::<Vec<_>>()[..] {
        [one] => one.clone(),
        _ => kind.clone(),
    }
}

/// Words as one line, wherever the source broke them.
fn in_one_line(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            for (key, value) in fields {
                match value {
                    Value::String(words) if key == "description" => {
                        *words = words.split_whitespace().collect::<Vec<_>>().join(" ");
                    }
                    _ => in_one_line(value),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(in_one_line),
        _ => {}
    }
}

impl JsonSchema for BackendChoice {
    fn schema_name() -> Cow<'static, str> {
        "BackendChoice".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let mut cases = vec![
            json!({"const": "auto", "description": "In a terminal that you look at, where there is one; else in the server."}),
        ];
        let kinds = schema_for!(BackendType).to_value();
        cases.extend(kinds["oneOf"].as_array().into_iter().flatten().cloned());
        json_schema!({"description": "How a teammate is to run.", "oneOf": cases})
    }
}
