//! The table of members: a row for each, with its state and what it does. Only says what the rows are; whoever
//! has the terminal puts them there.

use swarm_wire::lsp::{Event, MemberState, MemberView};

use crate::cli::color;

/// The width of the column of names.
pub(super) const NAME: usize = 10;
const STATE: usize = 9;

/// One member, as it was last heard of.
struct Row {
    view: MemberView,
    /// What it does or says now.
    doing: String,
}

#[derive(Default)]
pub(super) struct Board {
    rows: Vec<Row>,
}

impl Board {
    /// Takes in what happened; whether a row is different now.
    pub(super) fn take(&mut self, event: &Event) -> bool {
        match event {
            Event::MemberChanged { member } => {
                let at = self.rows.iter().position(|row| row.view.agent_id == member.agent_id);
                let at = at.unwrap_or_else(|| {
                    self.rows.push(Row { view: (**member).clone(), doing: String::new() });
                    self.rows.len() - 1
                });
                let Some(row) = self.rows.get_mut(at) else { return false };
                row.view = (**member).clone();
                if let Some(tool) = &member.tool {
                    row.doing.clone_from(tool);
                } else if member.state == MemberState::Idle {
                    row.doing.clear();
                }
            }
            Event::Text { member, text, .. } => {
                let Some(row) = self.rows.iter_mut().find(|row| row.view.agent_id == *member) else {
                    return false;
                };
                if row.view.tool.is_none() {
                    row.doing.push_str(&text.replace('\n', " "));
                }
            }
            Event::ToolStarted { member, description, .. } => self.does(member, description),
            Event::ToolFinished { member, .. } => self.does(member, ""),
            _ => return false,
        }
        true
    }

    fn does(&mut self, member: &swarm_wire::AgentId, what: &str) {
        for row in self.rows.iter_mut().filter(|row| row.view.agent_id == *member) {
            what.clone_into(&mut row.doing);
        }
    }

    /// The rows, each at most `width` characters wide, with the color of its name.
    pub(super) fn lines(&self, width: usize) -> Vec<(String, &'static str)> {
        let mut lines = vec![("─".repeat(width), "2")];
        lines.extend(self.rows.iter().map(|row| {
            let mark = match row.view.state {
                MemberState::Starting | MemberState::Working | MemberState::Planning => '●',
                MemberState::Waiting => '?',
                _ => '○',
            };
            let head = format!("{mark} {:NAME$} {:STATE$} ", row.view.name.as_str(), word(row.view.state));
            let room = width.saturating_sub(head.chars().count());
            // Of a stream its end is news, of anything else its beginning; both are the same when they fit.
            let doing: Vec<char> = row.doing.trim_start().chars().collect();
            let cut = if row.view.tool.is_some() { 0 } else { doing.len().saturating_sub(room) };
            let line: String = head.chars().chain(doing.into_iter().skip(cut)).take(width).collect();
            (line, color(row.view.color.as_deref()))
        }));
        lines
    }

    /// The color of a member, as a terminal's number.
    pub(super) fn color_of(&self, name: &str) -> &'static str {
        let row = self.rows.iter().find(|row| row.view.name.as_str() == name);
        color(row.and_then(|row| row.view.color.as_deref()))
    }
}

fn word(state: MemberState) -> &'static str {
    match state {
        MemberState::Starting => "starts",
        MemberState::Working => "works",
        MemberState::Idle => "rests",
        MemberState::Waiting => "asks",
        MemberState::Planning => "plans",
        MemberState::RateLimited => "throttled",
        MemberState::Paused => "pauses",
        MemberState::Stalled => "stalls",
        MemberState::Completed => "is done",
        MemberState::Failed => "failed",
        MemberState::Killed => "stopped",
        MemberState::Gone => "is gone",
    }
}
