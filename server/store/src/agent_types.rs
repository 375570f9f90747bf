//! Kinds of teammates, each a Markdown file: front matter that says what it may, and a body that says how it works.
//!
//! The user's are in `<root>/agents`, a project's in `<workspace>/.swarm/agents`; a project's goes before the user's of
//! the same name.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::{Error as ValueError, StrDeserializer};
use swarm_wire::permission::{Mode, Scope};
use swarm_wire::settings::Effort;

use crate::root::Root;

/// The longest file taken, in bytes.
const FILE_MAX: u64 = 64 * 1024;

/// A kind of teammate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentType {
    pub name: String,
    /// What it is for, in a line.
    pub description: String,
    /// The tools it has besides those of the team; all of them without.
    pub tools: Option<Vec<String>>,
    pub model: Option<String>,
    pub effort: Option<Effort>,
    pub mode: Option<Mode>,
    /// How it works, for its model.
    pub prompt: String,
    /// `User` or `Project`.
    pub scope: Scope,
    pub path: PathBuf,
}

impl Root {
    /// The kinds there are, by name, and what is wrong with files that are none. Blocks.
    pub fn agent_types(&self, workspace: &Path) -> (Vec<AgentType>, Vec<String>) {
        let (mut types, mut problems): (Vec<AgentType>, Vec<String>) = (Vec::new(), Vec::new());
        let folders = [
            (workspace.join(".swarm").join("agents"), Scope::Project),
            (self.path().join("agents"), Scope::User),
        ];
        for (folder, scope) in folders {
            for path in markdown_in(&folder) {
                match read(&path, scope) {
                    Ok(found) if types.iter().any(|known| known.name == found.name) => {}
                    Ok(found) => types.push(found),
                    Err(problem) => {
                        problems.push(format!("{} is no agent type: {problem}", path.display()));
                    }
                }
            }
        }
        types.sort_by(|a, b| a.name.cmp(&b.name));
        (types, problems)
    }
}

fn markdown_in(folder: &Path) -> Vec<PathBuf> {
    // Most have no such folder.
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut files: Vec<PathBuf> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|end| end == "md"))
        .collect();
    files.sort();
    files
}

fn read(path: &Path, scope: Scope) -> Result<AgentType, String> {
    let about = fs::metadata(path).map_err(|error| error.to_string())?;
    if !about.is_file() || about.len() > FILE_MAX {
        return Err(format!("it is no file of at most {FILE_MAX} bytes"));
    }
    let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
    parse(&text, path, scope)
}

/// The front matter is lines of `key: value` between two lines of `---`. A value may hold colons and quotes, as in
/// files that were written by hand for other tools.
fn parse(text: &str, path: &Path, scope: Scope) -> Result<AgentType, String> {
    let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
    let rest = text.strip_prefix("---\n").ok_or("it does not begin with a line `---`")?;
    let (head, body) = rest.split_once("\n---").ok_or("its front matter has no closing line `---`")?;
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let mut found = AgentType {
        name: stem,
        description: String::new(),
        tools: None,
        model: None,
        effort: None,
        mode: None,
        prompt: body.trim_start_matches(['-', ' ']).trim().to_owned(),
        scope,
        path: path.to_owned(),
    };
    let mut list_of_tools = false;
    for line in head.lines().filter(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#')) {
        if let Some(item) = line.trim_start().strip_prefix("- ").filter(|_| list_of_tools) {
            found.tools.get_or_insert_default().push(tool(item));
            continue;
        }
        let (key, value) = line.split_once(':').ok_or_else(|| format!("`{line}` is no `key: value`"))?;
        let value = value.trim().trim_matches(['"', '\'']);
        list_of_tools = key.trim() == "tools" && value.is_empty();
        match key.trim() {
            "name" => value.clone_into(&mut found.name),
            "description" => value.clone_into(&mut found.description),
            "tools" if value.is_empty() => found.tools = Some(Vec::new()),
            "tools" => {
                let names = value.trim_matches(['[', ']']).split(',').map(tool);
                found.tools = Some(names.filter(|name| !name.is_empty()).collect());
            }
            "model" if value != "inherit" => found.model = Some(value.to_owned()),
            "effort" => found.effort = Some(named("effort", value)?),
            "mode" | "permissionMode" => found.mode = Some(named("mode", value)?),
            // Other tools' files have more; what is not known here is not for us.
            _ => {}
        }
    }
    if found.name.is_empty() || found.name.contains(char::is_whitespace) {
        return Err(format!("its name is `{}`; a name is one word", found.name));
    }
    Ok(found)
}

/// A tool's name, without what another program's rule would have in parentheses.
fn tool(item: &str) -> String {
    item.split('(').next().unwrap_or_default().trim().trim_matches(['"', '\'']).to_owned()
}

fn named<'de, T: Deserialize<'de>>(key: &str, value: &'de str) -> Result<T, String> {
    let text: StrDeserializer<'de, ValueError> = value.into_deserializer();
    T::deserialize(text).map_err(|error| format!("`{key}`: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<AgentType, String> {
        parse(text, Path::new("/p/reviewer.md"), Scope::Project)
    }

    #[test]
    fn front_matter_and_body_are_told_apart() {
        let found = parsed(
            "---\nname: reviewer\ndescription: Reviews: looks, says \"so\"\ntools: Read, Grep, Bash(git log *)\n\
             model: small\neffort: low\nmode: plan\ncolor: red\n---\n\nYou review.\n---\nAlways.\n",
        )
        .unwrap();
        assert_eq!((found.name.as_str(), found.prompt.as_str()), ("reviewer", "You review.\n---\nAlways."));
        assert_eq!(found.description, "Reviews: looks, says \"so");
        assert_eq!(found.tools.as_deref().unwrap(), ["Read", "Grep", "Bash"]);
        assert_eq!(
            (found.model.as_deref(), found.effort, found.mode),
            (Some("small"), Some(Effort::Low), Some(Mode::Plan))
        );
        let listed =
            parsed("---\r\ntools:\r\n  - Read\r\n  - \"Grep\"\r\nmodel: inherit\r\n---\r\nx").unwrap();
        assert_eq!((listed.name.as_str(), listed.model), ("reviewer", None));
        assert_eq!(listed.tools.unwrap(), ["Read", "Grep"]);
    }

    #[test]
    fn what_is_no_agent_type_says_why() {
        for (text, why) in [
            ("You review.", "does not begin with a line `---`"),
            ("---\nname: x\nYou review.", "no closing line"),
            ("---\nname: two words\n---\n", "a name is one word"),
            ("---\nmode: anything\n---\n", "`mode`: unknown variant `anything`"),
            ("---\nnonsense\n---\n", "`nonsense` is no `key: value`"),
        ] {
            let problem = parsed(text).unwrap_err();
            assert!(problem.contains(why), "{text}: {problem}");
        }
    }
}
