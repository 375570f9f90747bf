//! What the checks look at: the project's own files, and what Cargo knows of its crates. Judges nothing.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// The root of the workspace.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the tests are a folder of the workspace")
        .to_path_buf()
}

/// A text file of the project; `path` is relative to the root, with `/`.
pub(crate) struct SourceFile {
    pub(crate) path: String,
    pub(crate) text: String,
}

impl SourceFile {
    pub(crate) fn extension(&self) -> &str {
        Path::new(&self.path).extension().and_then(|extension| extension.to_str()).unwrap_or_default()
    }
}

/// Every text file that git keeps or would keep (new ones that are not ignored, too).
pub(crate) fn files() -> Vec<SourceFile> {
    let root = root();
    let mut git = Command::new("git");
    // The checkout may belong to another user than the one who tests.
    git.args(["-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
    let listing = stdout_of(git.current_dir(&root));
    let mut found = Vec::new();
    for path in listing.split('\0').filter(|path| !path.is_empty()) {
        // A deleted file is listed until the deletion is staged; a binary one is nobody's prose.
        if let Ok(text) = std::fs::read_to_string(root.join(path)) {
            found.push(SourceFile { path: path.to_owned(), text });
        }
    }
    assert!(
        found.iter().any(|file| file.path == "Cargo.toml"),
        "git lists no Cargo.toml in {}",
        root.display()
    );
    found
}

/// The Rust sources among [`files`].
pub(crate) fn rust_files() -> Vec<SourceFile> {
    files().into_iter().filter(|file| file.extension() == "rs").collect()
}

/// The workspace's own packages, as `cargo metadata` describes them.
pub(crate) fn packages() -> Vec<Value> {
    packages_of("Cargo.toml")
}

/// The packages of the workspace with this manifest.
pub(crate) fn packages_of(manifest: &str) -> Vec<Value> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["metadata", "--format-version=1", "--no-deps", "--offline", "--locked"]);
    cargo.args(["--manifest-path", manifest]);
    let metadata: Value =
        serde_json::from_str(&stdout_of(cargo.current_dir(root()))).expect("cargo metadata prints JSON");
    metadata["packages"].as_array().expect("cargo metadata lists packages").clone()
}

/// Fails with all of `faults`, one a line, unless there are none.
#[track_caller]
pub(crate) fn assert_none(rule: &str, faults: &[String]) {
    assert!(faults.is_empty(), "{rule}\n  {}\n", faults.join("\n  "));
}

fn stdout_of(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?} does not start: {error}"));
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("its output is UTF-8")
}
