//! One server of tmux, and how it is told something: by its command line, an argument for each word.

use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use swarm_wire::TeamName;
use tokio::process::Command;

use crate::backend::{KEYS, Launch};

/// How long tmux may take for an answer.
const ANSWER_BOUND: Duration = Duration::from_secs(5);

/// Which server is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Server {
    /// The user's, by its socket.
    Users(PathBuf),
    /// A team's own, by the name of its socket.
    Own(String),
}

impl Server {
    /// The one that is the team's own.
    pub(super) fn of(team: &TeamName) -> Self {
        Self::Own(session_of(team))
    }

    /// Has these commands done, one after the other and nothing between them; what they print.
    ///
    /// # Errors
    /// What tmux says when one of them fails; those behind it are not done.
    pub(super) async fn run(&self, commands: &[Vec<String>]) -> Result<String, String> {
        self.run_from(None, commands).await
    }

    /// As [`Self::run`]; what is started is started in the launch's folder, with its search path.
    pub(super) async fn run_from(
        &self,
        launch: Option<&Launch>,
        commands: &[Vec<String>],
    ) -> Result<String, String> {
        let mut tmux = Command::new("tmux");
        match self {
            Self::Users(socket) => tmux.arg("-S").arg(socket),
            // The user's configuration is for the user's own sessions.
            Self::Own(name) => tmux.args(["-f", "/dev/null", "-L", name]),
        };
        // What it has in its environment, a server that it starts hands on to everybody.
        for name in KEYS.into_iter().chain(["TMUX", "TMUX_PANE"]) {
            tmux.env_remove(name);
        }
        if let Some(launch) = launch {
            tmux.current_dir(&launch.cwd);
        }
        for (index, command) in commands.iter().enumerate() {
            if index > 0 {
                tmux.arg(";");
            }
            tmux.args(command.iter().map(|word| escaped(word)));
        }
        let ran = tmux.stdin(Stdio::null()).kill_on_drop(true).output();
        let ran = tokio::time::timeout(ANSWER_BOUND, ran).await;
        let output = match ran {
            Ok(ran) => ran.map_err(|error| format!("tmux cannot be run: {error}"))?,
            Err(_) => return Err(format!("tmux gave no answer within {} s", ANSWER_BOUND.as_secs())),
        };
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
        }
        Err(format!("tmux: {}", String::from_utf8_lossy(&output.stderr).trim()))
    }
}

/// What a team's own server and the session in it are called. Dots and colons part the names of tmux's targets.
pub(super) fn session_of(team: &TeamName) -> String {
    format!("swarm-{}", team.as_str().replace('.', "_"))
}

/// tmux takes a `;` at a word's end as the end of a command.
fn escaped(word: &str) -> String {
    match word.strip_suffix(';') {
        Some(start) => format!("{start}\\;"),
        None => word.to_owned(),
    }
}

/// A command of tmux out of its words.
pub(super) fn command<'a>(words: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    words.into_iter().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_stays_one_word_whatever_it_ends_in() {
        assert_eq!(escaped("/home/ada;"), "/home/ada\\;");
        assert_eq!(escaped("a;b"), "a;b");
        assert_eq!(escaped(";"), "\\;");
    }

    #[test]
    fn a_teams_session_has_a_name_that_can_be_a_target() {
        let team: TeamName = "shop.v2".parse().unwrap();
        assert_eq!(session_of(&team), "swarm-shop_v2");
    }
}
