//! Code that must see nothing but its arguments, so that a decision can be explained and repeated.

use crate::project::{assert_none, rust_files};

/// Files and folders of `guard` that only decide.
const PURE: &[&str] = &["decide", "effect", "grant", "rules"];

/// A clock, a disk, an environment, a process, or something to wait for.
const IMPURE: &[&str] = &[
    "std::env",
    "std::fs",
    "std::process",
    "std::time",
    "tokio",
    "async ",
    ".await",
    ".canonicalize(",
    ".exists(",
    ".is_dir(",
    ".is_file(",
    ".metadata(",
    ".read_link(",
    "static mut ",
];

#[test]
fn what_decides_sees_nothing_but_its_arguments() {
    let mut seen = 0;
    let mut faults = Vec::new();
    for file in rust_files() {
        let Some(rest) = file.path.strip_prefix("server/guard/src/") else { continue };
        if !PURE.contains(&rest.split(['/', '.']).next().unwrap_or_default()) {
            continue;
        }
        seen += 1;
        for (index, line) in file.text.lines().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            if IMPURE.iter().any(|word| code.contains(word)) {
                faults.push(format!("{}:{}: {}", file.path, index + 1, line.trim()));
            }
        }
    }
    assert!(seen >= PURE.len(), "the files that decide have moved; name them in tests/house/purity.rs");
    assert_none("impure code where decisions are made:", &faults);
}
