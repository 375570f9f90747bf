//! The types as TypeScript has them.

use super::shape::{Field, Shape, Type};

/// The widest line.
const WIDTH: usize = 110;

/// A module of the types, below these lines at its head.
pub(super) fn module(head: &[String], types: &[Type]) -> String {
    let mut text: String = head.iter().map(|line| format!("// {line}\n")).collect();
    for each in types {
        text += "\n";
        text += &doc("", &each.doc);
        text += &declaration(each);
    }
    text
}

fn declaration(each: &Type) -> String {
    let name = &each.name;
    match &each.shape {
        Shape::Record(fields) if fields.is_empty() => {
            format!("export type {name} = Record<string, never>;\n")
        }
        Shape::Record(fields) => {
            let lines: String = fields
                .iter()
                .map(|field| doc("  ", &field.doc) + &format!("  {};\n", member(field)))
                .collect();
            format!("export interface {name} {{\n{lines}}}\n")
        }
        Shape::OneOf(cases) => {
            let short = format!("export type {name} = {};\n", expression(&each.shape));
            if short.len() <= WIDTH && cases.iter().all(|case| case.doc.is_empty()) {
                return short;
            }
            let lines: Vec<String> =
                cases.iter().map(|case| doc("  ", &case.doc) + &case_line(&case.shape)).collect();
            format!("export type {name} =\n{};\n", lines.join("\n"))
        }
        shape => format!("export type {name} = {};\n", expression(shape)),
    }
}

fn case_line(shape: &Shape) -> String {
    let line = format!("  | {}", expression(shape));
    match shape {
        Shape::Record(fields) if line.len() > WIDTH || fields.iter().any(|field| !field.doc.is_empty()) => {
            let lines: String = fields
                .iter()
                .map(|field| doc("      ", &field.doc) + &format!("      {};\n", member(field)))
                .collect();
            format!("  | {{\n{lines}    }}")
        }
        _ => line,
    }
}

fn member(field: &Field) -> String {
    let mark = if field.optional { "?" } else { "" };
    format!("{}{mark}: {}", field.name, expression(&field.shape))
}

fn expression(shape: &Shape) -> String {
    match shape {
        Shape::Named(name) => name.clone(),
        Shape::Text => "string".to_owned(),
        Shape::Integer | Shape::Number => "number".to_owned(),
        Shape::Bool => "boolean".to_owned(),
        Shape::Null => "null".to_owned(),
        Shape::Any => "unknown".to_owned(),
        Shape::Word(word) => format!("\"{word}\""),
        Shape::List(item) => match **item {
            Shape::OneOf(_) => format!("({})[]", expression(item)),
            _ => format!("{}[]", expression(item)),
        },
        Shape::ByName(value) => format!("Record<string, {}>", expression(value)),
        Shape::Record(fields) => {
            let members: Vec<String> = fields.iter().map(member).collect();
            format!("{{ {} }}", members.join("; "))
        }
        Shape::OneOf(cases) => {
            let cases: Vec<String> = cases.iter().map(|case| expression(&case.shape)).collect();
            cases.join(" | ")
        }
    }
}

/// A comment on what follows; none where nothing is said.
fn doc(indent: &str, words: &str) -> String {
    let line = format!("{indent}/** {words} */\n");
    if words.is_empty() {
        String::new()
    } else if line.len() <= WIDTH {
        line
    } else {
        let lines = super::wrapped(words, WIDTH - indent.len() - " * ".len());
        let lines: String = lines.iter().map(|line| format!("{indent} * {line}\n")).collect();
        format!("{indent}/**\n{lines}{indent} */\n")
    }
}
