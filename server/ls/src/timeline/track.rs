//! One member's track: a line for its turns, and lines below it for calls that run beside each other.
//!
//! No event says that a model request went out. It does where the turn began, or where its calls were done, and the
//! member's count of tokens grows when its answer is whole.

use std::io;

use serde_json::{Value, json};
use swarm_wire::lsp::{MemberState, MemberView, Tokens};
use swarm_wire::{AgentId, RequestId, TurnId};

use super::sheet::{Line, Micros, Sheet};

/// The most lines of a track: more than a member has calls at once.
pub(super) const LINES_MAX: usize = 16;

/// What is open on a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Span {
    Turn,
    /// By the call's id.
    Call(String),
    Question(RequestId),
    /// The provider, or the budget, lets no request through.
    HeldUp,
}

/// A model request.
struct Request {
    since: Micros,
    attempts: u32,
    /// Whether anything came of it.
    heard: bool,
}

/// A request that was answered.
struct Answered {
    span: (Micros, Micros),
    args: Value,
}

pub(super) struct Track {
    name: String,
    first: Line,
    lines: Vec<Vec<Span>>,
    turn: Option<TurnId>,
    tokens: Tokens,
    request: Option<Request>,
    /// Not written yet, since it may turn out to have been for a summary.
    answered: Option<Answered>,
}

impl Track {
    pub(super) fn new(name: &str, first: Line) -> Self {
        Self {
            name: name.to_owned(),
            first,
            lines: vec![Vec::new()],
            turn: None,
            tokens: Tokens::default(),
            request: None,
            answered: None,
        }
    }

    /// Where its turns are.
    pub(super) fn line(&self) -> Line {
        self.first
    }

    pub(super) fn changed(&mut self, sheet: &mut Sheet, member: &MemberView) -> io::Result<()> {
        let tokens = std::mem::replace(&mut self.tokens, member.tokens);
        if let Some(turn) = &member.turn_id
            && self.turn.as_ref() != Some(turn)
        {
            self.end_all(sheet, Value::Null)?;
            self.turn = Some(turn.clone());
            self.begin(sheet, 0, Span::Turn, "turn", json!({ "turn": turn }))?;
            self.asks_model(sheet);
            return Ok(());
        }
        if self.turn.is_none() {
            return Ok(());
        }
        if tokens != member.tokens {
            self.answered(sheet, member, tokens)?;
        }
        let held_up = match member.state {
            MemberState::RateLimited => Some("waits for its provider"),
            MemberState::Paused => Some("waits for its budget"),
            _ => None,
        };
        match held_up {
            Some(name) if !self.is_open(&Span::HeldUp) => {
                self.heard();
                self.begin(sheet, 0, Span::HeldUp, name, Value::Null)
            }
            Some(_) => Ok(()),
            None => self.end(sheet, &Span::HeldUp, Value::Null),
        }
    }

    /// Something came of the running request.
    pub(super) fn heard(&mut self) {
        self.request.iter_mut().for_each(|request| request.heard = true);
    }

    pub(super) fn restarted(&mut self, sheet: &mut Sheet, attempt: u32) -> io::Result<()> {
        if let Some(request) = &mut self.request {
            (request.heard, request.attempts) = (true, attempt);
        }
        sheet.instant(self.first, "another attempt", json!({ "attempt": attempt }))
    }

    pub(super) fn call_began(&mut self, sheet: &mut Sheet, id: String, name: &str) -> io::Result<()> {
        self.write_answered(sheet)?;
        self.request = None;
        let has_none = |line: &Vec<Span>| !line.iter().any(|span| matches!(span, Span::Call(_)));
        let line = match self.lines.iter().position(has_none) {
            Some(line) => line,
            None if self.lines.len() == LINES_MAX => return Ok(()),
            None => {
                self.lines.push(Vec::new());
                let line = self.lines.len() - 1;
                sheet.name_line(self.at(line), &format!("{}, beside", self.name))?;
                line
            }
        };
        self.begin(sheet, line, Span::Call(id), name, Value::Null)
    }

    pub(super) fn call_ended(&mut self, sheet: &mut Sheet, id: &str, failed: bool) -> io::Result<()> {
        self.end(sheet, &Span::Call(id.to_owned()), json!({ "failed": failed }))?;
        let is_call = |span: &Span| matches!(span, Span::Call(_));
        if !self.lines.iter().flatten().any(is_call) {
            self.asks_model(sheet);
        }
        Ok(())
    }

    /// A person is asked about a call, or about a plan, which is a call too.
    pub(super) fn asks(&mut self, sheet: &mut Sheet, id: RequestId, call: Option<&str>) -> io::Result<()> {
        let has = |line: &Vec<Span>, wanted: Option<&str>| {
            line.iter().any(|span| matches!(span, Span::Call(id) if wanted.is_none_or(|wanted| wanted == id)))
        };
        let line = self.lines.iter().position(|line| has(line, call));
        // A host that a command wants is asked about under an id of its own.
        match line.or_else(|| self.lines.iter().position(|line| has(line, None))) {
            Some(line) => self.begin(sheet, line, Span::Question(id), "waits for a person", Value::Null),
            // Nothing waits for this one.
            None => Ok(()),
        }
    }

    pub(super) fn compacted(&mut self, sheet: &mut Sheet, before: usize, after: usize) -> io::Result<()> {
        if let Some(Answered { span, args: model }) = self.answered.take() {
            let args = json!({ "before": before, "after": after, "request": model });
            sheet.whole(self.first, "compaction", span, args)?;
        }
        self.asks_model(sheet);
        Ok(())
    }

    /// Mail went out: an arrow begins here.
    pub(super) fn wrote(&self, sheet: &mut Sheet, letter: usize, to: &AgentId) -> io::Result<()> {
        sheet.arrow_from(self.first, letter)?;
        sheet.instant(self.first, "mail out", json!({ "to": to.name }))
    }

    /// Mail came: its arrow ends here.
    pub(super) fn is_written_to(&self, sheet: &mut Sheet, letter: usize, from: &str) -> io::Result<()> {
        sheet.arrow_to(self.first, letter)?;
        sheet.instant(self.first, "mail in", json!({ "from": from }))
    }

    pub(super) fn turn_ended(&mut self, sheet: &mut Sheet, how: Value) -> io::Result<()> {
        if let Some(Request { since, attempts, heard: true }) = self.request.take()
            && self.answered.is_none()
        {
            let args = json!({ "attempts": attempts, "answered": false });
            sheet.whole(self.first, "model request", (since, sheet.now()), args)?;
        }
        self.end_all(sheet, how)
    }

    /// Ends all that is open; the outermost says how.
    pub(super) fn end_all(&mut self, sheet: &mut Sheet, how: Value) -> io::Result<()> {
        self.write_answered(sheet)?;
        (self.turn, self.request) = (None, None);
        for line in 0..self.lines.len() {
            while let Some(span) = self.lines.get_mut(line).and_then(Vec::pop) {
                let args = if span == Span::Turn { how.clone() } else { Value::Null };
                sheet.end(self.at(line), args)?;
            }
        }
        Ok(())
    }

    /// Ends a span, and whatever is left open within it. One that is not open is none of this track's.
    pub(super) fn end(&mut self, sheet: &mut Sheet, span: &Span, args: Value) -> io::Result<()> {
        for line in 0..self.lines.len() {
            let at = self.at(line);
            let Some(open) = self.lines.get_mut(line) else { continue };
            let Some(depth) = open.iter().position(|open| open == span) else { continue };
            for _ in open.drain(depth + 1..) {
                sheet.end(at, Value::Null)?;
            }
            open.pop();
            return sheet.end(at, args);
        }
        Ok(())
    }

    fn begin(
        &mut self,
        sheet: &mut Sheet,
        line: usize,
        span: Span,
        name: &str,
        args: Value,
    ) -> io::Result<()> {
        let at = self.at(line);
        let Some(open) = self.lines.get_mut(line) else { return Ok(()) };
        open.push(span);
        sheet.begin(at, name, args)
    }

    /// The model is asked next.
    fn asks_model(&mut self, sheet: &Sheet) {
        self.request = Some(Request { since: sheet.now(), attempts: 1, heard: false });
    }

    fn answered(&mut self, sheet: &mut Sheet, member: &MemberView, before: Tokens) -> io::Result<()> {
        self.write_answered(sheet)?;
        let Some(Request { since, attempts, .. }) = self.request.take() else { return Ok(()) };
        let Tokens { input, output, cached } = member.tokens;
        let args = json!({
            "model": member.model,
            "input": input.saturating_sub(before.input),
            "output": output.saturating_sub(before.output),
            "cached": cached.saturating_sub(before.cached),
            "attempts": attempts,
        });
        let now = sheet.now();
        self.answered = Some(Answered { span: (since, now), args });
        // Where no call follows, another request may.
        self.request = Some(Request { since: now, attempts: 1, heard: false });
        Ok(())
    }

    fn write_answered(&mut self, sheet: &mut Sheet) -> io::Result<()> {
        match self.answered.take() {
            Some(Answered { span, args }) => sheet.whole(self.first, "model request", span, args),
            None => Ok(()),
        }
    }

    fn is_open(&self, span: &Span) -> bool {
        self.lines.iter().flatten().any(|open| open == span)
    }

    fn at(&self, line: usize) -> Line {
        Line { pid: self.first.pid, tid: self.first.tid + line }
    }
}
