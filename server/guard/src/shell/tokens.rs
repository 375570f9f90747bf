//! Whether bash, too, reads the tokens that the grammar found.
//!
//! The grammar is not bash: where the two part, a command could hide from the reading. So every token is held
//! against what bash's own lexer does from its first byte on, and between two tokens nothing but blanks may
//! stand. If each token holds and the last one ended where the next begins, both have read the same text.

use tree_sitter::Node;

pub(super) struct Tokens<'t> {
    text: &'t str,
    /// Where the last token ended.
    end: usize,
    doubt: Option<&'static str>,
    heredoc: Option<Heredoc<'t>>,
}

/// A here-document whose body is still to come.
struct Heredoc<'t> {
    delimiter: &'t str,
    quoted: bool,
    /// Where its last line must stand, as bash looks for it.
    ends_at: Option<usize>,
}

const UNLIKE: &str = "bash may read it otherwise than it looks";

impl<'t> Tokens<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, end: 0, doubt: None, heredoc: None }
    }

    /// The first token that did not hold.
    pub(super) fn finish(mut self) -> Option<&'static str> {
        let rest = self.text.get(self.end..).unwrap_or_default();
        self.require(is_blank(rest) && self.heredoc.is_none());
        self.doubt
    }

    /// The next node without children, in the order of the text.
    pub(super) fn leaf(&mut self, node: Node<'_>, parent: &str) {
        let (gap, token) = (
            self.text.get(self.end..node.start_byte()),
            self.text.get(node.byte_range()).unwrap_or_default(),
        );
        if token.is_empty() && node.kind() != "heredoc_body" {
            return;
        }
        self.end = node.end_byte().max(self.end);
        let in_string = matches!(parent, "string" | "heredoc_body");
        let Some(gap) = gap else { return self.require(false) };
        self.require(is_blank(gap));
        let apart = !gap.is_empty() || in_string;
        let holds = match node.kind() {
            "comment" => !in_string && self.comment_starts(node.start_byte()) && !token.contains('\n'),
            "raw_string" => is_enclosed(token, '\'') && !in_string,
            "string_content" => is_string_content(token),
            "word"
            | "number"
            | "variable_name"
            | "special_variable_name"
            | "file_descriptor"
            | "test_operator"
            | "extglob_pattern" => {
                is_plain(token) && !(apart && token.starts_with('#') && parent != "simple_expansion")
            }
            "heredoc_start" => self.heredoc_start(token, node.end_byte()),
            "heredoc_body" | "heredoc_content" => self.heredoc_text(token),
            "heredoc_end" => self.heredoc_end(token, node.start_byte()),
            "\n" => !in_string,
            kind => !node.is_named() && kind == token && is_operator(kind),
        };
        self.require(holds);
    }

    /// A whole word of a command: bash must not find more of it on either side.
    pub(super) fn word(&mut self, node: Node<'_>) {
        let before = self.text.get(..node.start_byte()).and_then(|text| text.chars().next_back());
        let after = self.text.get(node.end_byte()..).and_then(|text| text.chars().next());
        let ends = |c: Option<char>| c.is_none_or(|c| c.is_ascii_whitespace() || "|&;()<>`".contains(c));
        let continued = self.text.get(node.end_byte()..).is_some_and(|text| text.starts_with("\\\n"));
        let escaped = before.is_some_and(char::is_whitespace)
            && self.text.get(..node.start_byte()).is_some_and(|text| {
                let blank = text.len() - before.map_or(0, char::len_utf8);
                text.as_bytes().get(..blank).is_some_and(|text| text.ends_with(b"\\")) && before != Some('\n')
            });
        self.require(ends(before) && (ends(after) && !continued) && !escaped);
    }

    fn comment_starts(&self, at: usize) -> bool {
        let before = self.text.get(..at).unwrap_or_default();
        let mut chars = before.chars().rev();
        match chars.next() {
            None | Some('\n' | ';' | '|' | '&' | '(' | ')') => true,
            Some(' ' | '\t') => chars.next() != Some('\\'),
            Some(_) => false,
        }
    }

    fn heredoc_start(&mut self, token: &'t str, at: usize) -> bool {
        let bare = token.trim_matches(['\'', '"']);
        let quoted = bare.len() + 2 == token.len() && (is_enclosed(token, '\'') || is_enclosed(token, '"'));
        let plain = !bare.is_empty() && bare.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        let ends_at = self.text.get(at..).and_then(|rest| {
            let mut line_at = at + rest.find('\n')? + 1;
            loop {
                let line = self.text.get(line_at..)?.split('\n').next()?;
                if line == bare {
                    return Some(line_at);
                }
                line_at += line.len() + 1;
            }
        });
        let first = self.heredoc.is_none();
        self.heredoc = Some(Heredoc { delimiter: bare, quoted, ends_at });
        first && plain && (quoted || bare == token) && ends_at.is_some()
    }

    fn heredoc_text(&self, token: &str) -> bool {
        let Some(heredoc) = &self.heredoc else { return false };
        heredoc.quoted || !token.contains(['$', '`', '\\'])
    }

    fn heredoc_end(&mut self, token: &str, at: usize) -> bool {
        let Some(heredoc) = self.heredoc.take() else { return false };
        heredoc.ends_at == Some(at) && token == heredoc.delimiter
    }

    fn require(&mut self, holds: bool) {
        if !holds {
            self.doubt.get_or_insert(UNLIKE);
        }
    }
}

/// Spaces, tabs, line ends and continued lines.
fn is_blank(gap: &str) -> bool {
    let mut chars = gap.chars();
    while let Some(c) = chars.next() {
        match c {
            ' ' | '\t' | '\n' => {}
            '\\' if chars.next() == Some('\n') => {}
            _ => return false,
        }
    }
    true
}

fn is_enclosed(token: &str, quote: char) -> bool {
    token.len() >= 2
        && token.strip_prefix(quote).and_then(|t| t.strip_suffix(quote)).is_some_and(|t| !t.contains(quote))
}

fn is_string_content(token: &str) -> bool {
    let mut chars = token.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' if chars.next().is_none() => return false,
            '"' | '`' | '$' => return false,
            _ => {}
        }
    }
    true
}

/// Characters that mean nothing to bash's lexer, and escaped ones.
fn is_plain(token: &str) -> bool {
    let mut chars = token.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' if chars.next().is_none_or(|next| next == '\n') => return false,
            '\\' => {}
            '\'' | '"' | '<' | '>' | '(' | ')' | '`' | '|' | '&' | ';' => return false,
            // Special parameters: `$$` and the like come as a token of their own.
            '$' if token.len() > 1 => return false,
            c if c.is_whitespace() || c.is_control() => return false,
            _ => {}
        }
    }
    true
}

/// The grammar's fixed tokens that bash has, too.
fn is_operator(kind: &str) -> bool {
    matches!(
        kind,
        "|" | "|&"
            | "||"
            | "&&"
            | ";"
            | ";;"
            | "&"
            | "("
            | ")"
            | "{"
            | "}"
            | "["
            | "]"
            | "[["
            | "]]"
            | "$("
            | "`"
            | "\""
            | "$"
            | "${"
            | "<("
            | ">("
            | ">"
            | ">>"
            | "<"
            | "&>"
            | "&>>"
            | ">&"
            | "<&"
            | ">|"
            | "<<"
            | "<<<"
            | "!"
            | "="
            | "=="
            | "!="
            | "if"
            | "then"
            | "elif"
            | "else"
            | "fi"
            | "for"
            | "in"
            | "do"
            | "done"
            | "while"
            | "until"
            | "case"
            | "esac"
            | "export"
            | "readonly"
            | "local"
            | "declare"
            | "typeset"
            | "unset"
    )
}
