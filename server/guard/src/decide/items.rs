//! A call taken apart into what is decided one by one.

use std::path::{Path, PathBuf};

use swarm_wire::permission::{Behavior, Level};

use super::place::{bases, fixed_part, is_plain_edit, resolved};
use super::{Bounds, Confinement, Ruling, by_table, strictness};
use crate::effect::Effect;
use crate::rules::{Origin, Subject};
use crate::shell::{Part, Place, What, understand};
use crate::table::Deed;

/// One thing that is decided by itself.
pub(super) struct Item<'a> {
    pub(super) thing: Thing<'a>,
    pub(super) level: Level,
    /// What it does, each with why.
    deeds: Vec<(Deed, String)>,
    /// Files that it touches and that rules for the file tools are about.
    reads: Vec<PathBuf>,
    writes: Vec<PathBuf>,
    /// Patterns of files that it reads.
    spreads: Vec<PathBuf>,
    /// It names a secret: a wide grant is not meant for that.
    pub(super) secret: bool,
}

pub(super) enum Thing<'a> {
    Part(Part),
    Path { tool: &'a str, path: &'a Path },
    Host(&'a str),
    Key { tool: &'a str, key: Option<&'a str> },
}

/// Takes a call apart.
pub(super) fn of<'a>(
    tool: &'a str,
    keys: &'a [String],
    effect: &'a Effect,
    bounds: &Bounds,
) -> Vec<Item<'a>> {
    let keyed = |deed: Deed, why: &str| -> Vec<Item<'a>> {
        let item = |key: Option<&'a str>| {
            Item::new(Thing::Key { tool, key }, effect.level(), vec![(deed, why.to_owned())])
        };
        if keys.is_empty() { vec![item(None)] } else { keys.iter().map(|key| item(Some(key))).collect() }
    };
    match effect {
        Effect::Team => keyed(Deed::Read, "it stays within the team"),
        Effect::Widens { mode } => keyed(Deed::Widen, &format!("it gives a teammate the mode {mode:?}")),
        Effect::EndsPlanning => keyed(Deed::EndPlanning, "a plan is approved by you"),
        Effect::Destroys { what } => keyed(Deed::Destroy, &format!("it destroys {what}")),
        Effect::Reads { paths } if paths.is_empty() => keyed(Deed::Read, "it only reads"),
        Effect::Writes { paths } if paths.is_empty() => keyed(Deed::ChangeElsewhere, "it changes files"),
        // A connection's key has its port, too.
        Effect::Leaves { hosts } if hosts.is_empty() || tool == "Network" => {
            keyed(Deed::Leave, "it leaves the machine")
        }
        Effect::Reads { paths } => paths.iter().map(|path| reading(tool, path, bounds)).collect(),
        Effect::Writes { paths } => paths.iter().map(|path| writing(tool, path, bounds)).collect(),
        Effect::Leaves { hosts } => {
            let to = |host: &'a String| (Deed::Leave, format!("it reaches `{host}`"));
            hosts
                .iter()
                .map(|host| Item::new(Thing::Host(host), Level::LeavesMachine, vec![to(host)]))
                .collect()
        }
        Effect::Runs { command } => running(command, bounds),
    }
}

fn reading<'a>(tool: &'a str, path: &'a Path, bounds: &Bounds) -> Item<'a> {
    let (deed, why) = read_of(path, bounds);
    let mut item = Item::new(Thing::Path { tool, path }, Level::ReadOnly, vec![(deed, why)]);
    item.secret = deed == Deed::ReadSecret;
    item
}

fn read_of(path: &Path, bounds: &Bounds) -> (Deed, String) {
    if bounds.secrets.holds(&path.to_string_lossy()) {
        return (Deed::ReadSecret, format!("it reads `{}`, which may hold secrets", path.display()));
    }
    if path.starts_with(&bounds.workspace) {
        return (Deed::Read, "it only reads in the workspace".to_owned());
    }
    (Deed::ReadElsewhere, format!("it reads `{}`, outside the workspace", path.display()))
}

fn writing<'a>(tool: &'a str, path: &'a Path, bounds: &Bounds) -> Item<'a> {
    let deed = if is_plain_edit(path, &bounds.workspace) { Deed::Change } else { Deed::ChangeElsewhere };
    Item::new(Thing::Path { tool, path }, Level::ChangesFiles, vec![(deed, "it changes files".to_owned())])
}

fn running<'a>(command: &str, bounds: &Bounds) -> Vec<Item<'a>> {
    let understood = understand(command);
    let bases = bases(&bounds.workspace, &understood.moves);
    let moves: Vec<Item<'a>> = Vec::new();
    let mut items = moves;
    for part in understood.parts {
        items.push(part_item(part, bases.as_deref(), bounds));
    }
    items
}

fn part_item<'a>(part: Part, bases: Option<&[PathBuf]>, bounds: &Bounds) -> Item<'a> {
    let mut item = Item::new(Thing::Part(part), Level::ReadOnly, Vec::new());
    let Thing::Part(part) = &item.thing else { return item };
    item.level = part.level;
    let mut plain = true;
    for place in &part.writes {
        match place.known().and_then(|text| resolved(text, bases)) {
            Some(paths) => {
                plain &= paths.iter().all(|path| is_plain_edit(path, &bounds.workspace));
                item.writes.extend(paths);
            }
            None => plain = false,
        }
    }
    let ran = if bounds.confinement == Confinement::Full { Deed::RunConfined } else { Deed::RunFree };
    let deed = match part.level {
        Level::ReadOnly => Deed::Read,
        Level::ChangesFiles if plain && !part.writes.is_empty() => Deed::Change,
        // What walls hold may write where they let it.
        Level::ChangesFiles if bounds.confinement == Confinement::FilesOnly => Deed::RunConfined,
        Level::ChangesFiles | Level::RunsCode => ran,
        Level::LeavesMachine => Deed::Leave,
        Level::Destroys => Deed::Destroy,
    };
    item.deeds.push((deed, part.why.clone()));
    let named = secret_named(part, bounds);
    item.secret = named.is_some();
    let mut deeds: Vec<(Deed, String)> = Vec::new();
    deeds.extend(named.map(|name| (Deed::ReadSecret, format!("it reads `{name}`, which may hold secrets"))));
    for place in &part.reads {
        deeds.push(match place {
            Place::Known(text) => match resolved(text, bases) {
                Some(paths) => {
                    let outside = paths.iter().find(|path| !path.starts_with(&bounds.workspace)).cloned();
                    item.reads.extend(paths);
                    match outside {
                        Some(path) => elsewhere(&path.display().to_string()),
                        None => continue,
                    }
                }
                None => elsewhere(text),
            },
            Place::Glob(pattern) => {
                item.spreads.extend(resolved(pattern, bases).unwrap_or_default());
                match resolved(fixed_part(pattern), bases) {
                    Some(paths)
                        if paths.iter().all(|path| path.starts_with(&bounds.workspace))
                            && !climbs(pattern) =>
                    {
                        continue;
                    }
                    _ => elsewhere(pattern),
                }
            }
            Place::Unknown => {
                (Deed::ReadElsewhere, "it reads files whose names only the run tells".to_owned())
            }
        });
    }
    item.deeds.extend(deeds);
    item
}

fn elsewhere(path: &str) -> (Deed, String) {
    (Deed::ReadElsewhere, format!("it reads `{path}`, outside the workspace"))
}

fn climbs(pattern: &str) -> bool {
    pattern.split('/').any(|piece| piece == "..")
}

/// The secret that a part names, other than as a mere text.
fn secret_named(part: &Part, bounds: &Bounds) -> Option<String> {
    let secrets = &bounds.secrets;
    let fits = |place: &Place| match place {
        Place::Known(text) => secrets.holds(text).then(|| text.clone()),
        Place::Glob(pattern) => secrets.reached_by(pattern).then(|| pattern.clone()),
        Place::Unknown => None,
    };
    if let Some(name) = part.reads.iter().find_map(fits) {
        return Some(name);
    }
    if part.level == Level::ReadOnly || part.what != What::Command {
        return None;
    }
    // What a command that is not known to only read does with its words is not known either.
    part.words.iter().skip(1).find_map(|word| {
        let text = word.value.as_deref().or(word.glob.as_deref()).unwrap_or(&word.source);
        let reached = word.glob.as_deref().is_some_and(|pattern| secrets.reached_by(pattern));
        (reached || secrets.holds(text) || secrets.named_within(text)).then(|| word.source.clone())
    })
}

impl<'a> Item<'a> {
    fn new(thing: Thing<'a>, level: Level, deeds: Vec<(Deed, String)>) -> Self {
        Self {
            thing,
            level,
            deeds,
            reads: Vec::new(),
            writes: Vec::new(),
            spreads: Vec::new(),
            secret: false,
        }
    }

    /// Why nobody may do it, when it is about the state of the team itself, or about the checkout that the member's own
    /// worktree stands in for.
    pub(super) fn off_limits(&self, bounds: &Bounds) -> Option<String> {
        let worktree = bounds.worktree.as_ref();
        if let Some(why) = worktree.and_then(|worktree| self.paths().find_map(|path| worktree.instead(path)))
        {
            return Some(why);
        }
        let Thing::Path { path, .. } = &self.thing else { return None };
        let is_own = worktree.is_some_and(|worktree| worktree.holds(path));
        let is_within = !is_own && bounds.off_limits.iter().any(|root| path.starts_with(root));
        is_within.then(|| format!("`{}` is swarm's own state, which no agent reaches", path.display()))
    }

    /// The files that it names, absolute.
    fn paths(&self) -> impl Iterator<Item = &Path> {
        let named = match &self.thing {
            Thing::Path { path, .. } => Some(*path),
            _ => None,
        };
        named.into_iter().chain(self.reads.iter().chain(&self.writes).map(PathBuf::as_path))
    }

    pub(super) fn text(&self) -> String {
        match &self.thing {
            Thing::Part(part) if part.words.is_empty() => part.why.clone(),
            Thing::Part(part) => part.text(),
            Thing::Path { path, .. } => path.display().to_string(),
            Thing::Host(host) => (*host).to_owned(),
            Thing::Key { tool, key } => key.unwrap_or(tool).to_owned(),
        }
    }

    /// What rules are held against: the item itself, then the files and hosts that it names.
    pub(super) fn subjects<'s>(&'s self, bounds: &'s Bounds) -> Vec<Subject<'s>> {
        let workspace = bounds.workspace.as_path();
        let mut subjects = vec![self.subject(workspace)];
        subjects.extend(self.reads.iter().map(|path| Subject::Path { tool: "Read", path, workspace }));
        subjects.extend(self.spreads.iter().map(|pattern| Subject::Spread {
            tool: "Read",
            pattern,
            workspace,
        }));
        subjects.extend(self.writes.iter().map(|path| Subject::Path { tool: "Edit", path, workspace }));
        if let Thing::Part(part) = &self.thing {
            subjects.extend(part.hosts.iter().map(|host| Subject::Host(host)));
        }
        subjects
    }

    fn subject<'s>(&'s self, workspace: &'s Path) -> Subject<'s> {
        match &self.thing {
            Thing::Part(part) if part.what == What::Unclear => Subject::Unclear,
            Thing::Part(part) => Subject::Command(part),
            Thing::Path { tool, path } => Subject::Path { tool, path, workspace },
            Thing::Host(host) => Subject::Host(host),
            Thing::Key { tool, key } => Subject::Key { tool, key: *key },
        }
    }

    /// The rule that grants it: for a redirection, one for the file; otherwise one for the item itself.
    pub(super) fn granted(&self, bounds: &Bounds) -> Option<Origin> {
        let workspace = bounds.workspace.as_path();
        let own = bounds.rules.grant(self.subject(workspace), self.secret);
        let is_redirection = matches!(&self.thing, Thing::Part(part) if part.what == What::Redirection);
        if own.is_some() || !is_redirection {
            return own;
        }
        let written = self.writes.iter().map(|path| Subject::Path { tool: "Edit", path, workspace });
        let read = self.reads.iter().map(|path| Subject::Path { tool: "Read", path, workspace });
        let grants: Option<Vec<Origin>> =
            written.chain(read).map(|subject| bounds.rules.grant(subject, self.secret)).collect();
        grants?.into_iter().next()
    }

    /// The file that a redirection touches, for a suggestion.
    pub(super) fn redirected(&self) -> Option<(&'static str, &Path)> {
        match (self.writes.as_slice(), self.reads.as_slice()) {
            ([path], []) => Some(("Edit", path)),
            ([], [path]) => Some(("Read", path)),
            _ => None,
        }
    }

    /// What the table says, before rules: the strictest of what it does.
    pub(super) fn tabled(&self, bounds: &Bounds) -> Ruling {
        let rulings = self.deeds.iter().map(|(deed, why)| {
            let ruling = by_table(*deed, why.clone(), bounds);
            // A confined command may read what the walls let it see: naming the file makes it no worse.
            let confined = matches!(self.thing, Thing::Part(_)) && bounds.confinement != Confinement::None;
            if *deed == Deed::ReadElsewhere && confined {
                let run = by_table(Deed::RunConfined, why.clone(), bounds);
                return if run.behavior == Behavior::Allow { run } else { ruling };
            }
            ruling
        });
        rulings
            .reduce(
                |worst, next| {
                    if strictness(next.behavior) > strictness(worst.behavior) { next } else { worst }
                },
            )
            .unwrap_or(Ruling { behavior: Behavior::Ask, why: "it is not known".to_owned(), by: None })
    }
}
