//! The process's environment, read once where it starts; everybody else takes values.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use swarm_guard::exec::{self, Helper};
use swarm_leader::{Machine, StartedIn, TmuxPane};
use swarm_model::LocalServer;
use swarm_wire::settings::{Provider, Secret, Settings};
use tracing_subscriber::filter::LevelFilter;

/// What the environment says that anything here depends on.
pub(crate) struct Environment {
    /// The user's home, absolute.
    home: PathBuf,
    /// What agents' commands find in their environment.
    commands: exec::Environment,
    /// How much the server logs: `SWARM_LOG`, one of error, warn, info, debug and trace.
    pub(crate) log_level: LevelFilter,
    anthropic: Access,
    openai: Access,
    pub(crate) screen: Screen,
    /// Where model servers of this machine's own would answer.
    pub(crate) local_servers: Vec<LocalServer>,
    started_in: StartedIn,
}

/// What a terminal can show, by `TERM` and `NO_COLOR`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Screen {
    Colored,
    /// Its cursor moves, and the user wants no color.
    Plain,
    /// Lines, one after the other.
    Dumb,
}

/// How the environment says that a provider is reached.
#[derive(Debug, Clone, Default)]
struct Access {
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
            anthropic: Access {
                key: value("ANTHROPIC_API_KEY").map(Secret::new),
                base_url: value("ANTHROPIC_BASE_URL"),
            },
            openai: Access {
                key: value("OPENAI_API_KEY").map(Secret::new),
                base_url: value("OPENAI_BASE_URL"),
            },
            screen: match (value("TERM").as_deref(), value("NO_COLOR")) {
                (None | Some("dumb"), _) => Screen::Dumb,
                (_, Some(_)) => Screen::Plain,
                _ => Screen::Colored,
            },
            local_servers: vec![
                // Each by the variable that the server itself reads.
                LocalServer { name: "ollama", place: place(value("OLLAMA_HOST"), 11434) },
                LocalServer { name: "llama.cpp", place: place(value("LLAMA_ARG_PORT"), 8080) },
            ],
            started_in: StartedIn {
                tmux: value("TMUX")
                    .zip(value("TMUX_PANE"))
                    .and_then(|(tmux, pane)| TmuxPane::of(&tmux, pane)),
                iterm2: value("ITERM_SESSION_ID"),
            },
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
            local_servers: self.local_servers.clone(),
            helper: Helper::ThisProgram,
            started_in: self.started_in.clone(),
        }
    }

    /// The settings with the environment's provider, key and address where they name none.
    pub(crate) fn complete(&self, mut settings: Settings) -> Settings {
        settings.provider = settings.provider.or_else(|| self.provider(&settings));
        let anthropic = matches!(settings.provider, None | Some(Provider::Anthropic));
        let access = if anthropic { &self.anthropic } else { &self.openai };
        settings.api_key = settings.api_key.or_else(|| access.key.clone());
        settings.base_url = settings.base_url.or_else(|| access.base_url.clone());
        settings
    }

    /// The provider that is there, if any is. An address of one's own is most often a local server's, which speaks
    /// Chat Completions.
    fn provider(&self, settings: &Settings) -> Option<Provider> {
        let named = settings.api_key.is_some() || settings.base_url.is_some();
        let anthropic = self.anthropic.key.is_some() || self.anthropic.base_url.is_some();
        match (named || anthropic, &self.openai) {
            (true, _) => Some(Provider::Anthropic),
            (false, Access { base_url: Some(_), .. }) => Some(Provider::OpenaiChat),
            (false, Access { key: Some(_), .. }) => Some(Provider::OpenaiResponses),
            (false, Access { key: None, base_url: None }) => None,
        }
    }
}

/// Host and port of a server on this machine, from how its own variable may spell it: a host, a port, or both.
fn place(named: Option<String>, port: u16) -> String {
    let Some(named) = named else { return format!("127.0.0.1:{port}") };
    let named = named.trim_start_matches("http://").trim_end_matches('/');
    let (host, port) = match named.rsplit_once(':') {
        Some((host, named)) => (host, named.parse().unwrap_or(port)),
        None => named.parse().map_or((named, port), |port| ("", port)),
    };
    // What it listens on for all is reached here.
    let host = if host.is_empty() || host == "0.0.0.0" { "127.0.0.1" } else { host };
    format!("{host}:{port}")
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

    #[test]
    fn a_local_server_is_where_its_own_variable_says() {
        for (named, expected) in [
            (None, "127.0.0.1:11434"),
            (Some("9000"), "127.0.0.1:9000"),
            (Some("0.0.0.0"), "127.0.0.1:11434"),
            (Some("http://box:80/"), "box:80"),
            (Some(":12"), "127.0.0.1:12"),
        ] {
            assert_eq!(place(named.map(str::to_owned), 11434), expected, "{named:?}");
        }
    }

    #[test]
    fn the_provider_is_the_one_that_is_there() {
        let provider =
            |variables: &[(&str, &str)]| environment(variables).complete(Settings::default()).provider;
        assert_eq!(provider(&[]), None);
        assert_eq!(provider(&[("OPENAI_API_KEY", "k")]), Some(Provider::OpenaiResponses));
        assert_eq!(provider(&[("OPENAI_BASE_URL", "http://127.0.0.1:11434/v1")]), Some(Provider::OpenaiChat));
        assert_eq!(
            provider(&[("OPENAI_API_KEY", "k"), ("ANTHROPIC_API_KEY", "a")]),
            Some(Provider::Anthropic)
        );
        let settings = Settings { provider: Some(Provider::OpenaiChat), ..Settings::default() };
        let complete = environment(&[("OPENAI_API_KEY", "k"), ("ANTHROPIC_API_KEY", "a")]).complete(settings);
        assert_eq!(complete.api_key.unwrap().expose(), "k");
    }
}
