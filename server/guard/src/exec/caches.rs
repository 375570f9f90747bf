//! A team's own caches, begun from what the user has: links to the user's files, which the walls make read-only.
//! It must not write into the user's caches, nor copy what is large.

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::Path;

use super::environment::CACHES;

/// At most this many files of one cache are linked: a cache can hold hundreds of thousands.
const MAX_LINKS: usize = 50_000;

/// Says that a cache was begun, so that it is not done again.
const BEGUN: &str = ".begun";

/// How a part of the user's caches is taken over.
enum How {
    /// Its files as links.
    Links,
    /// Its directories' directories as links: unpacked packages, which are never changed.
    Packages,
    /// Its files as copies, because the tool appends to them.
    Copies,
}

/// From where beneath the home, to where beneath the caches.
const SEEDS: [(&str, &str, How); 9] = [
    (".cargo/bin", "cargo/bin", How::Links),
    (".cargo/config.toml", "cargo/config.toml", How::Links),
    (".cargo/registry/index", "cargo/registry/index", How::Links),
    (".cargo/registry/cache", "cargo/registry/cache", How::Links),
    (".cargo/registry/src", "cargo/registry/src", How::Packages),
    (".npm/_cacache/content-v2", "npm/_cacache/content-v2", How::Links),
    (".npm/_cacache/index-v5", "npm/_cacache/index-v5", How::Copies),
    (".cache/pip", "pip", How::Links),
    ("go/pkg/mod/cache/download", "go-mod/cache/download", How::Links),
];

/// Makes the caches at `caches`, the first time from what is beneath `home`. It blocks.
///
/// # Errors
/// When the directories cannot be made. What of the user's cannot be taken over is left out.
pub fn prepare(caches: &Path, home: &Path) -> io::Result<()> {
    for (_, place) in CACHES {
        fs::create_dir_all(caches.join(place))?;
    }
    if fs::File::create_new(caches.join(BEGUN)).is_err() {
        return Ok(());
    }
    for (from, to, how) in &SEEDS {
        let mut left = MAX_LINKS;
        // The tool fetches again what is not there.
        let _ = seed(&home.join(from), &caches.join(to), how, 0, &mut left);
    }
    Ok(())
}

fn seed(from: &Path, to: &Path, how: &How, depth: usize, left: &mut usize) -> io::Result<()> {
    let found = fs::metadata(from)?;
    if *left == 0 {
        return Ok(());
    }
    *left -= 1;
    let whole = !found.is_dir() || matches!(how, How::Packages) && depth == 2;
    if whole && matches!(how, How::Copies) {
        return fs::copy(from, to).map(drop);
    }
    if whole {
        return symlink(from, to);
    }
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        // One that fails leaves the others.
        let _ = seed(&entry.path(), &to.join(entry.file_name()), how, depth + 1, left);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn caches_begin_from_the_users_as_links() {
        let dir = tempfile::tempdir().unwrap();
        let (home, caches) = (dir.path().join("home"), dir.path().join("caches"));
        let files = [
            ".cargo/registry/cache/index-1/a-1.0.crate",
            ".cargo/registry/src/index-1/a-1.0/src/lib.rs",
            ".cargo/credentials.toml",
            ".npm/_cacache/index-v5/00/entry",
        ];
        for file in files {
            fs::create_dir_all(home.join(file).parent().unwrap()).unwrap();
            fs::write(home.join(file), file).unwrap();
        }
        prepare(&caches, &home).unwrap();
        let cargo = caches.join("cargo");
        let link = cargo.join("registry/cache/index-1/a-1.0.crate");
        assert_eq!(fs::read_link(link).unwrap(), home.join(files[0]));
        let package = cargo.join("registry/src/index-1/a-1.0");
        assert_eq!(fs::read_link(package).unwrap(), home.join(".cargo/registry/src/index-1/a-1.0"));
        assert!(!cargo.join("credentials.toml").exists());
        let entry = caches.join("npm/_cacache/index-v5/00/entry");
        assert!(!entry.is_symlink() && entry.is_file());
    }

    #[test]
    fn caches_are_begun_once() {
        let dir = tempfile::tempdir().unwrap();
        let (home, caches) = (dir.path().join("home"), dir.path().join("caches"));
        prepare(&caches, &home).unwrap();
        fs::create_dir_all(home.join(".cargo/bin")).unwrap();
        fs::write(home.join(".cargo/bin/tool"), "").unwrap();
        prepare(&caches, &home).unwrap();
        assert!(!caches.join("cargo/bin/tool").exists());
    }
}
