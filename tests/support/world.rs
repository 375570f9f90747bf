//! A place of its own for one test: a state root, a home, a workspace, an environment with nothing else in it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use crate::caps::Caps;
use crate::editor::{Editor, WAIT};
use crate::model::FakeModel;
use crate::processes::{self, MARK};

static NEXT: AtomicU32 = AtomicU32::new(0);

/// Everything that the servers of one test can touch; gone when it and its editors are dropped.
pub struct World {
    binary: PathBuf,
    root: Arc<tempfile::TempDir>,
    workspace: PathBuf,
    id: String,
    env: Vec<(String, String)>,
}

impl World {
    /// A world around the built `binary`, with an empty workspace.
    pub fn new(binary: &str) -> Self {
        Self::with_workspace(binary, "workspace")
    }

    /// A world whose workspace folder has this name.
    pub fn with_workspace(binary: &str, name: &str) -> Self {
        let root = tempfile::Builder::new()
            .prefix("swarm-test-")
            .tempdir()
            .unwrap_or_else(|error| panic!("{error}"));
        let real = root.path().canonicalize().unwrap_or_else(|error| panic!("{error}"));
        let id = format!("{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let workspace = real.join(name);
        for folder in [&workspace, &real.join("home"), &real.join("tmp")] {
            fs::create_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        }
        Self { binary: binary.into(), root: Arc::new(root), workspace, id, env: Vec::new() }
    }

    /// Sets a variable for the servers started from now on.
    pub fn env(&mut self, name: &str, value: impl Into<String>) -> &mut Self {
        self.env.push((name.into(), value.into()));
        self
    }

    /// Points the servers started from now on at this model.
    pub fn model(&mut self, model: &FakeModel) -> &mut Self {
        self.env("ANTHROPIC_BASE_URL", model.base_url()).env("ANTHROPIC_API_KEY", "test-key")
    }

    pub fn workspace(&self) -> &Path {
        &self.workspace
    }

    /// The state root of the servers.
    pub fn swarm_home(&self) -> PathBuf {
        self.root.path().join("swarm")
    }

    /// A path beside all that the servers know of.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    /// What marks the processes of this world.
    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    /// An absolute path within the workspace.
    pub fn path(&self, relative: &str) -> PathBuf {
        self.workspace.join(relative)
    }

    /// The URI of a file in the workspace.
    pub fn uri(&self, relative: &str) -> String {
        uri(&self.path(relative))
    }

    /// Writes a file in the workspace.
    pub fn write(&self, relative: &str, text: &str) -> PathBuf {
        let path = self.path(relative);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).unwrap_or_else(|error| panic!("{}: {error}", parent.display()));
        }
        fs::write(&path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        path
    }

    /// The text of a file in the workspace.
    pub fn read(&self, relative: &str) -> String {
        let path = self.path(relative);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// The binary with these arguments, in this world's environment.
    pub fn command(&self, arguments: &[&str]) -> Command {
        self.program(&self.binary, arguments)
    }

    /// A program with these arguments, in this world's environment.
    pub fn program(&self, program: impl AsRef<Path>, arguments: &[&str]) -> Command {
        let mut command = Command::new(program.as_ref());
        let at = |name: &str| self.root.path().join(name);
        command
            .args(arguments)
            .current_dir(&self.workspace)
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("HOME", at("home"))
            .env("TMPDIR", at("tmp"))
            .env("TMUX_TMPDIR", at("tmp"))
            .env("LANG", "C.UTF-8")
            // Model servers of the machine that tests run on are not theirs.
            .env("OLLAMA_HOST", "127.0.0.1:1")
            .env("LLAMA_ARG_PORT", "2")
            .env("SWARM_HOME", at("swarm"))
            .env(MARK, &self.id)
            .envs(self.env.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Waits until a process whose command line has `words` runs in this world.
    pub fn wait_for_process(&self, words: &str) {
        let deadline = Instant::now() + WAIT;
        while !processes::running(&self.id).iter().any(|line| line.contains(words)) {
            assert!(
                Instant::now() < deadline,
                "no process has {words:?}: {:?}",
                processes::running(&self.id)
            );
            std::thread::yield_now();
        }
    }

    /// The processes of this world whose command line has `words`: each its id and that line.
    pub fn running(&self, words: &str) -> Vec<String> {
        processes::running(&self.id).into_iter().filter(|line| line.contains(words)).collect()
    }

    /// Fails when a process of this world still runs after `within`.
    pub fn none_left(&self, within: Duration) {
        if let Err(left) = processes::none_left(&self.id, within) {
            panic!("still running after {within:?}: {left:#?}");
        }
    }

    /// An editor that has shaken hands with a server of its own.
    pub fn editor(&self, caps: Caps) -> Editor {
        let mut editor = self.unshaken();
        editor.initialize(&caps, Some(&self.workspace));
        editor
    }

    /// An editor that has said nothing yet.
    pub fn unshaken(&self) -> Editor {
        self.unshaken_with(&[])
    }

    /// The same, whose server is started with these arguments.
    pub fn unshaken_with(&self, arguments: &[&str]) -> Editor {
        let mut command = self.command(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        Editor::start(command, self.id.clone(), self.root.clone())
    }
}

/// The `file:` URI of an absolute path.
pub(crate) fn uri(path: &Path) -> String {
    let mut uri = String::from("file://");
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'/' | b'-' | b'.' | b'_' | b'~' | b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => {
                uri.push(*byte as char)
            }
            other => uri.push_str(&format!("%{other:02X}")),
        }
    }
    uri
}
