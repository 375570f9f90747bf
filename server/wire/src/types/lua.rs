//! The types as annotations that Lua's language server reads.

use super::shape::{Case, Field, Shape, Type};

/// The widest line.
const WIDTH: usize = 110;

/// A file of annotations, below these lines at its head. It holds no code.
pub(super) fn module(head: &[String], types: &[Type]) -> String {
    let mut text = "--- @meta swarm.types\n".to_owned();
    text.extend(head.iter().map(|line| format!("--- {line}\n")));
    for each in types {
        text += "\n";
        match &each.shape {
            Shape::Record(fields) => text += &class(&each.name, &each.doc, fields),
            Shape::OneOf(cases) if cases.iter().any(|case| matches!(case.shape, Shape::Record(_))) => {
                text += &union(each, cases);
            }
            Shape::OneOf(cases) => {
                let lines: String =
                    cases.iter().map(|case| alternative(&expression(&case.shape), &case.doc)).collect();
                text += &format!("{}--- @alias swarm.{}\n{lines}", doc(&each.doc), each.name);
            }
            shape => {
                text += &format!("{}--- @alias swarm.{} {}\n", doc(&each.doc), each.name, expression(shape))
            }
        }
    }
    text
}

fn class(name: &str, words: &str, fields: &[Field]) -> String {
    let fields: String = fields.iter().map(|field| doc(&field.doc) + &member(field)).collect();
    format!("{}--- @class swarm.{name}\n{fields}", doc(words))
}

/// A class for each case, and a name for any of them.
fn union(each: &Type, cases: &[Case]) -> String {
    let mut classes = String::new();
    let mut names = String::new();
    for case in cases {
        let Shape::Record(fields) = &case.shape else {
            panic!("{} has cases of more than one sort", each.name)
        };
        let word = fields.iter().find_map(|field| match &field.shape {
            Shape::Word(word) => Some(word),
            _ => None,
        });
        let word = word.unwrap_or_else(|| panic!("a case of {} has no word that tells it", each.name));
        let name = format!("{}.{}", each.name, capitals(word));
        classes += &format!("{}\n", class(&name, &case.doc, fields));
        names += &alternative(&format!("swarm.{name}"), "");
    }
    format!("{classes}{}--- @alias swarm.{}\n{names}", doc(&each.doc), each.name)
}

fn alternative(expression: &str, words: &str) -> String {
    if words.is_empty() { format!("--- | {expression}\n") } else { format!("--- | {expression} # {words}\n") }
}

fn member(field: &Field) -> String {
    let mark = if field.optional { "?" } else { "" };
    // A word of the language is no name.
    let name = if field.name == "end" { "[\"end\"]" } else { &field.name };
    format!("--- @field {name}{mark} {}\n", expression(&field.shape))
}

fn expression(shape: &Shape) -> String {
    match shape {
        Shape::Named(name) => format!("swarm.{name}"),
        Shape::Text => "string".to_owned(),
        Shape::Integer => "integer".to_owned(),
        Shape::Number => "number".to_owned(),
        Shape::Bool => "boolean".to_owned(),
        Shape::Null => "nil".to_owned(),
        Shape::Any => "any".to_owned(),
        Shape::Word(word) => format!("\"{word}\""),
        Shape::List(item) => match **item {
            Shape::OneOf(_) => format!("({})[]", expression(item)),
            _ => format!("{}[]", expression(item)),
        },
        Shape::ByName(value) => format!("table<string, {}>", expression(value)),
        Shape::Record(_) => panic!("a record in a record has no name: give it one in Rust"),
        Shape::OneOf(cases) => {
            let cases: Vec<String> = cases.iter().map(|case| expression(&case.shape)).collect();
            cases.join("|")
        }
    }
}

/// `tool_use` as `ToolUse`.
fn capitals(word: &str) -> String {
    let parts = word.split('_').filter_map(|part| part.split_at_checked(1));
    parts.map(|(first, rest)| first.to_uppercase() + rest).collect()
}

/// Lines on what follows; none where nothing is said.
fn doc(words: &str) -> String {
    let lines = super::wrapped(words, WIDTH - "--- ".len());
    lines.iter().map(|line| format!("--- {line}\n")).collect()
}
