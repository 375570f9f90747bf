//! Servers of tmux: a user's, which the server under test is in, and a team's own.

use std::fs;
use std::process::Command;
use std::time::Instant;

use crate::editor::WAIT;
use crate::processes::MARK;
use crate::world::World;

/// What `list-panes` tells of each.
const PANES: &str = "#{pane_id}|#{pane_title}|#{window_name}|#{pane_active}|#{pane_left}|#{pane_top}|#{pane_width}|#{pane_height}|#{pane_pid}";
/// What runs in the panes of the user.
const USERS: [&str; 3] = ["--", "sleep", "4700"];

/// A server of tmux; ended when it goes out of scope.
pub struct Tmux {
    reach: [String; 2],
    plain: Command,
}

/// A pane of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pane {
    pub id: String,
    pub title: String,
    pub window: String,
    pub is_active: bool,
    /// Where it begins in its window, and how large it is, in columns and lines.
    pub left: u32,
    pub top: u32,
    pub width: u32,
    pub height: u32,
    pub process: String,
}

impl Tmux {
    /// A user's, of this size in columns and lines and with this configuration. The servers that are started in `world`
    /// from now on are in its one pane.
    pub fn around(world: &mut World, size: (u32, u32), configuration: &str) -> Self {
        let socket = world.beside("users-tmux");
        let file = world.beside("tmux.conf");
        fs::write(&file, configuration).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let tmux = Self::of(world, ["-S".to_owned(), socket.display().to_string()]);
        let (width, height, file) = (size.0.to_string(), size.1.to_string(), file.display().to_string());
        let pane = tmux.open(&["-f", &file, "new-session", "-d", "-s", "work", "-x", &width, "-y", &height]);
        // What is opened for a teammate belongs to the world, which the user's own does not.
        tmux.run(&["set-environment", "-t", "work", MARK, world.id()]);
        world.env("TMUX", format!("{},1,0", socket.display())).env("TMUX_PANE", pane);
        tmux
    }

    /// The one that a team has for itself, once it was started.
    pub fn own(world: &World, team: &str) -> Self {
        Self::of(world, ["-L".to_owned(), format!("swarm-{team}")])
    }

    fn of(world: &World, reach: [String; 2]) -> Self {
        let mut plain = world.program("tmux", &[]);
        plain.env_remove(MARK);
        Self { reach, plain }
    }

    /// What a command of tmux prints.
    pub fn run(&self, words: &[&str]) -> String {
        let output = self.command(words).output().unwrap_or_else(|error| panic!("tmux: {error}"));
        assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
    }

    /// Opens a pane of the user's by this command; its id.
    pub fn open(&self, words: &[&str]) -> String {
        let mark = format!("{MARK}=");
        let mut words = words.to_vec();
        words.extend(["-e", &mark, "-P", "-F", "#{pane_id}"]);
        words.extend(USERS);
        self.run(&words)
    }

    /// Has something of the user's run in a pane in place of what does.
    pub fn respawn(&self, pane: &str) {
        let mark = format!("{MARK}=");
        let mut words = vec!["respawn-pane", "-k", "-t", pane, "-e", &mark];
        words.extend(USERS);
        self.run(&words);
    }

    /// All panes, in the order of their windows.
    pub fn panes(&self) -> Vec<Pane> {
        self.run(&["list-panes", "-a", "-F", PANES]).lines().map(read).collect()
    }

    /// The one with this title.
    pub fn pane(&self, title: &str) -> Pane {
        let panes = self.panes();
        let found = panes.iter().find(|pane| pane.title == title).cloned();
        found.unwrap_or_else(|| panic!("no pane is {title}: {panes:#?}"))
    }

    /// Waits until the panes are as `are_they` accepts.
    pub fn until(&self, are_they: impl Fn(&[Pane]) -> bool) {
        let deadline = Instant::now() + WAIT;
        loop {
            let panes = self.panes();
            if are_they(&panes) {
                return;
            }
            assert!(Instant::now() < deadline, "the panes are {panes:#?}");
        }
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(self.plain.get_program());
        command.env_clear().args(&self.reach).args(words);
        let env = self.plain.get_envs().filter_map(|(name, value)| Some((name, value?)));
        command.envs(env);
        if let Some(folder) = self.plain.get_current_dir() {
            command.current_dir(folder);
        }
        command
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        // One without panes has ended by itself.
        let _ = self.command(&["kill-server"]).output();
    }
}

fn read(line: &str) -> Pane {
    let mut words = line.split('|');
    let mut word = || words.next().unwrap_or_default().to_owned();
    let (id, title, window, is_active) = (word(), word(), word(), word() == "1");
    let mut number = || word().parse().unwrap_or_else(|error| panic!("{line}: {error}"));
    let (left, top, width, height) = (number(), number(), number(), number());
    Pane { id, title, window, is_active, left, top, width, height, process: word() }
}
