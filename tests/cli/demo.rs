//! `swarm-ls demo`, answered by `--yes`, at a terminal, and by nobody.

use std::io::{BufRead as _, BufReader, Write as _};
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
        "ben        ? asks: Edit test.sh",
        "cleo       ? asks: Create README.md",
        "team-lead  ? asks: ",
        "+    '' | '#'*) continue ;;",
        "team-lead  Ada is done",
        "$ git diff\n",
        "+++ b/README.md",
        "ok: the total is 42\nok: an empty list adds up to 0",
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
    typed.write_all("no leave it\n".repeat(4).as_bytes()).unwrap();
    let Output { status, stdout, .. } = child.wait_with_output().unwrap();
    let out = text(&stdout);
    // The edit was rejected, so the test stays red, and the demo says so with its exit code.
    assert_eq!(status.code(), Some(1), "{out}");
    assert!(out.contains("allow? [y]es"), "{out}");
    assert!(out.contains("The user rejected this call. They said: leave it"), "{out}");
    assert!(out.contains("the test still fails"), "{out}");
}

#[test]
fn without_a_screen_there_is_no_table_and_no_color() {
    let folder = tempfile::tempdir().unwrap();
    for (term, screen) in [("dumb", false), ("xterm", true)] {
        let line = format!("'{}' demo --yes", env!("CARGO_BIN_EXE_swarm-ls"));
        let mut command = Command::new("script");
        command.args(["--quiet", "--return", "--command", &line, "/dev/null"]);
        command.env("TMPDIR", folder.path()).env("HOME", folder.path()).env("TERM", term);
        let Output { status, stdout, .. } =
            command.env("NO_COLOR", "1").stdin(Stdio::null()).output().unwrap();
        let out = text(&stdout);
        assert!(status.success(), "{out}");
        assert_eq!(out.contains("\x1b["), screen, "{out:?}");
        // Cursor and erasure are used, and nothing that colors.
        let orders =
            out.split("\x1b[").skip(1).map(|order| order.trim_start_matches(|c: char| c.is_ascii_digit()));
        orders.for_each(|order| assert!(order.starts_with(['A', 'J']), "{order:?} in {out}"));
        assert_eq!(out.contains("● ada        works"), screen, "{out}");
    }
    assert_eq!(left_in(folder.path()), [""; 0]);
}

#[test]
fn a_signal_ends_it_and_takes_its_folder_along() {
    for signal in ["-TERM", "-HUP", "-INT"] {
        let folder = tempfile::tempdir().unwrap();
        let mut child =
            demo(&folder, &["--yes"]).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap()).lines();
        out.find(|line| line.as_ref().unwrap().contains("joins the team")).unwrap().unwrap();
        let sent = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
        assert!(sent.success());
        assert_eq!(child.wait().unwrap().code(), Some(1), "{signal}");
        assert_eq!(left_in(folder.path()), [""; 0], "{signal}");
    }
}
