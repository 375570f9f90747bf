//! No forgotten file: every Rust source is compiled, because a chain of `mod` lines leads to it from a target.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::project::{assert_none, packages, packages_of, root, rust_files};

/// Workspaces of their own beside ours, each with the reason.
const APART: &[(&str, &str)] =
    &[("server/guard/fuzz/Cargo.toml", "an instrumenting compiler builds it, and nothing else")];

#[test]
fn every_rust_file_is_part_of_a_target() {
    let mut reached = BTreeSet::new();
    let apart = APART.iter().flat_map(|(manifest, _)| packages_of(manifest));
    for package in packages().into_iter().chain(apart) {
        for target in package["targets"].as_array().expect("a package lists its targets") {
            let path = target["src_path"].as_str().expect("a target has a source");
            reach(&normal(Path::new(path)), true, &mut reached);
        }
    }
    let forgotten: Vec<String> = rust_files()
        .into_iter()
        .filter(|file| !reached.contains(&root().join(&file.path)))
        .map(|file| file.path)
        .collect();
    assert_none("files that no `mod` line leads to, so that nothing in them is compiled:", &forgotten);
}

/// Adds `file` and the modules it declares. A target's root, a `mod.rs` and a file named by `#[path]` have theirs
/// beside them, another file in the folder of its name.
fn reach(file: &Path, owns_folder: bool, reached: &mut BTreeSet<PathBuf>) {
    if !reached.insert(file.to_path_buf()) {
        return;
    }
    let Ok(text) = std::fs::read_to_string(file) else { return };
    let beside = file.parent().expect("a file is in a folder");
    let folder = if owns_folder { beside.to_path_buf() } else { file.with_extension("") };
    for module in declared_modules(&text) {
        match module {
            Module::At(path) => reach(&normal(&beside.join(path)), true, reached),
            Module::Named(name) => {
                let inside = folder.join(&name).join("mod.rs");
                if inside.is_file() {
                    reach(&inside, true, reached);
                } else {
                    reach(&folder.join(format!("{name}.rs")), false, reached);
                }
            }
        }
    }
}

enum Module {
    Named(String),
    /// With a `#[path]`, relative to the folder of the file that declares it.
    At(String),
}

/// The `mod name;` lines; blocks `mod name { … }` hold no files in this project.
fn declared_modules(text: &str) -> Vec<Module> {
    let mut found = Vec::new();
    let mut path = None;
    for line in text.lines().map(str::trim) {
        if let Some(rest) = line.strip_prefix("#[path = \"") {
            path = rest.split('"').next().map(str::to_owned);
            continue;
        }
        let declaration = line.strip_prefix("pub(crate) ").or(line.strip_prefix("pub ")).unwrap_or(line);
        if let Some(name) = declaration.strip_prefix("mod ").and_then(|rest| rest.strip_suffix(';')) {
            found.push(path.take().map_or_else(|| Module::Named(name.to_owned()), Module::At));
        } else if !line.starts_with("#[") {
            path = None;
        }
    }
    found
}

/// Without `.` and `..`, as the listing of files has it.
fn normal(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::ParentDir => {
                plain.pop();
            }
            std::path::Component::CurDir => {}
            other => plain.push(other),
        }
    }
    plain
}

#[test]
fn modules_are_found_with_their_visibility_attributes_and_paths() {
    let text = "mod a;\n#[cfg(test)]\nmod b;\npub(crate) mod c;\n#[path = \"../d.rs\"]\nmod d;\nmod e { }\n";
    let names: Vec<String> = declared_modules(text)
        .into_iter()
        .map(|module| match module {
            Module::Named(name) => name,
            Module::At(path) => format!("at {path}"),
        })
        .collect();
    assert_eq!(names, ["a", "b", "c", "at ../d.rs"]);
}
