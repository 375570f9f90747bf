//! Words that must not stand in any file. They are put together here, so that this file does not hold them.

use crate::project::{SourceFile, assert_none, files, rust_files};

/// Hosts of package registries: a mirror or an offline cache must do, and the tools know their own registry.
const REGISTRY_HOSTS: &[&[&str]] = &[
    &["crates", "io"],
    &["pypi", "org"],
    &["pythonhosted", "org"],
    &["npmjs", "org"],
    &["npmjs", "com"],
    &["deb", "debian", "org"],
];

#[test]
fn no_file_names_a_registry_host() {
    let mut faults = Vec::new();
    for file in files().iter().filter(|file| file.path != "Cargo.lock") {
        for host in REGISTRY_HOSTS.iter().map(|labels| labels.join(".")) {
            faults.extend(lines_with(file, |line| line.contains(&host)));
        }
    }
    assert_none("registries are named by their clients, not by us:", &faults);
}

#[test]
fn nothing_is_left_for_later() {
    // A mark with our name in brackets is a feature of the product: a request to the team.
    let product = concat!("TO", "DO(swarm)");
    let marks = [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X")];
    let mut faults = Vec::new();
    for file in files().iter().filter(|file| !is_lock_file(&file.path)) {
        faults.extend(lines_with(file, |line| {
            let line = line.replace(product, "");
            marks.iter().any(|mark| has_word(&line, mark))
        }));
    }
    assert_none("finish these:", &faults);
}

#[test]
fn no_test_is_switched_off_and_no_lint_without_a_reason() {
    let ignored = concat!("#[ig", "nore");
    let allowed = [concat!("#[al", "low("), concat!("#![al", "low(")];
    let mut faults = Vec::new();
    for file in rust_files() {
        faults.extend(lines_with(&file, |line| line.trim_start().starts_with(ignored)));
        faults
            .extend(lines_with(&file, |line| allowed.iter().any(|mark| line.trim_start().starts_with(mark))));
    }
    assert_none("run the test; use `#[expect(…, reason = \"…\")]` for a lint:", &faults);
}

#[test]
fn every_crate_has_the_lints_of_the_workspace() {
    let faults: Vec<String> = files()
        .into_iter()
        .filter(|file| file.path.ends_with("/Cargo.toml"))
        .filter(|file| !file.text.contains("[lints]\nworkspace = true\n"))
        .map(|file| file.path)
        .collect();
    assert_none("manifests without `[lints] workspace = true`:", &faults);
}

#[test]
fn a_mark_is_found_as_a_word_only() {
    let mark = concat!("XX", "X");
    assert!(has_word(&format!("// {mark}: later"), mark));
    assert!(!has_word(&format!("a{mark}"), mark) && !has_word(&format!("{mark}_ID"), mark));
}

fn lines_with(file: &SourceFile, wrong: impl Fn(&str) -> bool) -> Vec<String> {
    let numbered = file.text.lines().enumerate();
    numbered
        .filter(|(_, line)| wrong(line))
        .map(|(index, line)| format!("{}:{}: {}", file.path, index + 1, line.trim()))
        .collect()
}

fn has_word(line: &str, word: &str) -> bool {
    let is_part = |character: Option<char>| character.is_some_and(|c| c.is_alphanumeric() || c == '_');
    line.match_indices(word).any(|(at, _)| {
        let (before, after) = (line[..at].chars().next_back(), line[at + word.len()..].chars().next());
        !is_part(before) && !is_part(after)
    })
}

fn is_lock_file(path: &str) -> bool {
    path.ends_with("Cargo.lock") || path.ends_with("package-lock.json")
}
