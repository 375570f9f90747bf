//! `swarm-ls demo`, answered by `--yes`, at a terminal, and by nobody.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// The binary with a temporary folder of its own, so that what it leaves there can be seen.
fn demo(folder: &TempDir, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_swarm-ls"));
    command
        .arg("demo")
        .args(arguments)
        .env("TMPDIR", folder.path())
        .env("HOME", folder.path())
        .stdin(Stdio::null());
    command
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn left_in(folder: &Path) -> Vec<String> {
    let left = std::fs::read_dir(folder).unwrap();
    left.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn it_mends_the_program_shows_the_diff_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let Output { status, stdout, stderr } = demo(&folder, &["--yes"]).output().unwrap();
    let (out, err) = (text(&stdout), text(&stderr));
    assert!(status.success(), "{out}\n{err}");
    assert_eq!(err, "");
    for expected in [
        "ada        ? asks: Edit total.sh",
        "✗ FAILED: the total should be 42",
        "+    '' | '#'*) continue ;;",
        "team-lead  Ada is done",
        "$ git diff\n",
        "ok: the total is 42",
    ] {
        assert!(out.contains(expected), "no {expected:?} in:\n{out}");
    }
    assert_eq!(left_in(folder.path()), [""; 0]);
}

#[test]
fn without_a_terminal_it_says_that_yes_is_needed() {
    let folder = tempfile::tempdir().unwrap();
    let Output { status, stdout, stderr } = demo(&folder, &[]).output().unwrap();
    assert_eq!(status.code(), Some(1));
    assert_eq!(text(&stdout), "");
    assert!(text(&stderr).contains("--yes"));
    assert_eq!(left_in(folder.path()), [""; 0]);
}

#[test]
fn keep_keeps_the_repository_and_says_where() {
    let folder = tempfile::tempdir().unwrap();
    let Output { status, stdout, .. } = demo(&folder, &["--yes", "--keep"]).output().unwrap();
    assert!(status.success());
    let out = text(&stdout);
    let kept = out.lines().find_map(|line| line.strip_prefix("Kept: ")).unwrap();
    let mended = std::fs::read_to_string(Path::new(kept).join("repo/total.sh")).unwrap();
    assert!(mended.contains("'' | '#'*)"));
    assert!(Path::new(kept).join("state/teams/repo.json").is_file());
}

#[test]
fn at_a_terminal_each_question_is_answered_by_its_line() {
    let folder = tempfile::tempdir().unwrap();
    // `script` gives the demo a terminal, and types what it is given.
    let line = format!("'{}' demo", env!("CARGO_BIN_EXE_swarm-ls"));
    let mut child = Command::new("script")
        .args(["--quiet", "--return", "--command", &line, "/dev/null"])
        .env("TMPDIR", folder.path())
        .env("HOME", folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut typed = child.stdin.take().unwrap();
    typed.write_all(b"y\nno leave it\ny\n").unwrap();
    let Output { status, stdout, .. } = child.wait_with_output().unwrap();
    let out = text(&stdout);
    // The edit was rejected, so the test stays red, and the demo says so with its exit code.
    assert_eq!(status.code(), Some(1), "{out}");
    assert!(out.contains("allow? [y]es"), "{out}");
    assert!(out.contains("The user rejected this call. They said: leave it"), "{out}");
    assert!(out.contains("the test still fails"), "{out}");
}
