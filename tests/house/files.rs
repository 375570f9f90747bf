//! What a file looks like: its head, its length, its name.

use std::os::unix::fs::PermissionsExt;

use crate::project::{SourceFile, assert_none, files, root, rust_files};

/// The most lines of a file. Past half of it, ask why; past it, it is two things.
const MOST_LINES: usize = 500;

/// Longer files, each with the reason why it stays whole.
const LONGER: &[(&str, &str)] =
    &[("server/guard/tests/shell/levels.txt", "a table of commands, each with its level, is one thing")];

/// What `server/wire/src/types.rs` says at the head of what it writes.
const GENERATED: &str = "Generated from the types of server/wire";

/// Names that say nothing of what a file owns.
const EMPTY_NAMES: &[&str] = &["utils", "util", "helpers", "common", "manager", "misc", "mod"];

#[test]
fn every_rust_file_opens_with_what_it_owns() {
    let faults: Vec<String> = rust_files()
        .into_iter()
        // A `tests.rs` owns the tests of the file that it lies beside.
        .filter(|file| !file.text.starts_with("//! ") && !file.path.ends_with("/tests.rs"))
        .map(|file| file.path)
        .collect();
    assert_none("files without a `//!` head that says what they own:", &faults);
}

#[test]
fn no_file_is_longer_than_a_reader_bears() {
    let mut faults = Vec::new();
    for file in files().iter().filter(|file| is_written_by_hand(file)) {
        let lines = file.text.lines().count();
        let excepted = LONGER.iter().any(|(path, _)| *path == file.path);
        if lines > MOST_LINES && !excepted {
            faults.push(format!("{} has {lines} lines, at most {MOST_LINES} are allowed", file.path));
        }
        if lines <= MOST_LINES && excepted {
            faults.push(format!("{} needs no exception any more", file.path));
        }
    }
    assert_none("split these, or name them in tests/house/files.rs with the reason:", &faults);
}

#[test]
fn a_file_is_named_after_what_it_owns() {
    let faults: Vec<String> = files()
        .into_iter()
        .filter(|file| matches!(file.extension(), "rs" | "lua" | "ts" | "mjs" | "py"))
        .map(|file| file.path)
        .filter(|path| {
            path.split('/').any(|part| EMPTY_NAMES.contains(&part.split('.').next().unwrap_or_default()))
        })
        .collect();
    assert_none("names that say nothing:", &faults);
}

#[test]
fn a_script_can_be_run_and_stops_at_its_first_failure() {
    let mut faults = Vec::new();
    for file in files() {
        let Some(shebang) = file.text.lines().next().filter(|line| line.starts_with("#!/")) else { continue };
        let mode = std::fs::metadata(root().join(&file.path)).expect("git lists it").permissions().mode();
        if mode & 0o100 == 0 {
            faults.push(format!("{} is not executable", file.path));
        }
        if shebang.ends_with("bash") && !file.text.lines().any(|line| line == "set -euo pipefail") {
            faults.push(format!("{} lacks `set -euo pipefail`", file.path));
        }
    }
    assert_none("scripts:", &faults);
}

/// Not what a tool writes: lock files, snapshots, schemas, the clients' types.
fn is_written_by_hand(file: &SourceFile) -> bool {
    let name = file.path.rsplit('/').next().unwrap_or(&file.path);
    !matches!(name, "Cargo.lock" | "package-lock.json")
        && !name.ends_with(".snap")
        && !name.ends_with(".schema.json")
        && !file.text.lines().take(2).any(|line| line.contains(GENERATED))
}
