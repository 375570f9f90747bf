//! The places that matter on a user's machine: what holds secrets, what runs by itself, what git needs.
//! The lists are data. It looks at the disk, and must not change it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::policy::{Confinement, Network, Policy, Protected};
use crate::decide::Worktree;

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

    /// The same for work in a member's own worktree. The user's checkout is not there for it, and of its repository only
    /// what a commit on the team's branches needs can be written.
    ///
    /// # Errors
    /// When the worktree, its repository or the home cannot be found.
    pub fn for_worktree(worktree: &Worktree, home: &Path) -> io::Result<Self> {
        let mut policy = Self::for_workspace(&worktree.path, home)?;
        let GitPaths { writable, readonly } = git_paths_of_member(worktree)?;
        policy.writable = writable;
        // What runs by itself does so in the worktree; in the repository's folders such names mean nothing.
        policy.readonly_within =
            self_running().into_iter().map(|path| path.beneath(&policy.workspace)).chain(readonly).collect();
        // One that holds the home cannot go away without it.
        if !policy.home.starts_with(&worktree.checkout) {
            policy.hidden.push(worktree.checkout.clone());
        }
        Ok(policy)
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
    let Some(Linked { mut readonly, git_dir, common }) = Linked::find(workspace)? else {
        return Ok(GitPaths::default());
    };
    let mut writable = vec![git_dir];
    if let Some(common) = common {
        readonly.extend(["config", "config.worktree", "worktrees"].map(|name| file(common.join(name))));
        readonly.push(Protected::Directory(common.join("hooks")));
        writable.push(common);
    }
    Ok(GitPaths { writable, readonly })
}

/// What a repository has of its own checkout, of all branches, and of its configuration. Git makes locks beside it.
const OF_THE_USER: [&str; 11] = [
    "HEAD",
    "ORIG_HEAD",
    "config",
    "config.worktree",
    "index",
    "info",
    "logs",
    "modules",
    "packed-refs",
    "refs",
    "worktrees",
];

/// The same for a member's own worktree: of the repository only what a commit on the team's branches needs.
fn git_paths_of_member(worktree: &Worktree) -> io::Result<GitPaths> {
    let not_linked = || io::Error::new(io::ErrorKind::NotFound, "it is no git worktree any more");
    let Linked { mut readonly, git_dir, common } = Linked::find(&worktree.path)?.ok_or_else(not_linked)?;
    let common = common.ok_or_else(not_linked)?;
    let branches = Path::new("refs/heads").join(&worktree.branch);
    let branches = branches.parent().unwrap_or(Path::new("refs/heads"));
    readonly.extend(OF_THE_USER.map(|name| file(common.join(name))));
    readonly.push(Protected::Directory(common.join("hooks")));
    let writable = vec![git_dir, common.join(branches), common.join("logs").join(branches), common];
    Ok(GitPaths { writable, readonly })
}

/// A linked worktree's way to its repository.
struct Linked {
    /// What leads there, and what would make git read another configuration.
    readonly: Vec<Protected>,
    git_dir: PathBuf,
    /// What it shares with the repository's other worktrees.
    common: Option<PathBuf>,
}

impl Linked {
    /// `None` when git has no link there.
    fn find(workspace: &Path) -> io::Result<Option<Self>> {
        let link = workspace.join(".git");
        if !link.is_file() {
            return Ok(None);
        }
        // Files that are not git's own are nothing to protect.
        let text = fs::read_to_string(&link).unwrap_or_default();
        let Some(git_dir) = text.strip_prefix("gitdir:").map(|path| workspace.join(path.trim())) else {
            return Ok(None);
        };
        let git_dir = git_dir.canonicalize()?;
        let mut readonly = vec![file(link)];
        readonly.extend(
            ["config", "config.worktree", "commondir", "gitdir"].map(|name| file(git_dir.join(name))),
        );
        let common = match fs::read_to_string(git_dir.join("commondir")) {
            Ok(common) => Some(git_dir.join(common.trim()).canonicalize()?),
            Err(_) => None,
        };
        Ok(Some(Self { readonly, git_dir, common }))
    }
}

fn file(path: PathBuf) -> Protected {
    Protected::File(path)
}

#[cfg(test)]
mod tests;
