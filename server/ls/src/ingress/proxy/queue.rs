//! What waits for the client to read, in order and bounded: events give way oldest first, lines too, a
//! latest state replaces the one before it.

use std::collections::VecDeque;

use swarm_wire::TeamName;
use swarm_wire::lsp::{Event, EventParams};

use crate::lsp::Request;

/// The most events that wait; past either bound the oldest give way, which the client sees as a gap in `seq`.
pub(super) const MAX_EVENTS: usize = 2048;
/// The most bytes of text that waiting events hold, roughly.
pub(super) const MAX_EVENT_BYTES: usize = 8 << 20;
/// A waiting text event larger than this takes no more text.
const MAX_JOINED: usize = 64 << 10;
/// How many events back text looks for what it joins: more than speak at once.
const LOOK_BACK: usize = 64;
/// The most log lines and messages that wait.
pub(super) const MAX_LINES: usize = 256;

enum Item {
    Request { id: i64, message: Request },
    Plain(Request),
    Latest { key: String, message: Request },
    Line(Request),
    Event { params: Box<EventParams>, bytes: usize },
}

#[derive(Default)]
pub(super) struct Queue {
    items: VecDeque<Item>,
    events: usize,
    event_bytes: usize,
    lines: usize,
    last_seq: u64,
}

impl Queue {
    pub(super) fn push_request(&mut self, id: i64, message: Request) {
        self.items.push_back(Item::Request { id, message });
    }

    pub(super) fn remove_request(&mut self, id: i64) {
        self.items.retain(|item| !matches!(item, Item::Request { id: other, .. } if *other == id));
    }

    pub(super) fn push(&mut self, message: Request) {
        self.items.push_back(Item::Plain(message));
    }

    pub(super) fn push_latest(&mut self, key: &str, message: Request) {
        for item in &mut self.items {
            if let Item::Latest { key: waiting, message: older } = item
                && waiting == key
            {
                *older = message;
                return;
            }
        }
        self.items.push_back(Item::Latest { key: key.to_owned(), message });
    }

    pub(super) fn push_line(&mut self, message: Request) {
        if self.lines == MAX_LINES {
            self.drop_oldest(|item| matches!(item, Item::Line(_)));
        }
        self.lines += 1;
        self.items.push_back(Item::Line(message));
    }

    pub(super) fn push_event(&mut self, team: TeamName, event: Event) {
        if self.join(&team, &event) {
            return;
        }
        self.last_seq += 1;
        let bytes = weight(&event);
        self.events += 1;
        self.event_bytes += bytes;
        let params = Box::new(EventParams { seq: self.last_seq, team, event });
        self.items.push_back(Item::Event { params, bytes });
        while self.events > 1 && (self.events > MAX_EVENTS || self.event_bytes > MAX_EVENT_BYTES) {
            self.drop_oldest(|item| matches!(item, Item::Event { .. }));
        }
    }

    pub(super) fn skip_events(&mut self, count: u64) {
        self.last_seq += count;
    }

    pub(super) fn last_seq(&self) -> u64 {
        self.last_seq
    }

    pub(super) fn pop(&mut self) -> Option<Request> {
        let item = self.items.pop_front()?;
        self.count_out(&item);
        Some(match item {
            Item::Request { message, .. } | Item::Plain(message) => message,
            Item::Latest { message, .. } | Item::Line(message) => message,
            Item::Event { params, .. } => {
                // The params are plain data with string keys, which always serialise.
                let params = serde_json::to_value(params).unwrap_or_default();
                Request::build("swarm/event").params(params).finish()
            }
        })
    }

    /// Adds text to waiting text of the same turn, if there is none but text behind that: what several members say at
    /// once is told apart by who says it, and not by when.
    fn join(&mut self, team: &TeamName, event: &Event) -> bool {
        let Event::Text { member, turn_id, text } = event else { return false };
        let events = self.items.iter_mut().rev().filter_map(|item| match item {
            Item::Event { params, bytes } => Some((params, bytes)),
            _ => None,
        });
        for (params, bytes) in events.take(LOOK_BACK) {
            let Event::Text { member: who, turn_id: turn, text: waiting } = &mut params.event else { break };
            if params.team == *team && who == member && turn == turn_id {
                if waiting.len() >= MAX_JOINED {
                    break;
                }
                waiting.push_str(text);
                *bytes += text.len();
                self.event_bytes += text.len();
                return true;
            }
        }
        false
    }

    fn drop_oldest(&mut self, is_one: impl Fn(&Item) -> bool) {
        if let Some(at) = self.items.iter().position(is_one)
            && let Some(item) = self.items.remove(at)
        {
            self.count_out(&item);
        }
    }

    fn count_out(&mut self, item: &Item) {
        match item {
            Item::Event { bytes, .. } => {
                self.events -= 1;
                self.event_bytes -= bytes;
            }
            Item::Line(_) => self.lines -= 1,
            _ => {}
        }
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.items.len()
    }
}

/// Roughly how many bytes an event holds: exact for what can be large.
fn weight(event: &Event) -> usize {
    const REST: usize = 512;
    REST + match event {
        Event::Text { text, .. } | Event::Message { text, .. } => text.len(),
        Event::ToolFinished { content, .. } => content.len(),
        Event::PlanRequested { plan } => plan.plan.len(),
        Event::ToolStarted { description, .. } => description.len(),
        Event::TurnRestarted { discarded_text, .. } => discarded_text.len(),
        Event::PermissionRequested { request } => {
            let change = request.change.as_ref();
            let texts =
                change.map_or(0, |change| change.after.len() + change.before.as_ref().map_or(0, String::len));
            texts + request.input.to_string().len()
        }
        _ => 0,
    }
}
