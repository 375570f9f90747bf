//! The script in Rust: the words in which tests write one.

use std::time::Duration;

use serde_json::Value;

use crate::script::{Call, Ending, Raw, Refusal, ReplyPart, Script, Step, StreamError, UsageSpec, WhenDone};

impl Script {
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds steps behind those that the agent has. `agent` is an agent id, a bare name, or `*`.
    #[must_use]
    pub fn agent(mut self, agent: impl Into<String>, steps: impl IntoIterator<Item = Step>) -> Self {
        self.agents.entry(agent.into()).or_default().extend(steps);
        self
    }

    #[must_use]
    pub fn variable(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.variables.insert(name.into(), value.into());
        self
    }

    #[must_use]
    pub fn marker(mut self, marker: impl Into<String>) -> Self {
        self.marker = marker.into();
        self
    }

    /// What the server lists as its models.
    #[must_use]
    pub fn models<'a>(mut self, models: impl IntoIterator<Item = &'a str>) -> Self {
        self.models = models.into_iter().map(Into::into).collect();
        self
    }

    #[must_use]
    pub fn when_done(mut self, when_done: WhenDone) -> Self {
        self.when_done = when_done;
        self
    }
}

pub fn say(text: impl Into<String>) -> ReplyPart {
    ReplyPart::Say(text.into())
}

pub fn think(text: impl Into<String>) -> ReplyPart {
    ReplyPart::Think(text.into())
}

pub fn call(tool: impl Into<String>, input: Value) -> ReplyPart {
    ReplyPart::Call(Call { tool: tool.into(), input, id: None })
}

pub fn wait(gate: impl Into<String>) -> ReplyPart {
    ReplyPart::Wait(gate.into())
}

/// A step that answers with a stream.
pub fn reply(parts: impl IntoIterator<Item = ReplyPart>) -> Step {
    Step { reply: parts.into_iter().collect(), ..Step::default() }
}

/// A step that answers with an HTTP status and the provider's own error for it.
pub fn status(code: u16) -> Step {
    let refusal = Refusal { code, kind: None, message: None, retry_after: None };
    Step { status: Some(refusal), ..Step::default() }
}

/// A step that answers 200 with this body.
pub fn raw(content_type: impl Into<String>, body: impl Into<String>) -> Step {
    Step { raw: Some(Raw { content_type: content_type.into(), body: body.into() }), ..Step::default() }
}

impl Step {
    #[must_use]
    pub fn expect(mut self, text: impl Into<String>) -> Self {
        self.expect.push(text.into());
        self
    }

    /// `${name}` in this step becomes the first text between `before` and `after` in the last message.
    #[must_use]
    pub fn capture(mut self, name: &str, before: &str, after: &str) -> Self {
        self.capture.insert(name.to_owned(), (before.to_owned(), after.to_owned()));
        self
    }

    #[must_use]
    pub fn wait_for(mut self, gate: impl Into<String>) -> Self {
        self.wait = Some(gate.into());
        self
    }

    #[must_use]
    pub fn delay(mut self, before_first_byte: Duration) -> Self {
        self.delay_ms = millis(before_first_byte);
        self
    }

    #[must_use]
    pub fn event_delay(mut self, between_events: Duration) -> Self {
        self.event_delay_ms = millis(between_events);
        self
    }

    #[must_use]
    pub fn chunk_bytes(mut self, size: usize) -> Self {
        self.chunk_bytes = Some(size);
        self
    }

    #[must_use]
    pub fn stop(mut self, reason: impl Into<String>) -> Self {
        self.stop = Some(reason.into());
        self
    }

    #[must_use]
    pub fn usage(mut self, usage: UsageSpec) -> Self {
        self.usage = Some(usage);
        self
    }

    #[must_use]
    pub fn cut_after_bytes(mut self, bytes: usize) -> Self {
        self.ending = Some(Ending::CutAfterBytes(bytes));
        self
    }

    #[must_use]
    pub fn cut_after_events(mut self, events: usize) -> Self {
        self.ending = Some(Ending::CutAfterEvents(events));
        self
    }

    #[must_use]
    pub fn hang_after_events(mut self, events: usize) -> Self {
        self.ending = Some(Ending::HangAfterEvents(events));
        self
    }

    /// An error of the provider's type `kind` inside the stream.
    #[must_use]
    pub fn error_after_events(mut self, events: usize, kind: impl Into<String>) -> Self {
        let error = StreamError { after_events: events, kind: Some(kind.into()), message: None };
        self.ending = Some(Ending::Error(error));
        self
    }

    #[must_use]
    pub fn times(mut self, times: u32) -> Self {
        self.times = Some(times);
        self
    }

    /// Of a step made by [`status`]; without effect on another.
    #[must_use]
    pub fn retry_after(mut self, seconds: f64) -> Self {
        if let Some(refusal) = &mut self.status {
            refusal.retry_after = Some(seconds);
        }
        self
    }

    /// Of a step made by [`status`]; without effect on another.
    #[must_use]
    pub fn message(mut self, message: impl Into<String>) -> Self {
        if let Some(refusal) = &mut self.status {
            refusal.message = Some(message.into());
        }
        self
    }

    /// The provider's type of the error of a step made by [`status`]; without effect on another.
    #[must_use]
    pub fn kind(mut self, kind: impl Into<String>) -> Self {
        if let Some(refusal) = &mut self.status {
            refusal.kind = Some(kind.into());
        }
        self
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
