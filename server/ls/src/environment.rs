//! The process's environment, read once where it starts; everybody else takes values.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use swarm_guard::exec::{self, Helper};
use swarm_leader::Machine;
use swarm_wire::settings::{Secret, Settings};
use tracing_subscriber::filter::LevelFilter;

/// What the environment says that anything here depends on.
pub(crate) struct Environment {
    /// The user's home, absolute.
    home: PathBuf,
    /// What agents' commands find in their environment.
    commands: exec::Environment,
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
            commands: exec::Environment::scrubbed(all),
        }
    }

    /// What members know of the machine.
    pub(crate) fn machine(&self) -> Machine {
        Machine {
            home: self.home.clone(),
            env: self.commands.clone(),
            caches: dirs::cache_dir().map(|folder| folder.join("swarm")),
            helper: Helper::ThisProgram,
        }
    }

    /// The settings with the environment's key and address where they name none.
    pub(crate) fn complete(&self, mut settings: Settings) -> Settings {
        settings.api_key = settings.api_key.or_else(|| self.key.clone());
        settings.base_url = settings.base_url.or_else(|| self.base_url.clone());
        settings
    }
}

/// The folder that a command was started in.
#[expect(clippy::disallowed_methods, reason = "read once, where a command starts")]
pub(crate) fn directory() -> std::io::Result<PathBuf> {
    std::env::current_dir()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(variables: &[(&str, &str)]) -> Environment {
        let variables = variables.iter().map(|(name, value)| (name.into(), value.into()));
        Environment::of(variables, Some("/home/ada".into()))
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
