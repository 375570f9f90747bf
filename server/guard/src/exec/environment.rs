//! What a command is told by its environment: what the user has, without keys, and without the ways to what runs outside.
//! It must not read this process's environment; who calls hands it over.

use std::collections::BTreeMap;
use std::path::Path;

use super::policy::{Confinement, Policy};

/// Names of what leads out of the walls: terminals, editors, agents, buses, displays, other machines' daemons.
const WAYS_OUT: [&str; 35] = [
    "TMUX",
    "TMUX_PANE",
    "STY",
    "NVIM",
    "NVIM_LISTEN_ADDRESS",
    "KITTY_LISTEN_ON",
    "WEZTERM_UNIX_SOCKET",
    "ALACRITTY_SOCKET",
    "ITERM_SESSION_ID",
    "GNOME_TERMINAL_SCREEN",
    "SSH_AUTH_SOCK",
    "SSH_AGENT_PID",
    "SSH_ASKPASS",
    "GIT_ASKPASS",
    "SUDO_ASKPASS",
    "GPG_AGENT_INFO",
    "GPG_TTY",
    "DOCKER_HOST",
    "CONTAINER_HOST",
    "KUBECONFIG",
    "XDG_RUNTIME_DIR",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "WAYLAND_SOCKET",
    "XAUTHORITY",
    "SESSION_MANAGER",
    "I3SOCK",
    "SWAYSOCK",
    "HYPRLAND_INSTANCE_SIGNATURE",
    "EMACS_SOCKET_NAME",
    "EDITOR_SOCKET",
    "PULSE_SERVER",
    "NOTIFY_SOCKET",
    "LISTEN_FDS",
    "BROWSER",
];

/// The beginnings of further such names, and of those that hold keys whatever they end in.
const PREFIXES: [&str; 12] = [
    "VSCODE_",
    "DBUS_",
    "ZELLIJ",
    "SWARM_",
    "AWS_",
    "AZURE_",
    "ARM_",
    "CI_JOB_",
    "ACTIONS_",
    "LC_SSH",
    "BASH_FUNC_",
    "OP_",
];

/// The ends of names that hold a secret.
const SECRETS: [&str; 14] = [
    "KEY",
    "KEYS",
    "TOKEN",
    "TOKENS",
    "SECRET",
    "SECRETS",
    "PASSWORD",
    "PASSWD",
    "PASS",
    "PASSPHRASE",
    "CREDENTIALS",
    "CREDENTIAL",
    "PAT",
    "AUTH",
];

/// What makes a shell or a loader run something of its own accord.
const SELF_RUNNING: [&str; 8] =
    ["BASH_ENV", "ENV", "PROMPT_COMMAND", "SHELLOPTS", "BASHOPTS", "PS4", "LD_PRELOAD", "LD_AUDIT"];

/// An environment that was cleaned. It can't be had otherwise.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Environment(BTreeMap<String, String>);

impl Environment {
    /// Takes from `inherited` what a command may know.
    pub fn scrubbed(inherited: impl IntoIterator<Item = (String, String)>) -> Self {
        Self(inherited.into_iter().filter(|(name, _)| is_harmless(name)).collect())
    }

    /// Takes all of `inherited`: for a command that a person lets out of its walls, which may need the ways out.
    pub fn whole(inherited: impl IntoIterator<Item = (String, String)>) -> Self {
        Self(inherited.into_iter().collect())
    }

    /// Adds a variable whatever its name is: it was chosen for the command.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.0.insert(name.into(), value.into());
        self
    }

    /// Points programs at the places of a policy. Without walls they are where they always are.
    pub(super) fn place(&mut self, policy: &Policy) {
        if policy.confinement == Confinement::Off {
            return;
        }
        let mut set = |name: &str, path: &Path| {
            self.0.insert(name.to_owned(), path.to_string_lossy().into_owned());
        };
        set("HOME", &policy.home);
        match (&policy.temp, policy.confinement) {
            (Some(temp), Confinement::Partial) => set("TMPDIR", temp),
            _ => set("TMPDIR", Path::new("/tmp")),
        }
        if let Some(caches) = &policy.caches {
            for (name, place) in CACHES {
                set(name, &caches.join(place));
            }
        }
    }

    pub(super) fn into_pairs(self) -> Vec<(String, String)> {
        self.0.into_iter().collect()
    }
}

/// The variables that name a tool's cache, and where each is in the caches of a policy.
pub(super) const CACHES: [(&str, &str); 6] = [
    ("CARGO_HOME", "cargo"),
    ("npm_config_cache", "npm"),
    ("PIP_CACHE_DIR", "pip"),
    ("XDG_CACHE_HOME", "xdg"),
    ("GOMODCACHE", "go-mod"),
    ("GOCACHE", "go-build"),
];

fn is_harmless(name: &str) -> bool {
    let upper = name.to_uppercase();
    // A secret's name ends in what it is, as a word of its own or not: `API_KEY`, `APIKEY`.
    let secret = SECRETS.iter().any(|end| {
        upper
            .strip_suffix(end)
            .is_some_and(|rest| rest.is_empty() || rest.ends_with('_') || rest.ends_with("API"))
    });
    !secret
        && !WAYS_OUT.contains(&name)
        && !SELF_RUNNING.contains(&name)
        && !PREFIXES.iter().any(|prefix| upper.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_ways_out_are_removed_and_the_rest_is_kept() {
        let removed = [
            "TMUX",
            "NVIM",
            "VSCODE_IPC_HOOK_CLI",
            "SSH_AUTH_SOCK",
            "DBUS_SESSION_BUS_ADDRESS",
            "DOCKER_HOST",
            "ANTHROPIC_API_KEY",
            "OPENAI_APIKEY",
            "GITHUB_TOKEN",
            "AWS_ACCESS_KEY_ID",
            "npm_token",
            "DB_PASSWORD",
            "BASH_ENV",
            "BASH_FUNC_ls%%",
            "LD_PRELOAD",
            "XDG_RUNTIME_DIR",
            "SWARM_HOME",
        ];
        let kept = ["PATH", "LANG", "RUSTUP_HOME", "TERM", "MONKEY", "COMPASS", "KEYBOARD", "http_proxy"];
        let names = removed.iter().chain(&kept).map(|name| ((*name).to_owned(), "x".to_owned()));
        let mut expected: Vec<&str> = kept.to_vec();
        expected.sort_unstable();
        let found = Environment::scrubbed(names).into_pairs();
        assert_eq!(found.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn what_is_chosen_for_a_command_is_kept_whatever_its_name() {
        let environment = Environment::scrubbed([]).with("TEST_DB_PASSWORD", "x");
        assert_eq!(environment.into_pairs(), [("TEST_DB_PASSWORD".to_owned(), "x".to_owned())]);
    }
}
