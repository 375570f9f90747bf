//! The places that matter on a user's machine: what holds secrets, what runs by itself, what git needs.
//! The lists are data. It looks at the disk, and must not change it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::policy::{Confinement, Network, Policy, Protected};

/// Beneath the home: keys, tokens, passwords, and histories that hold them.
const SECRETS: [&str; 59] = [
    ".ssh",
    ".gnupg",
    ".pki",
    ".password-store",
    ".local/share/keyrings",
    ".local/share/kwalletd",
    ".aws",
    ".azure",
    ".oci",
    ".kube",
    ".minikube",
    ".docker",
    ".config/containers/auth.json",
    ".config/gcloud",
    ".config/gh",
    ".config/glab-cli",
    ".config/hub",
    ".config/op",
    ".config/rclone",
    ".config/sops",
    ".config/doctl",
    ".config/heroku",
    ".config/netlify",
    ".config/configstore",
    ".config/git/credentials",
    ".config/github-copilot",
    ".config/anthropic",
    ".config/openai",
    ".anthropic",
    ".claude",
    ".claude.json",
    ".codex",
    ".gemini",
    ".git-credentials",
    ".netrc",
    ".npmrc",
    ".yarnrc.yml",
    ".pypirc",
    ".pgpass",
    ".my.cnf",
    ".vault-token",
    ".terraform.d",
    ".terraformrc",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".gem/credentials",
    ".m2/settings.xml",
    ".m2/settings-security.xml",
    ".gradle/gradle.properties",
    ".nuget/NuGet",
    ".mozilla",
    ".thunderbird",
    ".config/google-chrome",
    ".config/chromium",
    ".config/BraveSoftware",
    ".config/microsoft-edge",
    ".config/Code/User/globalStorage",
    ".bash_history",
    ".zsh_history",
];

/// Of the machine: what only its administrator should read, for the case that the administrator runs the editor,
/// and the sockets and other state of running services.
const MACHINE: [&str; 7] =
    ["/run", "/var/run", "/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/ssh"];

/// Where homes are, of which only the user's own is shown.
const HOMES: [&str; 2] = ["/home", "/root"];

/// Inside a workspace: what runs by itself, for the user, when an editor, a shell or git comes by.
fn self_running() -> Vec<Protected> {
    vec![
        Protected::Directory(".swarm".into()),
        Protected::Directory(".vscode".into()),
        Protected::File(".envrc".into()),
        Protected::File(".git/config".into()),
        Protected::File(".git/config.worktree".into()),
        Protected::Directory(".git/hooks".into()),
        // Each other worktree's part has a file that says where its configuration is.
        Protected::File(".git/worktrees".into()),
    ]
}

impl Policy {
    /// The usual walls for work in `workspace`: its git paths writable, secrets hidden, no network. Who calls adds
    /// the swarm root and the user's own list to `hidden`.
    ///
    /// # Errors
    /// When the workspace or the home cannot be found.
    pub fn for_workspace(workspace: &Path, home: &Path) -> io::Result<Self> {
        let (workspace, home) = (workspace.canonicalize()?, home.canonicalize()?);
        let secrets = SECRETS.iter().map(|path| home.join(path));
        let homes = HOMES.iter().filter(|path| Path::new(path) != home);
        let machine = MACHINE.iter().chain(homes).map(PathBuf::from);
        let worktree = git_paths(&workspace)?;
        let mut readonly_within = self_running();
        readonly_within.extend(worktree.readonly);
        Ok(Self {
            writable: worktree.writable,
            readonly_within,
            hidden: secrets.chain(machine).collect(),
            caches: None,
            temp: None,
            network: Network::None,
            confinement: Confinement::Full,
            workspace,
            home,
        })
    }
}

/// What a commit in a linked worktree touches outside of it, as gitrepository-layout(5) has it.
#[derive(Debug, Default, PartialEq, Eq)]
struct GitPaths {
    writable: Vec<PathBuf>,
    /// Git's configuration, and what would make it read another one.
    readonly: Vec<Protected>,
}

fn git_paths(workspace: &Path) -> io::Result<GitPaths> {
    let link = workspace.join(".git");
    if !link.is_file() {
        return Ok(GitPaths::default());
    }
    // Files that are not git's own are nothing to protect.
    let text = fs::read_to_string(&link).unwrap_or_default();
    let Some(git_dir) = text.strip_prefix("gitdir:").map(|path| workspace.join(path.trim())) else {
        return Ok(GitPaths::default());
    };
    let git_dir = git_dir.canonicalize()?;
    let file = |path: PathBuf| Protected::File(path);
    let mut readonly = vec![file(link)];
    readonly
        .extend(["config", "config.worktree", "commondir", "gitdir"].map(|name| file(git_dir.join(name))));
    let mut writable = vec![git_dir.clone()];
    if let Ok(common) = fs::read_to_string(git_dir.join("commondir")) {
        let common = git_dir.join(common.trim()).canonicalize()?;
        readonly.extend(["config", "config.worktree", "worktrees"].map(|name| file(common.join(name))));
        readonly.push(Protected::Directory(common.join("hooks")));
        writable.push(common);
    }
    Ok(GitPaths { writable, readonly })
}

#[cfg(test)]
mod tests;
