//! What a project tells its agents: `AGENTS.md` and `CLAUDE.md`, from the working directory up to the workspace.

use std::fs;
use std::path::Path;

/// The longest file taken, in bytes; what is over is left out, and said to be.
const FILE_MAX: usize = 32 * 1024;
/// The names that are looked for, as agents.md and Claude Code have them.
const NAMES: [&str; 2] = ["AGENTS.md", "CLAUDE.md"];

/// The instructions for work in `cwd`, nearest first; empty where there are none. Blocks.
pub fn instructions(cwd: &Path, workspace: &Path) -> String {
    let (mut text, mut taken): (String, Vec<String>) = (String::new(), Vec::new());
    for folder in cwd.ancestors().take_while(|folder| folder.starts_with(workspace)) {
        for name in NAMES {
            let path = folder.join(name);
            // A special file could hold the start up for ever; a missing one is the usual case.
            if !fs::metadata(&path).is_ok_and(|about| about.is_file()) {
                continue;
            }
            let Ok(bytes) = fs::read(&path) else { continue };
            let whole = String::from_utf8_lossy(&bytes);
            let whole = whole.trim();
            // Many projects keep one file under both names.
            if whole.is_empty() || whole == "@AGENTS.md" || taken.iter().any(|other| other == whole) {
                continue;
            }
            let end = whole.floor_char_boundary(FILE_MAX);
            let cut = if end < whole.len() { "\n[… the rest is left out; Read the file …]" } else { "" };
            text.push_str(&format!("\nFrom {}:\n\n{}{cut}\n", path.display(), &whole[..end]));
            taken.push(whole.to_owned());
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_come_first_and_the_same_text_once() {
        let folder = tempfile::tempdir().unwrap();
        let (root, web) = (folder.path().join("shop"), folder.path().join("shop/web"));
        fs::create_dir_all(&web).unwrap();
        fs::write(folder.path().join("AGENTS.md"), "Not of this workspace.").unwrap();
        fs::write(root.join("AGENTS.md"), "Use tabs.").unwrap();
        fs::write(root.join("CLAUDE.md"), "Use tabs.\n").unwrap();
        fs::write(web.join("CLAUDE.md"), "é".repeat(FILE_MAX)).unwrap();
        let text = instructions(&web, &root);
        assert!(text.starts_with(&format!("\nFrom {}:\n\né", web.join("CLAUDE.md").display())));
        assert!(text.contains("the rest is left out"));
        assert_eq!(text.matches("Use tabs.").count(), 1);
        assert!(text.len() < 2 * FILE_MAX && !text.contains("Not of this"));
        assert_eq!(instructions(folder.path(), &root), "");
    }
}
