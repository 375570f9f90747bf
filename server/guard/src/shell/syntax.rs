//! From text to simple commands, by way of tree-sitter's grammar for bash. Walks without recursion.

use std::cell::RefCell;
use std::ops::ControlFlow;

use swarm_wire::permission::Level;
use tree_sitter::{Node, ParseOptions, ParseState, Parser, Tree};

use super::tokens::Tokens;
use super::word::Word;
use super::{Part, Place, What, hosts};

/// How often the parser may report progress before it is stopped: far more than any honest command takes.
const PROGRESS_MAX: u32 = 20_000;

/// What one text holds.
pub(super) struct Syntax {
    /// The words of each simple command with its assignments in front, in the order of their ends' lines.
    pub(super) commands: Vec<Vec<Word>>,
    pub(super) redirections: Vec<Part>,
    /// The first thing that keeps the reading from being certain.
    pub(super) doubt: Option<String>,
}

/// Reads one text.
pub(super) fn read(text: &str) -> Syntax {
    let mut reader = Reader {
        text,
        tokens: Tokens::new(text),
        syntax: Syntax { commands: Vec::new(), redirections: Vec::new(), doubt: None },
    };
    match parse(text) {
        Some(tree) => reader.walk(&tree),
        None => reader.doubt("it could not be read in reasonable time"),
    }
    let Reader { tokens, mut syntax, .. } = reader;
    syntax.doubt = syntax.doubt.or_else(|| tokens.finish().map(str::to_owned));
    syntax
}

fn parse(text: &str) -> Option<Tree> {
    thread_local! {
        static PARSER: RefCell<Option<Parser>> = RefCell::new(new_parser());
    }
    PARSER.with_borrow_mut(|parser| {
        let parser = parser.as_mut()?;
        parser.reset();
        let mut steps = 0;
        let mut progress = |_: &ParseState| {
            steps += 1;
            if steps > PROGRESS_MAX { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let options = ParseOptions::new().progress_callback(&mut progress);
        let bytes = text.as_bytes();
        parser.parse_with_options(&mut |at, _| bytes.get(at..).unwrap_or_default(), None, Some(options))
    })
}

fn new_parser() -> Option<Parser> {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_bash::LANGUAGE.into()).ok()?;
    Some(parser)
}

struct Reader<'t> {
    text: &'t str,
    tokens: Tokens<'t>,
    syntax: Syntax,
}

impl<'t> Reader<'t> {
    /// Looks at every node once, parents first.
    fn walk(&mut self, tree: &Tree) {
        let mut cursor = tree.walk();
        let mut parents: Vec<&str> = Vec::new();
        loop {
            let node = cursor.node();
            self.node(node, parents.last().copied().unwrap_or_default());
            if cursor.goto_first_child() {
                parents.push(node.kind());
                continue;
            }
            self.tokens.leaf(node, parents.last().copied().unwrap_or_default());
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return;
                }
                parents.pop();
            }
        }
    }

    fn node(&mut self, node: Node<'_>, parent: &str) {
        if node.is_error() || node.is_missing() {
            return self.doubt("it is not written as bash would read it");
        }
        if !node.is_named() {
            if node.kind() == "((" {
                self.doubt("it calculates, which can run commands");
            }
            return;
        }
        match node.kind() {
            "command" => self.command(node),
            "declaration_command" | "unset_command" => self.declaration(node),
            "variable_assignment" if !matches!(parent, "command" | "declaration_command") => {
                let words = vec![Word::read(self.source(node))];
                self.syntax.commands.push(words);
            }
            "file_redirect" => self.redirection(node),
            "for_statement" => {
                let name = node.child_by_field_name("variable").map(|name| self.source(name));
                if !name.is_some_and(super::command::harmless_name) {
                    self.doubt("it sets a variable that other programs may look at");
                }
            }
            "simple_expansion" | "string" | "command_substitution" | "process_substitution" => {}
            "expansion" => {
                let inner = self.source(node).trim_start_matches("${").trim_end_matches('}');
                let plain =
                    !inner.is_empty() && inner.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
                if !plain {
                    self.doubt("it expands a variable in a way that can run commands");
                }
            }
            "arithmetic_expansion" | "c_style_for_statement" | "subscript" => {
                self.doubt("it calculates, which can run commands");
            }
            "binary_expression" | "unary_expression" => self.test(node),
            "function_definition" => self.doubt("it defines a function"),
            "array" => self.doubt("it sets an array"),
            "ansi_c_string" | "translated_string" => self.doubt("it holds a string of coded characters"),
            "heredoc_redirect" => self.heredoc(node),
            kind if is_plain_structure(kind) => {}
            kind => self.doubt(format!("it uses `{}`, which is not looked into", kind.replace('_', " "))),
        }
    }

    fn command(&mut self, node: Node<'_>) {
        let mut words = Vec::new();
        let mut cursor = node.walk();
        for child in node.children(&mut cursor) {
            match child.kind() {
                "file_redirect" | "herestring_redirect" | "comment" => {}
                "subshell" | "=~" | "==" => self.doubt("it is not written as bash would read it"),
                _ => {
                    self.tokens.word(child);
                    words.push(Word::read(self.source(child)));
                }
            }
        }
        self.syntax.commands.push(words);
    }

    fn declaration(&mut self, node: Node<'_>) {
        let mut cursor = node.walk();
        let words = node.children(&mut cursor).map(|child| Word::read(self.source(child))).collect();
        self.syntax.commands.push(words);
    }

    fn redirection(&mut self, node: Node<'_>) {
        let mut cursor = node.walk();
        let mut operator = "";
        let mut targets = Vec::new();
        for child in node.children(&mut cursor) {
            match child.kind() {
                "file_descriptor" => {}
                _ if !child.is_named() => operator = child.kind(),
                _ => targets.push(child),
            }
        }
        // The grammar takes the words behind the target along; to bash they belong to the command.
        if targets.len() > 1 {
            self.doubt("words follow the target of a redirection");
        }
        let Some(target) = targets.first().copied() else { return };
        self.tokens.word(target);
        let word = Word::read(self.source(target));
        let source = self.source(node).to_owned();
        if let Some(part) = redirected(operator, &word, source) {
            self.syntax.redirections.push(part);
        }
    }

    /// `[[ a -eq b ]]` calculates, `-v` looks at subscripts, and both can run commands.
    fn test(&mut self, node: Node<'_>) {
        let operator = node.child_by_field_name("operator").map(|operator| self.source(operator));
        const HARMLESS: [&str; 21] = [
            "-a", "-d", "-e", "-f", "-h", "-L", "-n", "-r", "-s", "-S", "-w", "-x", "-z", "-p", "-b", "-c",
            "=", "==", "!=", "!", "&&",
        ];
        if !operator.is_some_and(|operator| HARMLESS.contains(&operator) || operator == "||") {
            self.doubt("it tests in a way that can run commands");
        }
    }

    fn heredoc(&mut self, node: Node<'_>) {
        let mut cursor = node.walk();
        for child in node.children(&mut cursor) {
            if !matches!(
                child.kind(),
                "<<" | "file_redirect" | "heredoc_start" | "heredoc_body" | "heredoc_end" | "\n"
            ) {
                self.doubt("words follow the start of a here-document");
            }
        }
    }

    fn source(&self, node: Node<'_>) -> &'t str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    fn doubt(&mut self, why: impl Into<String>) {
        if self.syntax.doubt.is_none() {
            self.syntax.doubt = Some(why.into());
        }
    }
}

/// The part that a redirection is; none when it touches no file.
fn redirected(operator: &str, target: &Word, source: String) -> Option<Part> {
    let is_number = target.known().is_some_and(|t| t.bytes().all(|b| b.is_ascii_digit() || b == b'-'));
    let place = match target.known() {
        Some("/dev/null" | "/dev/stdin" | "/dev/stdout" | "/dev/stderr") => return None,
        Some(path) if path.starts_with("/dev/fd/") => return None,
        Some(_) if operator.ends_with('&') && is_number => return None,
        Some(path) => Place::Known(path.to_owned()),
        None => Place::Unknown,
    };
    let mut part = Part {
        what: What::Redirection,
        words: vec![Word { source, ..target.clone() }],
        level: Level::ReadOnly,
        why: "it reads a file".to_owned(),
        reads: Vec::new(),
        writes: Vec::new(),
        hosts: Vec::new(),
    };
    if let Some(host) = place.known().and_then(hosts::of_device) {
        part.level = Level::LeavesMachine;
        part.why = format!("it connects to `{host}`");
        part.hosts.push(host);
    } else if operator == "<" {
        part.reads.push(place);
    } else {
        part.level = Level::ChangesFiles;
        part.why = match place.known() {
            Some(path) => format!("it writes `{path}`"),
            None => "it writes a file whose name only the run tells".to_owned(),
        };
        part.writes.push(place);
    }
    Some(part)
}

/// Nodes that only hold others, or tokens that [`Tokens`] checks.
fn is_plain_structure(kind: &str) -> bool {
    matches!(
        kind,
        "program"
            | "list"
            | "pipeline"
            | "subshell"
            | "compound_statement"
            | "if_statement"
            | "elif_clause"
            | "else_clause"
            | "while_statement"
            | "do_group"
            | "case_statement"
            | "case_item"
            | "negated_command"
            | "redirected_statement"
            | "herestring_redirect"
            | "test_command"
            | "parenthesized_expression"
            | "variable_assignment"
            | "variable_assignments"
            | "command_name"
            | "concatenation"
            | "word"
            | "number"
            | "raw_string"
            | "string_content"
            | "variable_name"
            | "special_variable_name"
            | "file_descriptor"
            | "test_operator"
            | "extglob_pattern"
            | "brace_expression"
            | "comment"
            | "heredoc_start"
            | "heredoc_body"
            | "heredoc_content"
            | "heredoc_end"
    )
}
