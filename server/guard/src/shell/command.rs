//! What one simple command means: its assignments, then whoever knows its name.

use swarm_wire::permission::Level;

use super::word::Word;
use super::{Place, changing, git, leaving, reading, scripts, wrappers};

/// What one simple command would do.
#[derive(Debug)]
pub(super) struct Meaning {
    pub(super) level: Level,
    pub(super) why: String,
    pub(super) reads: Vec<Place>,
    pub(super) writes: Vec<Place>,
    pub(super) hosts: Vec<String>,
    /// Where it changes the working directory to.
    pub(super) moves: Vec<Place>,
    /// Commands that it starts.
    pub(super) inner: Vec<Inner>,
    /// What in it may hide commands that are not among `inner`.
    pub(super) unclear: Option<String>,
}

/// A command or a script that another command starts.
#[derive(Debug)]
pub(super) enum Inner {
    Words(Vec<Word>),
    Script(String),
}

impl Meaning {
    pub(super) fn new(level: Level, why: impl Into<String>) -> Self {
        Self {
            level,
            why: why.into(),
            reads: Vec::new(),
            writes: Vec::new(),
            hosts: Vec::new(),
            moves: Vec::new(),
            inner: Vec::new(),
            unclear: None,
        }
    }

    pub(super) fn read_only() -> Self {
        Self::new(Level::ReadOnly, "it only reads")
    }

    pub(super) fn runs(name: &str) -> Self {
        Self::new(Level::RunsCode, format!("it runs `{name}`"))
    }

    pub(super) fn reading(self, reads: Vec<Place>) -> Self {
        Self { reads, ..self }
    }

    pub(super) fn writing(self, writes: Vec<Place>) -> Self {
        Self { writes, ..self }
    }
}

/// Where system programs live; elsewhere a file of the same name could be anything.
const SYSTEM: [&str; 4] = ["/bin/", "/usr/bin/", "/sbin/", "/usr/sbin/"];

/// Looks at one command. `moved`: the line may have changed its directory before.
pub(super) fn meaning(words: &[Word], moved: bool) -> Meaning {
    let assigned = words.iter().take_while(|word| assigned_name(word).is_some()).count();
    let (assignments, command) = words.split_at(assigned);
    let mut meaning = match command.split_first() {
        None => Meaning::new(Level::ReadOnly, "it sets a variable"),
        Some((name, arguments)) => match name.plain() {
            None => Meaning::new(Level::RunsCode, "its command word is not one plain name"),
            Some(name) => named(base_name(name), arguments, moved),
        },
    };
    let telling = assignments.iter().filter_map(assigned_name).find(|name| !harmless_name(name));
    if let Some(name) = telling
        && meaning.level < Level::RunsCode
    {
        meaning.level = Level::RunsCode;
        meaning.why = format!("it sets `{name}`, which other programs may look at");
    }
    meaning
}

fn named(name: &str, arguments: &[Word], moved: bool) -> Meaning {
    wrappers::meaning(name, arguments)
        .or_else(|| git::meaning(name, arguments, moved))
        .or_else(|| scripts::meaning(name, arguments))
        .or_else(|| leaving::meaning(name, arguments))
        .or_else(|| changing::meaning(name, arguments))
        .or_else(|| reading::meaning(name, arguments))
        .unwrap_or_else(|| Meaning::runs(name))
}

/// The program's name without a system directory; any other path stays.
pub(crate) fn base_name(name: &str) -> &str {
    SYSTEM
        .iter()
        .find_map(|directory| name.strip_prefix(directory))
        .filter(|n| !n.contains('/'))
        .unwrap_or(name)
}

/// The name that an assignment sets.
pub(crate) fn assigned_name(word: &Word) -> Option<&str> {
    let (name, _) = word.source.split_once('=')?;
    let name = name.strip_suffix('+').unwrap_or(name);
    is_name(name).then_some(name)
}

fn is_name(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// Whether setting a variable of this name tells no program what to do: names in lower case are the script's own,
/// and a few that only change how something is printed.
pub(crate) fn harmless_name(name: &str) -> bool {
    const KNOWN: [&str; 12] = [
        "CI",
        "CLICOLOR",
        "COLUMNS",
        "FORCE_COLOR",
        "LANG",
        "LINES",
        "NODE_ENV",
        "NO_COLOR",
        "RUST_BACKTRACE",
        "RUST_LOG",
        "TERM",
        "TZ",
    ];
    let own = is_name(name) && !name.bytes().any(|b| b.is_ascii_uppercase()) && name != "_";
    own && name != "histchars" && !name.ends_with("_proxy")
        || KNOWN.contains(&name)
        || name.starts_with("LC_")
}

/// The words as places.
pub(super) fn places<'w>(words: impl IntoIterator<Item = &'w Word>) -> Vec<Place> {
    words.into_iter().map(place).collect()
}

pub(super) fn place(word: &Word) -> Place {
    match (&word.value, &word.glob) {
        (Some(value), _) => Place::Known(value.clone()),
        (None, Some(pattern)) => Place::Glob(pattern.clone()),
        (None, None) => Place::Unknown,
    }
}
