//! What the demo shows and asks: a line for each thing that happens, a question with its diff, and at a terminal
//! the table of members below them, kept up to date in its place.

use std::collections::BTreeMap;
use std::io::{IsTerminal as _, Write as _};

use anyhow::bail;
use similar::TextDiff;
use swarm_wire::lsp::{Event, MemberState};
use swarm_wire::permission::PermissionRequest;

use super::board::{Board, NAME};
use crate::environment::Screen;

/// The width of a terminal that does not say how wide it is, in characters.
const USUAL_WIDTH: usize = 80;

/// What the person at the terminal chose.
pub(super) enum Choice {
    Allow,
    Always,
    Reject(Option<String>),
}

pub(super) struct Terminal {
    /// Answers without asking.
    yes: bool,
    colored: bool,
    board: Board,
    /// Whether the table is shown; without it, each thing is a line and stays.
    live: bool,
    /// How many lines of the table are on the screen, above the cursor.
    drawn: usize,
    /// What members said since they last did something, by name.
    said: BTreeMap<String, String>,
}

impl Terminal {
    pub(super) fn new(yes: bool, screen: Screen) -> Self {
        let terminal = out().is_terminal();
        Self {
            yes,
            colored: terminal && screen == Screen::Colored,
            board: Board::default(),
            live: terminal && screen != Screen::Dumb,
            drawn: 0,
            said: BTreeMap::new(),
        }
    }

    /// Shows a line of the demo's own.
    pub(super) fn line(&mut self, text: &str) {
        self.print(&format!("{text}\n"));
    }

    /// Takes the table off the screen for good.
    pub(super) fn close(&mut self) {
        let names: Vec<String> = self.said.keys().cloned().collect();
        names.iter().for_each(|name| self.speak(name));
        self.live = false;
        self.print("");
    }

    /// Shows something that happened in the team.
    pub(super) fn show(&mut self, event: &Event) {
        let changed = self.board.take(event);
        match event {
            Event::Text { member, text, .. } => {
                self.said.entry(member.name.to_string()).or_default().push_str(text);
            }
            Event::ToolStarted { member, description, .. } => {
                self.told(member.name.as_str(), &format!("▸ {description}"), "2");
            }
            Event::ToolFinished { member, is_error: true, content, .. } => {
                let first = content.lines().next().unwrap_or_default();
                self.told(member.name.as_str(), &format!("✗ {first}"), "31");
            }
            Event::MemberChanged { member } if member.state == MemberState::Starting => {
                self.told(member.name.as_str(), "joins the team", "2");
            }
            Event::TurnEnded { member, .. } => self.speak(member.name.as_str()),
            _ => {}
        }
        if changed && self.live {
            self.print("");
        }
    }

    /// Puts a question; with `--yes` it is only shown.
    pub(super) async fn ask(&mut self, request: &PermissionRequest) -> anyhow::Result<Choice> {
        let name = request.worker_name.as_str();
        self.told(name, &format!("? asks: {}", request.description), "33");
        if let Some(change) = &request.change {
            let before = change.before.as_deref().unwrap_or_default();
            let diff = TextDiff::from_lines(before, &change.after);
            self.diff(&diff.unified_diff().context_radius(1).to_string());
        }
        if self.yes {
            self.told(name, "✓ allowed (--yes)", "32");
            return Ok(Choice::Allow);
        }
        loop {
            self.print("");
            let prompt = format!("{name:NAME$} allow? [y]es, [a]lways, [n]o, or no and why: ");
            write(&prompt);
            let line = tokio::task::spawn_blocking(|| {
                let mut line = String::new();
                std::io::stdin().read_line(&mut line).map(|read| (read > 0).then_some(line))
            });
            let Some(line) = line.await?? else {
                bail!("the terminal was closed before the question was answered")
            };
            if self.live {
                // The table goes with what was typed below it; the answer stays as a line.
                self.drawn += 1 + (prompt.chars().count() + line.trim_end().chars().count()) / width();
                let answer = line.trim();
                self.told(name, &format!("  you say: {}", if answer.is_empty() { "…" } else { answer }), "2");
            }
            match line.trim() {
                "" => {}
                "y" | "yes" => return Ok(Choice::Allow),
                "a" | "always" => return Ok(Choice::Always),
                "n" | "no" => return Ok(Choice::Reject(None)),
                why => return Ok(Choice::Reject(Some(why.strip_prefix("no ").unwrap_or(why).to_owned()))),
            }
        }
    }

    /// Shows a unified diff.
    pub(super) fn diff(&mut self, diff: &str) {
        let mut text = String::new();
        for line in diff.lines() {
            let color = match line.as_bytes().first() {
                Some(b'+') => "32",
                Some(b'-') => "31",
                Some(b'@') => "36",
                _ => "0",
            };
            text.push_str(&format!("{:NAME$} {}\n", "", self.colored(line, color)));
        }
        self.print(&text);
    }

    /// A line about a member, behind what it said before.
    fn told(&mut self, name: &str, text: &str, color: &str) {
        self.speak(name);
        let text = self.colored(text, color);
        self.print_line(name, &text);
    }

    /// Prints what a member said since it last did something.
    fn speak(&mut self, name: &str) {
        if let Some(said) = self.said.remove(name) {
            self.print_line(name, &said.trim_end().replace('\n', &format!("\n{:NAME$} ", "")));
        }
    }

    fn print_line(&mut self, name: &str, text: &str) {
        let head = self.colored(&format!("{name:NAME$}"), self.board.color_of(name));
        self.print(&format!("{head} {text}\n"));
    }

    fn colored(&self, text: &str, color: &str) -> String {
        if self.colored { format!("\x1b[{color}m{text}\x1b[0m") } else { text.to_owned() }
    }

    /// Prints whole lines above the table, and the table as it is now.
    fn print(&mut self, text: &str) {
        let mut all = self.erasure();
        all.push_str(text);
        if self.live {
            // One less than there is: a full line would break where the terminal wraps at its edge.
            let lines = self.board.lines(width().saturating_sub(1));
            self.drawn = lines.len();
            for (line, color) in lines {
                all.push_str(&self.colored(&line, color));
                all.push('\n');
            }
        }
        write(&all);
    }

    /// What takes the table off the screen and leaves the cursor where it began.
    fn erasure(&mut self) -> String {
        match std::mem::take(&mut self.drawn) {
            0 => String::new(),
            lines => format!("\x1b[{lines}A\r\x1b[J"),
        }
    }
}

/// How wide the terminal is now, in characters.
fn width() -> usize {
    let columns = rustix::termios::tcgetwinsize(out()).map(|size| usize::from(size.ws_col));
    columns.ok().filter(|columns| *columns > 0).unwrap_or(USUAL_WIDTH)
}

fn write(text: &str) {
    let mut out = out();
    // A closed pipe only means that nobody looks.
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

#[expect(clippy::disallowed_methods, reason = "the demo's result is what it shows")]
fn out() -> std::io::Stdout {
    std::io::stdout()
}
