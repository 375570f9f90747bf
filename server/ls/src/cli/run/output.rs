//! What a run prints: the leader's words, or each event as a line of JSON, on stdout; what went wrong on stderr.

use std::io::{Stdout, Write as _};

use anyhow::Context as _;
use swarm_leader::TeamEvent;
use swarm_wire::lsp::{Event, EventParams, TurnEnd};

use crate::exit::{Ending, Exit};

pub(super) struct Output {
    json: bool,
    seq: u64,
    /// Whether the last line on stdout is not ended yet.
    open_line: bool,
}

impl Output {
    pub(super) fn new(json: bool) -> Self {
        Self { json, seq: 0, open_line: false }
    }

    pub(super) fn show(&mut self, event: &TeamEvent) -> anyhow::Result<()> {
        if self.json {
            self.seq += 1;
            let params = EventParams { seq: self.seq, team: event.team.clone(), event: event.event.clone() };
            return print(&format!("{}\n", serde_json::to_string(&params)?));
        }
        match &event.event {
            Event::Text { member, text, .. } if member.is_lead() && !text.is_empty() => {
                self.open_line = !text.ends_with('\n');
                print(text)?;
            }
            Event::ToolStarted { member, description, .. } => {
                if member.is_lead() {
                    self.end_line()?;
                }
                eprintln!("{}: {description}", member.name);
            }
            Event::TurnRestarted { member, .. } => {
                self.end_line()?;
                eprintln!("swarm-ls: the answer to {} broke off and starts anew", member.name);
            }
            Event::TurnEnded { member, reason, detail, .. } => {
                if member.is_lead() {
                    self.end_line()?;
                } else if *reason == TurnEnd::Failed {
                    let why = detail.as_deref().unwrap_or("no reason given");
                    eprintln!("swarm-ls: the turn of {} failed: {why}", member.name);
                }
            }
            Event::Warning { text } => eprintln!("swarm-ls: {text}"),
            _ => {}
        }
        Ok(())
    }

    fn end_line(&mut self) -> anyhow::Result<()> {
        if std::mem::take(&mut self.open_line) { print("\n") } else { Ok(()) }
    }
}

fn print(text: &str) -> anyhow::Result<()> {
    let mut out = out();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).context("stdout")
}

/// Begins the end when nobody reads stdout any more, also while nothing is printed.
pub(super) fn watch(exit: Exit) {
    let watch = move || {
        use rustix::event::{PollFd, PollFlags, poll};
        let out = out();
        // Only an error or a hangup is waited for, which a file and a live terminal never report.
        loop {
            match poll(&mut [PollFd::new(&out, PollFlags::empty())], None) {
                Ok(_) => return exit.begin(Ending::Closed),
                Err(rustix::io::Errno::INTR) => {}
                Err(_) => return,
            }
        }
    };
    if let Err(error) = std::thread::Builder::new().name("stdout".into()).spawn(watch) {
        eprintln!("swarm-ls: a closed output is noticed late: {error}");
    }
}

#[expect(clippy::disallowed_methods, reason = "a command's result")]
fn out() -> Stdout {
    std::io::stdout()
}
