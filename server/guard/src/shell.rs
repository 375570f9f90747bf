//! A command line for bash: what it would do at its worst, told without running it.
//!
//! The line is parsed, never matched as text. What a reading of it rests on is checked token by token
//! ([`tokens`]), and whatever is not surely understood counts as running code: nothing is taken for read-only in
//! doubt. Nothing here looks at the disk, the environment or the clock. docs/permissions.md tells it to users.

mod changing;
mod command;
mod git;
mod hosts;
mod leaving;
mod options;
mod reading;
mod scripts;
mod shown;
mod syntax;
mod tokens;
mod word;
mod wrappers;

use swarm_wire::permission::Level;

pub(crate) use command::{assigned_name, base_name, harmless_name};
pub use shown::{shown, visible};
pub use word::Word;

/// Bytes of a command that are looked at; a longer one is not understood.
pub const LENGTH_MAX: usize = 16 * 1024;
/// How deep brackets may be nested in one text.
const NESTING_MAX: usize = 48;
/// How deep scripts may be handed to further shells (`bash -c "bash -c …"`).
const SCRIPTS_DEEP: usize = 4;
/// How many simple commands and scripts one line may hold in all.
const PARTS_MAX: usize = 256;

/// What a command line would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Understanding {
    /// The worst of the parts.
    pub level: Level,
    /// The simple commands, outermost first; what could not be understood is a part without words.
    pub parts: Vec<Part>,
    /// Directories that the line changes to, in order.
    pub(crate) moves: Vec<Place>,
    /// Why it has its level, as a clause: "it …".
    pub why: String,
}

impl Understanding {
    /// Hosts that it names, in order.
    pub fn hosts(&self) -> Vec<&str> {
        self.parts.iter().flat_map(|part| part.hosts.iter().map(String::as_str)).collect()
    }

    /// Paths that it writes, as far as they are known before it runs.
    pub fn writes(&self) -> Vec<&str> {
        self.parts.iter().flat_map(|part| &part.writes).filter_map(Place::known).collect()
    }

    /// Whether every token was understood; if not, it may hold commands that are not among the parts.
    pub fn is_complete(&self) -> bool {
        self.parts.iter().all(|part| part.what != What::Unclear)
    }
}

/// One simple command, one redirection or one thing that was not understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    pub what: What,
    /// Assignments, the command and its arguments; empty unless it is a command.
    pub words: Vec<Word>,
    pub level: Level,
    pub why: String,
    pub(crate) reads: Vec<Place>,
    pub(crate) writes: Vec<Place>,
    pub hosts: Vec<String>,
}

/// What a part is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    Command,
    Redirection,
    /// Something that may hide further commands.
    Unclear,
}

/// A file that a command touches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Place {
    /// A path as bash would pass it on; `~` stands for the home.
    Known(String),
    /// A pattern of paths.
    Glob(String),
    /// Only known when it runs.
    Unknown,
}

impl Place {
    pub(crate) fn known(&self) -> Option<&str> {
        match self {
            Self::Known(path) => Some(path),
            Self::Glob(_) | Self::Unknown => None,
        }
    }
}

impl Part {
    /// The part as it would be written, for a person and as an exact rule.
    pub fn text(&self) -> String {
        self.words.iter().map(|word| word.source.as_str()).collect::<Vec<_>>().join(" ")
    }

    fn unclear(why: impl Into<String>) -> Self {
        Self {
            what: What::Unclear,
            words: Vec::new(),
            level: Level::RunsCode,
            why: why.into(),
            reads: Vec::new(),
            writes: Vec::new(),
            hosts: Vec::new(),
        }
    }
}

/// A text or a command that is still to be looked at.
enum Work {
    Script { text: String, depth: usize },
    Command { words: Vec<Word>, depth: usize },
}

/// Tells what a command line would do. Total: any text has an answer, in bounded time and stack.
pub fn understand(line: &str) -> Understanding {
    let mut found = Found::default();
    let mut work = vec![Work::Script { text: line.to_owned(), depth: 0 }];
    while let Some(next) = work.pop() {
        if found.parts.len() >= PARTS_MAX {
            found.parts.push(Part::unclear("it holds more commands than are looked at"));
            break;
        }
        match next {
            Work::Script { depth, .. } if depth > SCRIPTS_DEEP => {
                found.parts.push(Part::unclear("it hands scripts to shells too deep to follow"));
            }
            Work::Script { text, depth } => found.script(&text, depth, &mut work),
            Work::Command { words, depth } => found.command(words, depth, &mut work),
        }
    }
    found.understanding()
}

#[derive(Default)]
struct Found {
    parts: Vec<Part>,
    moves: Vec<Place>,
}

impl Found {
    fn script(&mut self, text: &str, depth: usize, work: &mut Vec<Work>) {
        if let Err(why) = within_limits(text) {
            self.parts.push(Part::unclear(why));
            return;
        }
        let syntax = syntax::read(text);
        self.parts.extend(syntax.redirections);
        if let Some(doubt) = syntax.doubt {
            self.parts.push(Part::unclear(doubt));
        }
        work.extend(syntax.commands.into_iter().rev().map(|words| Work::Command { words, depth }));
    }

    fn command(&mut self, words: Vec<Word>, depth: usize, work: &mut Vec<Work>) {
        let meaning = command::meaning(&words, !self.moves.is_empty());
        self.moves.extend(meaning.moves);
        self.parts.push(Part {
            what: What::Command,
            words,
            level: meaning.level,
            why: meaning.why,
            reads: meaning.reads,
            writes: meaning.writes,
            hosts: meaning.hosts,
        });
        if let Some(why) = meaning.unclear {
            self.parts.push(Part::unclear(why));
        }
        for inner in meaning.inner.into_iter().rev() {
            work.push(match inner {
                command::Inner::Words(words) => Work::Command { words, depth },
                command::Inner::Script(text) => Work::Script { text, depth: depth + 1 },
            });
        }
    }

    fn understanding(self) -> Understanding {
        let worst = self.parts.iter().rev().max_by_key(|part| part.level);
        let (level, why) = match worst {
            Some(part) => (part.level, part.why.clone()),
            None => (Level::ReadOnly, "it does nothing".to_owned()),
        };
        Understanding { level, why, parts: self.parts, moves: self.moves }
    }
}

fn within_limits(text: &str) -> Result<(), &'static str> {
    if text.len() > LENGTH_MAX {
        return Err("it is longer than what is looked at");
    }
    let mut depth: usize = 0;
    for byte in text.bytes() {
        match byte {
            b'(' | b'{' | b'[' => depth += 1,
            b')' | b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > NESTING_MAX {
            return Err("it is nested deeper than what is looked at");
        }
    }
    match shown::hidden_character(text) {
        Some(_) => Err("it holds characters that cannot be seen"),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
