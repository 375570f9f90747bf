//! What a teammate's terminal shows: its words and calls as they come, and below them what it does now, a question
//! that waits, and the line that the person types. Nothing that a model or a command says can move the cursor, pass for
//! a question or answer one.

use std::collections::VecDeque;
use std::io::IsTerminal as _;
use std::time::{Duration, Instant};

use crossterm::event::{DisableBracketedPaste, EnableBracketedPaste};
use crossterm::{execute, terminal};
use swarm_agent::Report;
use swarm_guard::{shown, visible};
use swarm_leader::teammate::{Seen, Typed};
use swarm_wire::RequestId;
use swarm_wire::lsp::TurnEnd;
use swarm_wire::permission::PermissionRequest;
use tokio::sync::mpsc;

use super::keys::{Key, Keyboard, Line, answer};
use super::paper::{Paper, tail, width};
use crate::environment;
use crate::words;

/// How long a first Ctrl-D counts.
const END_ASKED: Duration = Duration::from_secs(5);
/// How many columns of what is typed are to be seen.
const TYPED_MIN: usize = 12;
/// How many lines of a change are shown.
const CHANGE_LINES: usize = 40;

/// A question, and when it could first be read.
struct Question {
    id: RequestId,
    shown: Instant,
}

struct Screen {
    paper: Paper,
    name: String,
    color: &'static str,
    /// The line that is being said.
    saying: String,
    doing: String,
    tokens: (u64, u64),
    questions: VecDeque<Question>,
    line: Line,
    end_asked: Option<Instant>,
    typed: mpsc::UnboundedSender<Typed>,
}

/// Shows what there is to see, and passes on what is typed, until the teammate has ended.
pub(super) async fn run(
    mut seen: mpsc::UnboundedReceiver<Seen>,
    typed: mpsc::UnboundedSender<Typed>,
    kind: environment::Screen,
) {
    let moves = kind != environment::Screen::Dumb && std::io::stdin().is_terminal();
    let single = moves && Raw::begin();
    let mut keyboard = Keyboard::open(single);
    let mut screen = Screen {
        paper: Paper::new(kind == environment::Screen::Colored, single),
        name: String::new(),
        color: "1",
        saying: String::new(),
        doing: "starts".to_owned(),
        tokens: (0, 0),
        questions: VecDeque::new(),
        line: Line::default(),
        end_asked: None,
        typed,
    };
    loop {
        tokio::select! {
            biased;
            seen = seen.recv() => match seen {
                Some(seen) => screen.show(seen),
                None => break,
            },
            key = keyboard.next() => screen.key(key),
        }
    }
    screen.close();
    if single {
        Raw::end();
    }
}

/// A terminal that gives keys one by one.
struct Raw;

impl Raw {
    fn begin() -> bool {
        terminal::enable_raw_mode().and_then(|()| execute!(std::io::stderr(), EnableBracketedPaste)).is_ok()
    }

    /// A terminal that is gone cannot be set back.
    fn end() {
        let _ = execute!(std::io::stderr(), DisableBracketedPaste);
        let _ = terminal::disable_raw_mode();
    }
}

impl Screen {
    fn show(&mut self, seen: Seen) {
        match seen {
            Seen::Begun { agent, color } => {
                self.name = agent.name.to_string();
                self.color = super::color(color.as_deref());
                let head = self.paper.colored(&self.name, self.color);
                let hint = if self.paper.moves() {
                    ". Write to it below; Esc interrupts its turn, Ctrl-D ends it."
                } else {
                    ". Write to it, a line a message."
                };
                self.print(&format!("{head} of team {}{hint}\n", agent.team));
            }
            Seen::Heard { from, text } => self.told(&format!("← {}: {}", shown(&from), brief(&text)), "36"),
            Seen::Did(report) => self.report(report),
            Seen::Asked(request) => self.ask(&request),
            Seen::Settled { id, allowed } => {
                self.questions.retain(|question| question.id != id);
                match allowed {
                    Some(true) => self.told("✓ allowed", "32"),
                    Some(false) => self.told("✗ rejected", "31"),
                    None => self.told("the question is taken back", "2"),
                }
            }
            Seen::Leaderless(wait) => {
                let wait = match wait.as_secs() {
                    seconds if seconds >= 60 && seconds % 60 == 0 => format!("{} min", seconds / 60),
                    seconds => format!("{seconds} s"),
                };
                self.told(&format!("! the leader is gone; waiting {wait} for another"), "33");
            }
            Seen::LedAgain => self.told("there is a leader again", "2"),
            Seen::Refused(why) => self.told(&format!("! {}", visible(&why)), "31"),
        }
    }

    fn report(&mut self, report: Report) {
        match report {
            Report::TurnStarted { .. } | Report::Resumed => self.does("works"),
            Report::Text { text, .. } => self.say(&text),
            Report::Restarted { .. } => {
                self.saying.clear();
                self.told("the answer broke off and starts anew", "2");
            }
            Report::Waiting { seconds, reason, .. } => {
                self.does(&format!("waits {seconds:.0} s: {}", brief(&reason)));
            }
            Report::Used { usage, .. } => {
                self.tokens.0 += usage.input + usage.cached + usage.written;
                self.tokens.1 += usage.output;
                self.does("works");
            }
            Report::ToolStarted { description, .. } => {
                let what = brief(&description);
                self.does(&what);
                self.told(&format!("▸ {what}"), "2");
            }
            Report::ToolFinished { is_error, content, .. } => {
                let (mark, color) = if is_error { ("✗", "31") } else { ("✓", "2") };
                self.does("works");
                self.told(&format!("{mark} {}", brief(&content)), color);
            }
            Report::TurnEnded { end, detail, .. } => {
                self.does("rests");
                match end {
                    TurnEnd::Completed => self.told("", "2"),
                    _ => {
                        let detail = detail.map(|detail| format!(": {}", brief(&detail))).unwrap_or_default();
                        self.told(&format!("the turn ended, {end:?}{detail}").to_lowercase(), "33");
                    }
                }
            }
            Report::Warned { text } => self.told(&format!("! {}", visible(&text)), "33"),
            Report::Sent { to, summary, text, .. } => {
                self.told(&format!("→ {}: {}", to.name, brief(summary.as_deref().unwrap_or(&text))), "36");
            }
            Report::Compacted { before, after } => {
                self.told(&format!("its history is summarised, {before} tokens to {after}"), "2");
            }
            Report::ConversationChanged { title, .. } => {
                let title = title.map_or_else(|| "new".to_owned(), |title| brief(&title));
                self.told(&format!("another conversation: {title}"), "2");
            }
            Report::TasksChanged | Report::Alive => {}
            Report::Idle => self.does("rests"),
        }
    }

    /// Adds to what the model says; whole lines go on the paper.
    fn say(&mut self, text: &str) {
        self.saying.push_str(&visible(text));
        let whole = self.saying.rfind('\n').map(|at| at + 1).unwrap_or_default();
        let lines: String = self.saying.drain(..whole).collect();
        if self.paper.moves() || !lines.is_empty() {
            self.print(&lines);
        }
    }

    fn does(&mut self, what: &str) {
        if self.doing != what {
            what.clone_into(&mut self.doing);
            if self.paper.moves() {
                self.print("");
            }
        }
    }

    /// A line of its own, behind what the model was saying.
    fn told(&mut self, line: &str, color: &str) {
        let mut text = std::mem::take(&mut self.saying);
        if !text.is_empty() {
            text.push('\n');
        }
        if !line.is_empty() {
            for line in line.lines() {
                text.push_str(&self.paper.colored(line, color));
                text.push('\n');
            }
        }
        if !text.is_empty() || self.paper.moves() {
            self.print(&text);
        }
    }

    fn ask(&mut self, request: &PermissionRequest) {
        self.told(&format!("? {}", words::question(request)), "33");
        if let Some(change) = &request.change {
            let before = change.before.as_deref().unwrap_or_default();
            let diff = similar::TextDiff::from_lines(before, &change.after);
            let diff = visible(&diff.unified_diff().context_radius(1).to_string());
            let lines: Vec<&str> = diff.lines().collect();
            let first: Vec<&str> = lines.iter().take(CHANGE_LINES).copied().collect();
            self.told(&first.join("\n"), "0");
            if lines.len() > CHANGE_LINES {
                let more = lines.len() - CHANGE_LINES;
                self.told(&format!("… {more} more lines; the leader's editor shows all"), "33");
            }
        }
        if !self.paper.moves() {
            self.told("  it waits for an answer, here `y`, `n` or `n WHY`, or in the leader's editor", "33");
        }
        if !self.paper.moves() {
            // What is being typed was begun by someone who could not know of this.
            let _ = rustix::termios::tcflush(std::io::stdin(), rustix::termios::QueueSelector::IFlush);
        }
        self.questions.push_back(Question { id: request.id.clone(), shown: Instant::now() });
        self.print("");
    }

    fn print(&mut self, text: &str) {
        let room = width().saturating_sub(3);
        let mut changing = Vec::new();
        if !self.saying.is_empty() {
            changing.push((tail(&self.saying, room).to_owned(), "0"));
        }
        let (input, output) = self.tokens;
        changing
            .push((format!("{} {} · {input} tokens in, {output} out", self.name, self.doing), self.color));
        let (mark, short) = match (self.end_asked, self.questions.front()) {
            (Some(_), _) => ("end it? Ctrl-D once more, any other key keeps it ", "end? Ctrl-D "),
            (None, Some(_)) => ("allow? y once, n, n WHY › ", "y/n › "),
            (None, None) => ("› ", "› "),
        };
        let mark = if mark.chars().count() + TYPED_MIN > room { short } else { mark };
        let line = self.line.text().replace('\n', "⏎");
        let line = visible(&line);
        changing.push((format!("{mark}{}", tail(&line, room.saturating_sub(mark.chars().count()))), "0"));
        self.paper.print(text, &changing);
    }

    fn key(&mut self, key: Key) {
        let asked = self.end_asked.take().filter(|asked| asked.elapsed() < END_ASKED);
        match key {
            Key::Text(text) => self.line.push(&text),
            Key::Backspace => self.line.backspace(),
            Key::EraseWord => self.line.erase_word(),
            Key::EraseLine => self.line.erase(),
            Key::Resized => {}
            Key::Interrupt => self.wish(Typed::Interrupt),
            Key::End if asked.is_some() => self.wish(Typed::End),
            Key::End => {
                self.end_asked = Some(Instant::now());
                if !self.paper.moves() {
                    self.told("end it? Ctrl-D once more", "33");
                }
            }
            Key::Enter => {
                let shown = self.questions.front().map(|question| question.shown);
                let (text, saw) = self.line.take(shown);
                self.typed(text, saw);
            }
            // What was begun before a question was flushed by it.
            Key::Line(text) => {
                self.line.push("");
                let shown = self.questions.front().map(|question| question.shown);
                let (_, saw) = self.line.take(shown);
                self.typed(text, saw);
            }
            Key::Piped(text) => self.typed(text, false),
        }
        self.print("");
    }

    /// A whole line; `saw` when it was typed by someone who saw the question.
    fn typed(&mut self, text: String, saw: bool) {
        if text.trim().is_empty() {
            return;
        }
        match (self.questions.front(), answer(&text)) {
            (Some(question), Some((allow, feedback))) if saw => {
                let id = question.id.clone();
                self.wish(Typed::Answer { id, allow, feedback });
            }
            (Some(_), Some(_)) => {
                self.told("that was typed before the question could be read; answer it now", "33");
            }
            _ => self.wish(Typed::Message(text)),
        }
    }

    fn wish(&self, wish: Typed) {
        // One that has ended takes no wishes.
        let _ = self.typed.send(wish);
    }

    fn close(mut self) {
        let ended = format!("{} has ended", self.name);
        self.told(&ended, "2");
        self.paper.close();
    }
}

/// The first line of a text that has one, cut, with all that could hide made visible.
fn brief(text: &str) -> String {
    const LONGEST: usize = 200;
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let visible = shown(first);
    let mut brief: String = visible.chars().take(LONGEST).collect();
    if visible.chars().count() > LONGEST || text.trim().lines().count() > 1 {
        brief.push_str(" …");
    }
    brief
}
