//! Which files a search goes through: what git would, in a settled order, as long as the turn runs.

use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobMatcher};
use ignore::WalkBuilder;
use tokio_util::sync::CancellationToken;

use super::tool::ToolError;

/// Files that are looked at; a search of more is to be narrowed.
const FILES_MAX: usize = 200_000;

/// Names that files are told by.
#[derive(Debug, Clone)]
pub(super) struct Names {
    glob: GlobMatcher,
    whole_path: bool,
    hidden: bool,
}

impl Names {
    pub(super) fn read(pattern: &str) -> Result<Self, ToolError> {
        let plain = pattern.strip_prefix("./").unwrap_or(pattern);
        let glob = GlobBuilder::new(plain).literal_separator(true).build().map_err(|error| {
            ToolError::tell(format!("`{pattern}` is no pattern of file names: {}.", error.kind()))
        })?;
        Ok(Self {
            glob: glob.compile_matcher(),
            whole_path: plain.contains('/'),
            hidden: plain.starts_with('.') || plain.contains("/."),
        })
    }

    fn fits(&self, relative: &Path) -> bool {
        if self.whole_path {
            return self.glob.is_match(relative);
        }
        relative.file_name().is_some_and(|name| self.glob.is_match(name))
    }
}

/// The files of a walk.
pub(super) struct Walk {
    pub(super) files: Vec<PathBuf>,
    /// There were more than are looked at.
    pub(super) cut: bool,
}

/// The files beneath `root`, or `root` itself where it is one. Blocks.
pub(super) fn walk(root: &Path, names: Option<&Names>, turn: &CancellationToken) -> Result<Walk, ToolError> {
    let hidden = names.is_some_and(|names| names.hidden);
    let mut walk = Walk { files: Vec::new(), cut: false };
    let entries = WalkBuilder::new(root)
        .hidden(!hidden)
        .require_git(false)
        .sort_by_file_path(Path::cmp)
        .filter_entry(|entry| entry.file_name() != ".git")
        .build();
    // What cannot be read is left out, as the shell's tools do after a word on standard error.
    for entry in entries.flatten() {
        if turn.is_cancelled() {
            return Err(ToolError::Aborted);
        }
        if !entry.file_type().is_some_and(|kind| kind.is_file()) {
            continue;
        }
        let relative = entry.path().strip_prefix(root).unwrap_or(entry.path());
        if entry.depth() > 0 && !names.is_none_or(|names| names.fits(relative)) {
            continue;
        }
        if walk.files.len() == FILES_MAX {
            walk.cut = true;
            break;
        }
        walk.files.push(entry.into_path());
    }
    Ok(walk)
}
