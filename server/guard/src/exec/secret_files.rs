//! Where the secrets of a folder are, so that they can be hidden from a command that nobody was asked about.

use std::fs;
use std::path::{Path, PathBuf};

use crate::secrets::Secrets;

/// Entries that are looked at; what lies beyond is not found.
const ENTRIES_MAX: usize = 50_000;
/// Secrets that are hidden at most: each costs a mount.
const FOUND_MAX: usize = 256;
/// Folders that tools fill, and that hold nothing of the user's own.
const FILLED_BY_TOOLS: [&str; 4] = [".git", "node_modules", "target", ".venv"];

/// The secrets beneath `root`, links left alone: what a link leads to is found where it is. Blocks.
pub fn secret_files(root: &Path, secrets: &Secrets) -> Vec<PathBuf> {
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
            if kind.is_dir() && !FILLED_BY_TOOLS.iter().any(|name| entry.file_name() == *name) {
                folders.push(path);
            } else if kind.is_file() && secrets.holds(&path.to_string_lossy()) {
                found.push(path);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_found_wherever_they_lie_but_where_tools_put_theirs() {
        let folder = tempfile::tempdir().unwrap();
        for path in [".env", "a/b/server.pem", "a/.env.example", "node_modules/x/test.pem", "src/main.rs"] {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x").unwrap();
        }
        let mut found = secret_files(folder.path(), &Secrets::default());
        found.sort();
        assert_eq!(found, [folder.path().join(".env"), folder.path().join("a/b/server.pem")]);
    }
}
