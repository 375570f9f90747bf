use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::sync::atomic::AtomicBool;

use super::*;

/// A directory `inside`, beside it `outside` with a file in it.
fn world() -> (tempfile::TempDir, Dir) {
    let dir = tempfile::tempdir().unwrap();
    for path in ["inside/sub", "outside"] {
        fs::create_dir_all(dir.path().join(path)).unwrap();
    }
    fs::write(dir.path().join("inside/file"), "old").unwrap();
    fs::write(dir.path().join("outside/file"), "secret").unwrap();
    let root = Dir::open(&dir.path().join("inside")).unwrap();
    (dir, root)
}

#[test]
fn what_is_written_is_read_again() {
    let (dir, root) = world();
    for path in ["file", "new", "sub/new", "a/b/c/new", "sub/../other"] {
        root.write_atomic(Path::new(path), b"text").unwrap();
        assert_eq!(root.read(Path::new(path), 100).unwrap(), b"text", "{path}");
    }
    let names = fs::read_dir(dir.path().join("inside")).unwrap().map(|entry| entry.unwrap().file_name());
    assert!(
        names.into_iter().all(|name| !name.to_string_lossy().starts_with(".swarm-")),
        "something is left"
    );
}

#[test]
fn no_path_leads_out() {
    let (dir, root) = world();
    let (inside, outside) = (dir.path().join("inside"), dir.path().join("outside"));
    symlink("../outside", inside.join("dir-link")).unwrap();
    symlink(&outside, inside.join("absolute-link")).unwrap();
    symlink("../outside/file", inside.join("file-link")).unwrap();
    symlink("../outside/new", inside.join("dangling-link")).unwrap();
    symlink("/proc/self/root", inside.join("magic-link")).unwrap();
    let absolute = outside.join("file");
    let paths = [
        "../outside/file",
        "sub/../../outside/file",
        "dir-link/file",
        "absolute-link/file",
        "file-link",
        "dangling-link",
        "magic-link/etc/hosts",
        absolute.to_str().unwrap(),
        "..",
        "sub/../../outside/made/new",
    ];
    for path in paths.map(Path::new) {
        let written = root.write_atomic(path, b"planted");
        assert!(matches!(written, Err(FileError::Outside { .. })), "{}: {written:?}", path.display());
        assert!(root.read(path, 100).is_err(), "{}", path.display());
    }
    assert_eq!(fs::read_to_string(outside.join("file")).unwrap(), "secret");
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 1);
}

#[test]
fn a_link_that_stays_inside_is_followed_and_stays_a_link() {
    let (dir, root) = world();
    let link = dir.path().join("inside/sub/link");
    symlink("../file", &link).unwrap();
    root.write_atomic(Path::new("sub/link"), b"new").unwrap();
    assert!(link.is_symlink());
    assert_eq!(fs::read_to_string(dir.path().join("inside/file")).unwrap(), "new");
    assert_eq!(root.read(Path::new("sub/link"), 100).unwrap(), b"new");
}

#[test]
fn links_in_a_circle_are_an_error() {
    let (dir, root) = world();
    symlink("b", dir.path().join("inside/a")).unwrap();
    symlink("a", dir.path().join("inside/b")).unwrap();
    assert!(matches!(root.write_atomic(Path::new("a"), b""), Err(FileError::Io { .. })));
}

#[test]
fn the_mode_stays() {
    let (dir, root) = world();
    let file = dir.path().join("inside/file");
    for mode in [0o755, 0o600, 0o444, 0o4711] {
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
        root.write_atomic(Path::new("file"), b"new").unwrap();
        assert_eq!(file.metadata().unwrap().mode() & 0o7777, mode, "{mode:o}");
    }
}

#[test]
fn what_is_no_regular_file_is_left_alone() {
    let (dir, root) = world();
    let pipe = dir.path().join("inside/pipe");
    rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, Mode::RWXU).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(dir.path().join("inside/socket")).unwrap();
    for path in ["pipe", "socket", "sub"].map(Path::new) {
        let (read, written) = (root.read(path, 100), root.write_atomic(path, b"x"));
        assert!(matches!(read, Err(FileError::NotRegular(_))), "{}: {read:?}", path.display());
        assert!(matches!(written, Err(FileError::NotRegular(_))), "{}: {written:?}", path.display());
    }
}

#[test]
fn a_file_over_the_limit_is_not_read() {
    let (_dir, root) = world();
    assert!(matches!(root.read(Path::new("file"), 2), Err(FileError::TooLarge { size: 3, limit: 2, .. })));
    assert_eq!(root.read(Path::new("file"), 3).unwrap(), b"old");
}

#[test]
fn a_directory_that_was_renamed_is_still_the_one_that_was_opened() {
    let (dir, root) = world();
    fs::rename(dir.path().join("inside"), dir.path().join("moved")).unwrap();
    symlink("outside", dir.path().join("inside")).unwrap();
    root.write_atomic(Path::new("file"), b"new").unwrap();
    assert_eq!(fs::read_to_string(dir.path().join("moved/file")).unwrap(), "new");
    assert_eq!(fs::read_to_string(dir.path().join("outside/file")).unwrap(), "secret");
}

#[test]
fn links_swapped_in_while_it_is_written_never_lead_out() {
    let (dir, root) = world();
    let (inside, outside) = (dir.path().join("inside"), dir.path().join("outside"));
    symlink("../outside", inside.join("link")).unwrap();
    symlink("../outside/file", inside.join("file-link")).unwrap();
    let done = AtomicBool::new(false);
    let swap = |a: &str, b: &str| {
        let flags = rustix::fs::RenameFlags::EXCHANGE;
        rustix::fs::renameat_with(rustix::fs::CWD, inside.join(a), rustix::fs::CWD, inside.join(b), flags)
            .unwrap();
    };
    let (mut written, mut refused) = (0, 0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                swap("sub", "link");
                swap("file", "file-link");
            }
        });
        let mut count = |result: Result<(), FileError>| match result {
            Ok(()) => written += 1,
            Err(_) => refused += 1,
        };
        for _ in 0..300 {
            count(root.write_atomic(Path::new("sub/file"), b"planted"));
            count(root.write_atomic(Path::new("file"), b"planted"));
            let read = root.read(Path::new("sub/file"), 100).unwrap_or_default();
            assert_ne!(read, b"secret");
        }
        done.store(true, Ordering::Relaxed);
    });
    assert_eq!(fs::read_to_string(outside.join("file")).unwrap(), "secret");
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 1);
    assert!(written > 0 && refused > 0, "{written} written, {refused} refused: nothing was swapped");
}
