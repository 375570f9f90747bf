//! Where the files are that a command does not get to see, so that they can be hidden from it.

use std::fs;
use std::path::{Path, PathBuf};

use crate::sight::Sight;

/// Entries that are looked at; what lies beyond is not found.
const ENTRIES_MAX: usize = 50_000;
/// Files and folders that are hidden at most: each costs a mount.
const FOUND_MAX: usize = 256;
/// Folders that tools fill, and that hold nothing of the user's own.
const FILLED_BY_TOOLS: [&str; 4] = [".git", "node_modules", "target", ".venv"];

/// What lies beneath `root` and is not to be seen, links left alone: what a link leads to is found where it is. Blocks.
pub fn unseen(root: &Path, sight: &Sight) -> Vec<PathBuf> {
    let (mut found, mut folders, mut looked_at) = (Vec::new(), vec![root.to_owned()], 0);
    while let Some(folder) = folders.pop() {
        // A folder that this process cannot read is none that its commands can.
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            looked_at += 1;
            if looked_at > ENTRIES_MAX || found.len() >= FOUND_MAX {
                return found;
            }
            let Ok(kind) = entry.file_type() else { continue };
            let path = entry.path();
            if kind.is_dir() && sight.hides_folder(&path) {
                found.push(path);
            } else if kind.is_dir() && !FILLED_BY_TOOLS.iter().any(|name| entry.file_name() == *name) {
                folders.push(path);
            } else if kind.is_file() && sight.hides(&path) {
                found.push(path);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use swarm_wire::permission::{Behavior, Mode, RuleUpdate, Scope};

    use super::*;
    use crate::decide::Bounds;
    use crate::rules::Rules;

    fn sight(root: &Path, denied: &[&str]) -> Sight {
        let mut rules = Rules::default();
        let denied = denied.iter().map(|rule| (*rule).to_owned()).collect();
        rules.add(&RuleUpdate { rules: denied, behavior: Behavior::Deny, scope: Scope::User }).unwrap();
        Sight::new(&Bounds::new(Mode::Default, rules, root))
    }

    fn workspace(files: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for path in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x").unwrap();
        }
        folder
    }

    #[test]
    fn secrets_are_found_wherever_they_lie_but_where_tools_put_theirs() {
        let folder = workspace(&[
            ".env",
            "a/b/server.pem",
            "a/.env.example",
            "node_modules/x/test.pem",
            "src/main.rs",
        ]);
        let mut found = unseen(folder.path(), &sight(folder.path(), &[]));
        found.sort();
        assert_eq!(found, [folder.path().join(".env"), folder.path().join("a/b/server.pem")]);
    }

    #[test]
    fn what_a_rule_forbids_to_read_is_hidden_a_folder_as_one_and_secrets_by_permission() {
        let folder = workspace(&[".env", "private/a", "private/b/c", "notes/x.txt", "notes/y.md"]);
        let sight = sight(folder.path(), &["Read(private/**)", "Grep(**/*.txt)", "Edit(notes/y.md)"]);
        let mut found = unseen(folder.path(), &sight.clone().with_secrets());
        found.sort();
        assert_eq!(found, [folder.path().join("notes/x.txt"), folder.path().join("private")]);
        assert_eq!(unseen(folder.path(), &sight).len(), 3);
    }
}
