//! A file's one name, whatever links and spellings lead to it.

use std::path::{Path, PathBuf};

use crate::lsp::types::Url;

/// The path with its links followed. What does not exist yet is named beneath what does.
pub(crate) fn canonical(path: &Path) -> PathBuf {
    for parent in path.ancestors() {
        if let Ok(real) = parent.canonicalize() {
            return match path.strip_prefix(parent) {
                Ok(rest) if rest.as_os_str().is_empty() => real,
                Ok(rest) => real.join(rest),
                Err(_) => real,
            };
        }
    }
    path.to_owned()
}

/// The `file:` URI of an absolute path.
pub(crate) fn uri_of(path: &Path) -> Option<Url> {
    Url::from_file_path(path).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_not_there_yet_is_named_beneath_its_real_folder() {
        let root = tempfile::tempdir().unwrap();
        let real = root.path().canonicalize().unwrap().join("real 文件");
        std::fs::create_dir(&real).unwrap();
        let link = root.path().join("link");
        std::os::unix::fs::symlink(&real, &link).unwrap();
        assert_eq!(canonical(&link.join("new/file.rs")), real.join("new/file.rs"));
        assert_eq!(canonical(&link), real);
        assert_eq!(uri_of(&real).unwrap().to_file_path().unwrap(), real);
    }
}
