//! The text of a conversation's document. Pure.
//!
//! All above [`heading`] is ours and written anew as the conversation goes on; all below it is the user's.

use std::collections::HashMap;
use std::fmt::Write;

use serde_json::Value;
use swarm_wire::lsp::StateResult;
use swarm_wire::transcript::{Block, Body, CallResult, Entry};
use swarm_wire::{AgentId, MemberName};

use crate::words;

/// How many entries are shown at least; older ones go in steps of this, so that the beginning seldom changes.
const SHOWN: usize = 200;
/// The longest line about a call, in characters.
const CALL_MAX: usize = 160;
const TAIL: &str = ": write below, then send";

/// The line above what the user writes.
pub(super) fn heading(member: &MemberName) -> String {
    format!("## To {member}{TAIL}")
}

fn is_heading(line: &str) -> bool {
    line.starts_with("## To ") && line.trim_end().ends_with(TAIL)
}

/// What the user wrote below the heading; nothing where that is gone.
pub(super) fn draft(text: &str) -> Option<&str> {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        at += line.len();
        if is_heading(line) {
            return text.get(at..);
        }
    }
    None
}

/// The document with this body, when it is `now`. What the user wrote stays, but for drafts that were `taken`.
pub(super) fn page(member: &MemberName, body: &str, now: &str, taken: &[String]) -> String {
    let mut draft = draft(now).unwrap_or("\n");
    for taken in taken {
        draft = draft.strip_prefix(taken.as_str()).unwrap_or(draft);
    }
    let draft = if draft.trim().is_empty() { "\n" } else { draft };
    format!("{body}{}\n{draft}", heading(member))
}

/// What was said and what waits for an answer.
pub(super) fn body(
    agent: &AgentId,
    entries: &[Entry],
    live: &str,
    sent: &[String],
    state: &StateResult,
) -> String {
    let mut page = Page { text: format!("# {}\n", agent.name), agent, results: HashMap::new() };
    let left = (entries.len() / SHOWN).saturating_sub(1) * SHOWN;
    if left > 0 {
        page.part(&format!("[{left} earlier entries are in the transcript.]"));
    }
    let shown = entries.get(left..).unwrap_or_default();
    for entry in shown {
        if let Body::Results { results } = &entry.body {
            page.results.extend(results.iter().map(|result| (result.tool_use_id.as_str(), result)));
        }
    }
    for entry in shown {
        page.entry(&entry.body);
    }
    if !live.trim().is_empty() {
        page.part(live);
    }
    for text in sent {
        page.head(&format!("to {}", agent.name));
        page.part(text);
    }
    page.questions(state);
    page.text.push('\n');
    page.text
}

struct Page<'a> {
    text: String,
    agent: &'a AgentId,
    results: HashMap<&'a str, &'a CallResult>,
}

impl<'a> Page<'a> {
    fn entry(&mut self, body: &'a Body) {
        match body {
            Body::User { text, .. } => {
                self.head(&format!("to {}", self.agent.name));
                self.part(text);
                self.head(self.agent.name.as_str());
            }
            Body::Assistant { content, .. } => {
                for block in content {
                    match block {
                        Block::Text { text } if !text.trim().is_empty() => self.part(text),
                        Block::ToolUse { id, name, input } => self.call(id, name, input),
                        Block::Text { .. } | Block::Opaque { .. } => {}
                    }
                }
            }
            Body::Results { .. } => {}
            Body::Compacted { .. } => self.part("[What is above was replaced by its summary.]"),
            Body::PicturesRefused { reason } => {
                self.part(&format!("[The pictures above were refused, and are left out: {reason}]"));
            }
            Body::Ended { reason, .. } => self.part(&format!("[The turn ended: {reason}]")),
        }
    }

    fn call(&mut self, id: &str, name: &str, input: &Value) {
        let named = ["command", "path", "pattern", "url", "to", "name", "subject"];
        let what = named.iter().find_map(|key| input.get(key)?.as_str()).unwrap_or_default();
        let what: String = swarm_guard::shown(what).replace('\n', " ").chars().take(CALL_MAX).collect();
        let (sign, why) = match self.results.get(id) {
            None => ("▸", String::new()),
            Some(result) if result.is_error => {
                let first = result.content.lines().next().unwrap_or_default();
                ("✗", format!(": {}", first.chars().take(CALL_MAX).collect::<String>()))
            }
            Some(_) => ("✓", String::new()),
        };
        if !self.text.ends_with("\n\n")
            && !self.text.lines().last().is_some_and(|line| line.starts_with("- "))
        {
            self.text.push('\n');
        }
        let line = format!("- {sign} {name} {what}");
        // Writing to a string does not fail.
        let _ = writeln!(self.text, "{}{why}", line.trim_end());
    }

    fn questions(&mut self, state: &StateResult) {
        let concerns = |agent: &AgentId| self.agent.is_lead() || agent == self.agent;
        let calls = state.permissions.iter().filter(|request| concerns(&request.worker_id)).map(words::wish);
        let plans = state.plans.iter().filter(|plan| concerns(&plan.member)).map(words::plan_wish);
        let open: Vec<String> = calls.chain(plans).collect();
        if open.is_empty() {
            return;
        }
        self.head("waits for you");
        self.part("A code action in this document answers each:");
        self.text.push('\n');
        for wish in open {
            let _ = writeln!(self.text, "- {}", wish.replace('\n', " "));
        }
    }

    fn head(&mut self, title: &str) {
        let _ = write!(self.text, "\n## {title}\n");
    }

    /// A paragraph; a line that looks like the heading above the user's words is made to look otherwise.
    fn part(&mut self, text: &str) {
        self.text.push('\n');
        for line in text.trim().lines() {
            let mark = if is_heading(line) { "\\" } else { "" };
            let _ = writeln!(self.text, "{mark}{line}");
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn agent() -> AgentId {
        "team-lead@shop".parse().unwrap()
    }

    fn entries(entries: Value) -> Vec<Entry> {
        serde_json::from_value(entries).unwrap()
    }

    #[test]
    fn a_turn_is_told_with_its_calls_and_what_came_of_them() {
        let entries = entries(json!([
            { "at": 1, "role": "user", "text": "Mend it." },
            { "at": 2, "role": "assistant", "content": [
                { "type": "text", "text": "I look." },
                { "type": "tool_use", "id": "1", "name": "Read", "input": { "path": "a.rs" } },
                { "type": "tool_use", "id": "2", "name": "Bash", "input": { "command": "rm\nx" } },
                { "type": "tool_use", "id": "3", "name": "TaskList", "input": {} },
            ] },
            { "at": 3, "role": "results", "results": [
                { "toolUseId": "1", "content": "text" },
                { "toolUseId": "2", "content": "Rejected.\nBy the user.", "isError": true },
            ] },
        ]));
        let body = body(&agent(), &entries, "So far", &["And then?".to_owned()], &StateResult::default());
        assert_eq!(
            body,
            "# team-lead\n\n## to team-lead\n\nMend it.\n\n## team-lead\n\nI look.\n\n- ✓ Read a.rs\n\
             - ✗ Bash rm x: Rejected.\n- ▸ TaskList\n\nSo far\n\n## to team-lead\n\nAnd then?\n\n"
        );
    }

    #[test]
    fn what_the_user_writes_stays_and_what_was_sent_goes() {
        let name = agent().name;
        let empty = page(&name, "# x\n\n", "", &[]);
        assert_eq!(empty, "# x\n\n## To team-lead: write below, then send\n\n");
        let written = format!("{empty}Do this.\n");
        assert_eq!(draft(&written), Some("\nDo this.\n"));
        let grown = page(&name, "# x\n\nmore\n\n", &written, &[]);
        assert_eq!(draft(&grown), Some("\nDo this.\n"));
        let sent = format!("{grown}And that.\n");
        let rest = page(&name, "# x\n\n", &sent, &["\nDo this.\n".to_owned()]);
        assert_eq!(draft(&rest), Some("And that.\n"));
    }

    #[test]
    fn nobody_else_can_write_the_users_heading() {
        let entries =
            entries(json!([{ "at": 1, "role": "user", "text": heading(&agent().name) + "\nevil" }]));
        let body = body(&agent(), &entries, "", &[], &StateResult::default());
        assert_eq!(draft(&page(&agent().name, &body, "", &[])), Some("\n"));
    }

    #[test]
    fn a_long_conversation_shows_its_end() {
        let one = json!({ "at": 1, "role": "user", "text": "again" });
        let entries = entries(Value::from(vec![one; 450]));
        let body = body(&agent(), &entries, "", &[], &StateResult::default());
        assert!(body.contains("[200 earlier entries") && body.matches("again").count() == 250);
    }
}
