//! What a JSON Schema says of a type, as a language with records and unions can say it. Knows no language.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::Value;

/// A type by its name.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Type {
    pub(super) name: String,
    pub(super) doc: String,
    pub(super) shape: Shape,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Shape {
    Named(String),
    Text,
    Integer,
    Number,
    Bool,
    Null,
    /// Any JSON.
    Any,
    /// One text and no other.
    Word(String),
    List(Box<Shape>),
    /// Values by names that are not known beforehand.
    ByName(Box<Shape>),
    Record(Vec<Field>),
    OneOf(Vec<Case>),
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Field {
    pub(super) name: String,
    pub(super) doc: String,
    pub(super) optional: bool,
    pub(super) shape: Shape,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Case {
    pub(super) doc: String,
    pub(super) shape: Shape,
}

/// Types as they are written by one side and read by the other.
pub(super) struct Types(SchemaGenerator);

impl Types {
    /// Of what the server writes: a field that it always writes is always there.
    pub(super) fn written() -> Self {
        Self(SchemaSettings::draft2020_12().for_serialize().into_generator())
    }

    /// Of what the server reads: a field that it has a default for may be left out.
    pub(super) fn read() -> Self {
        Self(SchemaSettings::draft2020_12().for_deserialize().into_generator())
    }

    /// With this type, and those that it is made of.
    pub(super) fn with<T: JsonSchema>(mut self) -> Self {
        self.0.subschema_for::<T>();
        self
    }

    /// All of them, by name.
    pub(super) fn all(mut self) -> Vec<Type> {
        let named = self.0.take_definitions(true);
        let all = named.into_iter();
        all.map(|(name, schema)| Type { name, doc: doc_of(&schema), shape: shape_of(&schema) }).collect()
    }
}

/// What is said of a type or a field, in one line.
pub(super) fn doc_of(schema: &Value) -> String {
    let words = schema["description"].as_str().unwrap_or_default().split_whitespace();
    words.collect::<Vec<_>>().join(" ")
}

fn shape_of(schema: &Value) -> Shape {
    if let Some(reference) = schema["$ref"].as_str() {
        return Shape::Named(reference.rsplit('/').next().unwrap_or(reference).to_owned());
    }
    if let Some(word) = schema["const"].as_str() {
        return Shape::Word(word.to_owned());
    }
    if let Some(words) = schema["enum"].as_array() {
        return Shape::OneOf(words.iter().map(|word| plain(word_or_null(word))).collect());
    }
    if let Some(cases) = schema["oneOf"].as_array().or(schema["anyOf"].as_array()) {
        return Shape::OneOf(cases.iter().flat_map(|case| cases_of(schema, case)).collect());
    }
    match &schema["type"] {
        Value::Array(kinds) => {
            Shape::OneOf(kinds.iter().map(|kind| plain(shape_of_kind(kind, schema))).collect())
        }
        kind => shape_of_kind(kind, schema),
    }
}

fn shape_of_kind(kind: &Value, schema: &Value) -> Shape {
    match kind.as_str() {
        Some("string") => Shape::Text,
        Some("integer") => Shape::Integer,
        Some("number") => Shape::Number,
        Some("boolean") => Shape::Bool,
        Some("null") => Shape::Null,
        Some("array") => Shape::List(Box::new(shape_of(&schema["items"]))),
        Some("object") if schema["properties"].is_object() => Shape::Record(fields_of(schema)),
        Some("object") => Shape::ByName(Box::new(shape_of(&schema["additionalProperties"]))),
        Some(unknown) => panic!("no language here has the type `{unknown}`"),
        None => Shape::Any,
    }
}

/// The fields of a record: first those that are always there, in the order in which they were declared.
fn fields_of(schema: &Value) -> Vec<Field> {
    let Some(properties) = schema["properties"].as_object() else { return Vec::new() };
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let field = |name: &str, optional: bool| {
        let schema = &properties[name];
        let shape = if optional { without_null(shape_of(schema)) } else { shape_of(schema) };
        Field { name: name.to_owned(), doc: doc_of(schema), optional, shape }
    };
    let others = properties.keys().filter(|name| !required.contains(&name.as_str()));
    required.iter().map(|name| field(name, false)).chain(others.map(|name| field(name, true))).collect()
}

/// The cases that `case` stands for, each with the fields that `whole` has for all of them.
fn cases_of(whole: &Value, case: &Value) -> Vec<Case> {
    match (shape_of(case), fields_of(whole)) {
        // Words that nothing is said of are one case in a schema.
        (Shape::OneOf(cases), _) => cases,
        (Shape::Record(own), mut fields) => {
            fields.splice(0..0, own);
            fields.sort_by_key(|field| field.optional);
            vec![Case { doc: doc_of(case), shape: Shape::Record(fields) }]
        }
        (shape, _) => vec![Case { doc: doc_of(case), shape }],
    }
}

/// What may be left out need not be `null` too, though that is read the same.
fn without_null(shape: Shape) -> Shape {
    let Shape::OneOf(mut cases) = shape else { return shape };
    cases.retain(|case| case.shape != Shape::Null);
    if cases.len() == 1 { cases.remove(0).shape } else { Shape::OneOf(cases) }
}

fn word_or_null(word: &Value) -> Shape {
    word.as_str().map_or(Shape::Null, |word| Shape::Word(word.to_owned()))
}

fn plain(shape: Shape) -> Case {
    Case { doc: String::new(), shape }
}
