//! What the demo shows and asks: a line for each thing that happens, and a question with its diff.

use std::io::{IsTerminal as _, Write as _};

use anyhow::bail;
use similar::TextDiff;
use swarm_wire::lsp::{Event, MemberState};
use swarm_wire::permission::PermissionRequest;

/// The width of the column of names.
const NAME: usize = 10;

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
    /// Whose text is being streamed. What others do meanwhile waits until it pauses, to be readable.
    speaker: Option<String>,
    waiting: Vec<Piece>,
}

/// Something to be shown once the speaker pauses.
enum Piece {
    Text { name: String, text: String },
    Line { name: String, text: String },
}

impl Terminal {
    pub(super) fn new(yes: bool) -> Self {
        Self { yes, colored: out().is_terminal(), speaker: None, waiting: Vec::new() }
    }

    /// Shows a line of the demo's own.
    pub(super) fn line(&mut self, text: &str) {
        self.end_speech();
        self.print(&format!("{text}\n"));
    }

    /// Shows something that happened in the team.
    pub(super) fn show(&mut self, event: &Event) {
        match event {
            Event::Text { member, text, .. } => self.speak(member.name.as_str(), text),
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
            Event::TurnEnded { member, .. } if self.speaks(member.name.as_str()) => self.pause(),
            _ => {}
        }
    }

    /// Puts a question; with `--yes` it is only shown.
    pub(super) async fn ask(&mut self, request: &PermissionRequest) -> anyhow::Result<Choice> {
        let name = request.worker_name.as_str();
        self.end_speech();
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
            self.print("           allow? [y]es, [a]lways, [n]o, or no and why: ");
            let line = tokio::task::spawn_blocking(|| {
                let mut line = String::new();
                std::io::stdin().read_line(&mut line).map(|read| (read > 0).then_some(line))
            });
            let Some(line) = line.await?? else {
                bail!("the terminal was closed before the question was answered")
            };
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
        self.end_speech();
        for line in diff.lines() {
            let color = match line.as_bytes().first() {
                Some(b'+') => "32",
                Some(b'-') => "31",
                Some(b'@') => "36",
                _ => "0",
            };
            let line = self.colored(line, color);
            self.print(&format!("           {line}\n"));
        }
    }

    fn speak(&mut self, name: &str, text: &str) {
        if self.speaker.is_none() {
            let head = self.colored(&format!("{name:NAME$}"), "1");
            self.print(&format!("{head} "));
            self.speaker = Some(name.to_owned());
        }
        if self.speaks(name) {
            self.print(&text.replace('\n', &format!("\n{:NAME$} ", "")));
            return;
        }
        match self.waiting.last_mut() {
            Some(Piece::Text { name: last, text: so_far }) if last == name => so_far.push_str(text),
            _ => self.waiting.push(Piece::Text { name: name.to_owned(), text: text.to_owned() }),
        }
    }

    fn told(&mut self, name: &str, text: &str, color: &str) {
        let text = self.colored(text, color);
        if self.speaks(name) {
            self.pause();
        }
        match self.speaker {
            None => self.print_line(name, &text),
            Some(_) => self.waiting.push(Piece::Line { name: name.to_owned(), text }),
        }
    }

    fn print_line(&self, name: &str, text: &str) {
        let head = self.colored(&format!("{name:NAME$}"), "1");
        self.print(&format!("{head} {text}\n"));
    }

    fn speaks(&self, name: &str) -> bool {
        self.speaker.as_deref() == Some(name)
    }

    /// Ends the speaker's line, and shows what waited. A text that may go on keeps its line open.
    fn pause(&mut self) {
        if self.speaker.take().is_some() {
            self.print("\n");
        }
        let mut waiting = std::mem::take(&mut self.waiting).into_iter().peekable();
        while let Some(piece) = waiting.next() {
            match piece {
                Piece::Text { name, text } => {
                    self.speak(&name, &text);
                    if waiting.peek().is_some() {
                        self.speaker = None;
                        self.print("\n");
                    }
                }
                Piece::Line { name, text } => self.print_line(&name, &text),
            }
        }
    }

    /// Nobody speaks and nothing waits behind this.
    fn end_speech(&mut self) {
        while self.speaker.is_some() {
            self.pause();
        }
    }

    fn colored(&self, text: &str, color: &str) -> String {
        if self.colored { format!("\x1b[{color}m{text}\x1b[0m") } else { text.to_owned() }
    }

    fn print(&self, text: &str) {
        let mut out = out();
        // A closed pipe only means that nobody looks.
        let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    }
}

#[expect(clippy::disallowed_methods, reason = "the demo's result is what it shows")]
fn out() -> std::io::Stdout {
    std::io::stdout()
}
