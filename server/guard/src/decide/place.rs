//! Where a path of a command lies, by its text alone.

use std::path::{Component, Path, PathBuf};

use crate::shell::Place;

/// Names beneath the workspace that change what other programs run: never edited unasked.
const PROTECTED: [&str; 6] = [".git", ".swarm", ".vscode", ".nvim.lua", ".envrc", ".gitmodules"];
/// How many directories a command may have changed to before its paths count as unknown.
const BASES_MAX: usize = 16;

/// Where a command's relative paths may begin; `None` when that is only known when it runs.
pub(super) fn bases(workspace: &Path, moves: &[Place]) -> Option<Vec<PathBuf>> {
    let mut bases = vec![workspace.to_path_buf()];
    for step in moves {
        let text = step.known()?;
        // Up is somewhere else each time it is gone, and the home is not known here.
        if text.starts_with('~') || text.split('/').any(|piece| piece == "..") {
            return None;
        }
        let further: Vec<PathBuf> = bases.iter().map(|base| base.join(text)).collect();
        bases.extend(further);
        bases.sort();
        bases.dedup();
        if bases.len() > BASES_MAX {
            return None;
        }
    }
    Some(bases)
}

/// The absolute paths that a text may mean; `None` when that is only known when it runs.
pub(super) fn resolved(text: &str, bases: Option<&[PathBuf]>) -> Option<Vec<PathBuf>> {
    if text.starts_with('~') {
        return None;
    }
    if text.starts_with('/') {
        return Some(vec![normal(Path::new(text))]);
    }
    Some(bases?.iter().map(|base| normal(&base.join(text))).collect())
}

/// Without `.` and `..`, as far as the text tells.
fn normal(path: &Path) -> PathBuf {
    let mut result = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                result.pop();
            }
            other => result.push(other),
        }
    }
    result
}

/// Whether an edit of the path stays in the workspace and makes no other program run something.
pub(super) fn is_plain_edit(path: &Path, workspace: &Path) -> bool {
    let Ok(inside) = path.strip_prefix(workspace) else { return false };
    !inside.components().any(|part| match part {
        Component::Normal(name) => PROTECTED.iter().any(|p| name.eq_ignore_ascii_case(p)),
        _ => true,
    })
}

/// The fixed folders in front of a pattern.
pub(super) fn fixed_part(pattern: &str) -> &str {
    let end = pattern.find(['*', '?', '[']).unwrap_or(pattern.len());
    let folder = pattern.get(..end).and_then(|fixed| fixed.rfind('/')).map_or(0, |at| at + 1);
    match pattern.get(..folder) {
        Some("") | None => ".",
        Some(fixed) => fixed,
    }
}
