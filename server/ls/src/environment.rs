//! The process's environment, read once where it starts; everybody else takes values.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use swarm_guard::exec::Helper;
use swarm_leader::Machine;
use swarm_wire::settings::{Secret, Settings};
use tracing_subscriber::filter::LevelFilter;

/// Parts of names of variables that hold secrets.
const SECRET: [&str; 7] = ["KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL", "AUTH"];
/// Beginnings of names of variables that lead out of a command's walls, or are this server's own.
const LEADS_OUT: [&str; 14] = [
    "ANTHROPIC_",
    "BASH_ENV",
    "BASH_FUNC_",
    "DBUS_",
    "DISPLAY",
    "DOCKER_HOST",
    "NVIM",
    "OPENAI_",
    "SSH_",
    "SWARM_",
    "TMUX",
    "VSCODE_",
    "WAYLAND_",
    "XDG_RUNTIME_DIR",
];

/// What the environment says that anything here depends on.
pub(crate) struct Environment {
    /// The user's home, absolute.
    home: PathBuf,
    /// What agents' commands find in their environment.
    commands: Vec<(String, String)>,
    /// How much the server logs: `SWARM_LOG`, one of error, warn, info, debug and trace.
    pub(crate) log_level: LevelFilter,
    key: Option<Secret>,
    base_url: Option<String>,
}

impl Environment {
    #[expect(clippy::disallowed_methods, reason = "the environment's one home")]
    pub(crate) fn read() -> Self {
        Self::of(std::env::vars_os(), dirs::home_dir())
    }

    fn of(variables: impl Iterator<Item = (OsString, OsString)>, home: Option<PathBuf>) -> Self {
        // A variable that is no text is nobody's setting.
        let all: Vec<(String, String)> = variables
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect();
        let value = |wanted: &str| {
            let found = all.iter().find(|(name, value)| name == wanted && !value.is_empty());
            found.map(|(_, value)| value.clone())
        };
        Self {
            key: value("ANTHROPIC_API_KEY").map(Secret::new),
            base_url: value("ANTHROPIC_BASE_URL"),
            log_level: value("SWARM_LOG").and_then(|level| level.parse().ok()).unwrap_or(LevelFilter::INFO),
            home: home.filter(|home| home.is_absolute()).unwrap_or_else(|| Path::new("/").to_owned()),
            commands: all.into_iter().filter(|(name, _)| is_for_commands(name)).collect(),
        }
    }

    /// What members know of the machine.
    pub(crate) fn machine(&self) -> Machine {
        Machine { home: self.home.clone(), env: self.commands.clone(), helper: Helper::ThisProgram }
    }

    /// The settings with the environment's key and address where they name none.
    pub(crate) fn complete(&self, mut settings: Settings) -> Settings {
        settings.api_key = settings.api_key.or_else(|| self.key.clone());
        settings.base_url = settings.base_url.or_else(|| self.base_url.clone());
        settings
    }
}

fn is_for_commands(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    !SECRET.iter().any(|part| upper.contains(part)) && !LEADS_OUT.iter().any(|start| upper.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(variables: &[(&str, &str)]) -> Environment {
        let variables = variables.iter().map(|(name, value)| (name.into(), value.into()));
        Environment::of(variables, Some("/home/ada".into()))
    }

    #[test]
    fn commands_get_no_secret_and_no_way_out() {
        let environment = environment(&[
            ("PATH", "/bin"),
            ("CARGO_HOME", "/c"),
            ("ANTHROPIC_API_KEY", "k"),
            ("GITHUB_TOKEN", "t"),
            ("db_password", "p"),
            ("SSH_AUTH_SOCK", "/s"),
            ("TMUX_PANE", "%1"),
            ("BASH_FUNC_x%%", "() { :; }"),
            ("SWARM_HOME", "/r"),
        ]);
        let names: Vec<&str> = environment.commands.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["PATH", "CARGO_HOME"]);
    }

    #[test]
    fn a_setting_wins_over_the_environment() {
        let environment =
            environment(&[("ANTHROPIC_API_KEY", "from-env"), ("ANTHROPIC_BASE_URL", "http://env")]);
        let settings = Settings { base_url: Some("http://set".into()), ..Settings::default() };
        let complete = environment.complete(settings);
        assert_eq!(complete.base_url.as_deref(), Some("http://set"));
        assert_eq!(complete.api_key.unwrap().expose(), "from-env");
    }
}
