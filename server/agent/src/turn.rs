//! The loop and nothing but the loop: model → tools → model … until the model stops calling tools.

use std::sync::Arc;

use futures::future::join_all;
use swarm_model::{CallError, Delta, Error as ModelError, Message, Part, Reply, Request, Stop, Usage};
use swarm_store::Transcript;
use swarm_wire::lsp::TurnEnd;
use swarm_wire::transcript::{Body, CallResult, Entry};
use swarm_wire::{AgentId, MemberName, TurnId};
use tokio::sync::{Notify, mpsc, watch};
use tokio_util::sync::CancellationToken;

use crate::chatter::Exchange;
use crate::choice::ModelChoice;
use crate::compact::Compaction;
use crate::context::{History, HistoryError, blocks_of};
use crate::ending::Ending;
use crate::event::{Report, Reporter};
use crate::gate::{Call, Gate, failed};
use crate::inbox::{Inbox, Input};
use crate::life::TurnSwitch;
use crate::tools::{PreparedCall, ToolContext, ToolError};

/// Calls of one answer that run at a time, where they only read.
const SIDE_BY_SIDE: usize = 8;
/// The longest result kept in a history, in bytes; what is over is cut from its middle.
const RESULT_MAX: usize = 120_000;
const INTERRUPTED: &str = "The user interrupted this turn.";
const CUT_OFF: &str = "The server ended in the middle of this turn.";

/// How a turn ended.
#[derive(Debug)]
pub(crate) struct TurnResult {
    pub(crate) end: TurnEnd,
    /// Why, when it did not simply complete.
    pub(crate) detail: Option<String>,
    /// What the model said last.
    pub(crate) last_text: Option<String>,
    /// The turns that were promised to prompts which joined this one.
    pub(crate) joined: Vec<TurnId>,
    /// Whether the leader was written to, so that it knows already.
    pub(crate) told_lead: bool,
    pub(crate) exchange: Exchange,
}

/// Whether the next request may be made.
enum Allowance {
    Granted,
    Interrupted,
    /// Why not, for the user.
    Refused(String),
}

/// What a turn works with: all of it the member's own.
pub(crate) struct Engine {
    pub(crate) choice: watch::Receiver<ModelChoice>,
    /// Whom the last request went to, as transcripts say.
    pub(crate) asked: Option<String>,
    /// The history's bytes when the provider last counted its tokens, and that count.
    pub(crate) measured: Option<(usize, usize)>,
    pub(crate) system: Arc<str>,
    pub(crate) gate: Arc<Gate>,
    pub(crate) history: History,
    pub(crate) inbox: Inbox,
    pub(crate) reporter: Reporter,
    pub(crate) ending: Arc<Ending>,
    pub(crate) switch: TurnSwitch,
}

impl Engine {
    /// Goes on with another history.
    pub(crate) fn take_up(&mut self, transcript: Transcript, entries: Vec<Entry>) {
        self.history.change(transcript, entries);
        self.measured = None;
        // What was to be summarised is another's.
        self.switch.take_compact();
    }

    /// Runs one turn. `context` carries the turn's own cancellation.
    pub(crate) async fn run_turn(
        &mut self,
        turn: &TurnId,
        inputs: Vec<Input>,
        context: &ToolContext,
    ) -> TurnResult {
        let mut result = TurnResult {
            end: TurnEnd::Completed,
            detail: None,
            last_text: None,
            joined: Vec::new(),
            told_lead: false,
            exchange: Exchange::default(),
        };
        let ended = self.steps(turn, inputs, context, &mut result).await;
        (result.end, result.detail) = ended.unwrap_or_else(|error| {
            let why = format!("the transcript could not be written, so nothing more was done: {error}");
            (TurnEnd::Failed, Some(why))
        });
        result
    }

    async fn steps(
        &mut self,
        turn: &TurnId,
        inputs: Vec<Input>,
        context: &ToolContext,
        result: &mut TurnResult,
    ) -> Result<(TurnEnd, Option<String>), HistoryError> {
        self.take_in(turn, inputs, result).await?;
        let mut attempts = 0;
        loop {
            // When nothing can be done about it, the request itself shows whether it fits.
            if (self.switch.take_compact() || self.is_nearly_full())
                && let Compaction::Interrupted = self.make_room(turn, &mut attempts, context).await?
            {
                return self.interrupted(turn, context).await;
            }
            match self.allowance(&context.turn).await {
                Allowance::Granted => {}
                Allowance::Interrupted => return self.interrupted(turn, context).await,
                Allowance::Refused(why) => return self.failed(turn, why).await,
            }
            let reply = match self.ask(turn, &context.turn).await? {
                Ok(reply) => reply,
                Err(broken) if broken.error.is_too_long() && broken.partial.is_empty() => {
                    match self.make_room(turn, &mut attempts, context).await? {
                        Compaction::Done => continue,
                        Compaction::Interrupted => return self.interrupted(turn, context).await,
                        Compaction::Failed(why) => return self.full(turn, &why, context).await,
                    }
                }
                Err(broken) => return self.broken(turn, broken, context).await,
            };
            let calls = calls_of(&reply.content);
            calls.iter().for_each(|call| result.called(call));
            if let Some(text) = text_of(&reply.content) {
                result.last_text = Some(text);
            }
            if !reply.content.is_empty() {
                self.history.push(turn, self.answer(&reply.content)).await?;
            }
            if calls.is_empty() {
                if !self.inbox.has_user() {
                    return Ok((TurnEnd::Completed, odd_stop(&reply.stop)));
                }
            } else {
                let results = self.run_calls(turn, &calls, context).await;
                self.history.push(turn, Body::Results { results }).await?;
                if context.turn.is_cancelled() {
                    return self.interrupted(turn, context).await;
                }
                if self.ending.is_agreed() {
                    return Ok((TurnEnd::Completed, None));
                }
            }
            // Mail that came meanwhile is given now, behind the results.
            let waiting = self.inbox.take_all();
            self.take_in(turn, waiting, result).await?;
        }
    }

    /// Keeps inputs in the transcript, then acknowledges them; one that stands there already is not given again.
    async fn take_in(
        &mut self,
        turn: &TurnId,
        inputs: Vec<Input>,
        result: &mut TurnResult,
    ) -> Result<(), HistoryError> {
        for input in inputs {
            result.exchange.heard(&input);
            let Input { turn: promised, shutdown, text, pictures, message, receipt, .. } = input;
            shutdown.into_iter().for_each(|request| self.ending.ask(request));
            result.joined.extend(promised.filter(|promised| promised != turn));
            if !self.history.has_consumed(&message) {
                self.history.push(turn, Body::User { text, mail: vec![message], pictures }).await?;
            }
            receipt.acknowledge().await;
        }
        Ok(())
    }

    /// Keeps inputs that ask for nothing, for the model to see when it is asked next.
    pub(crate) async fn take_note(&mut self, inputs: Vec<Input>) -> Result<(), HistoryError> {
        for Input { text, pictures, message, receipt, .. } in inputs {
            if !self.history.has_consumed(&message) {
                self.history.note(Body::User { text, mail: vec![message], pictures }).await?;
            }
            receipt.acknowledge().await;
        }
        Ok(())
    }

    /// A request of this member, with the prefix that all of them share.
    pub(crate) fn request(&self, choice: &ModelChoice, messages: Vec<Message>) -> Request {
        Request {
            model: choice.model.to_string(),
            system: self.system.clone(),
            tools: self.gate.tools.specs(),
            messages,
            max_tokens: choice.max_tokens,
            effort: choice.effort,
        }
    }

    /// Waits until the budget has room for a request.
    async fn allowance(&self, cancel: &CancellationToken) -> Allowance {
        if !self.choice.borrow().metered {
            return Allowance::Granted;
        }
        match cancel.run_until_cancelled(self.gate.ask.allowance(&self.reporter.agent)).await {
            Some(Ok(())) => Allowance::Granted,
            Some(Err(why)) => Allowance::Refused(why),
            None => Allowance::Interrupted,
        }
    }

    pub(crate) async fn ask_model(
        &mut self,
        turn: &TurnId,
        cancel: &CancellationToken,
    ) -> Result<Reply, CallError> {
        let choice = self.choice.borrow().clone();
        let model = choice.model.clone();
        self.history.album.load().await;
        let request = self.request(&choice, self.history.messages_for(&choice));
        self.asked = Some(choice.by());
        let (pieces, mut arrived) = mpsc::unbounded_channel();
        let hurry = Notify::new();
        let Self { inbox, reporter, .. } = self;
        let hurried = &hurry;
        let call = async move {
            // Owned here, so that the channel closes when the call is over.
            let pieces = pieces;
            let mut deltas = |delta: Delta| {
                let _ = pieces.send(delta);
            };
            choice.client.complete_with(&request, &mut deltas, cancel, hurried).await
        };
        let forward = async {
            while let Some(delta) = arrived.recv().await {
                reporter.send(report_of(turn, delta)).await;
            }
        };
        // Who writes to a member that waits for its provider wants it to try now.
        let written = async {
            loop {
                inbox.user_writes().await;
                hurry.notify_waiters();
            }
        };
        let reply = tokio::select! {
            (reply, ()) = async { tokio::join!(call, forward) } => reply,
            never = written => match never {},
        };
        if let Ok(reply) = &reply {
            let Usage { input, output, cached, .. } = reply.usage;
            let tokens = usize::try_from(input + output + cached).unwrap_or(usize::MAX);
            // The answer itself is pushed next, and counted twice for a moment: rather too much than too little.
            self.measured = (tokens > 0).then(|| (self.history.bytes(), tokens));
            self.reporter.send(Report::Used { model, usage: reply.usage }).await;
        }
        reply
    }

    /// What the model said, for the transcript.
    fn answer(&self, content: &[Part]) -> Body {
        Body::Assistant { content: blocks_of(content), by: self.asked.clone() }
    }

    /// One result for each call, in order; after an interrupt the rest are aborted without being run. Calls that only
    /// read run side by side, all others alone.
    async fn run_calls(&self, turn: &TurnId, calls: &[Call], context: &ToolContext) -> Vec<CallResult> {
        let mut results = Vec::with_capacity(calls.len());
        let mut readers = Vec::new();
        for call in calls {
            let mut prepared = self.prepare(call, context).await;
            let only_reads = prepared.as_ref().is_ok_and(|prepared| prepared.preview().effect.only_reads());
            if !readers.is_empty() && (!only_reads || readers.len() == SIDE_BY_SIDE) {
                results.extend(join_all(readers.drain(..)).await);
                // It may rest on what was read just now, as an edit does.
                prepared = self.prepare(call, context).await;
            }
            let run = self.run_call(turn, call, prepared, context);
            if only_reads {
                readers.push(run);
            } else {
                results.push(run.await);
            }
        }
        results.extend(join_all(readers).await);
        results
    }

    async fn prepare(&self, call: &Call, context: &ToolContext) -> Result<Box<dyn PreparedCall>, ToolError> {
        if context.turn.is_cancelled() {
            return Err(ToolError::Aborted);
        }
        self.gate.prepare(call, context).await
    }

    async fn run_call(
        &self,
        turn: &TurnId,
        call: &Call,
        prepared: Result<Box<dyn PreparedCall>, ToolError>,
        context: &ToolContext,
    ) -> CallResult {
        let description = match &prepared {
            Ok(prepared) => prepared.preview().description.clone(),
            Err(_) => call.name.clone(),
        };
        self.reporter
            .send(Report::ToolStarted {
                turn: turn.clone(),
                tool_use_id: call.id.clone(),
                name: call.name.clone(),
                description,
            })
            .await;
        let mut result = match prepared {
            Ok(prepared) => self.gate.finish(call, prepared, context).await,
            Err(error) => failed(call, &error),
        };
        result.content = cut_middle(result.content, RESULT_MAX);
        self.reporter
            .send(Report::ToolFinished {
                turn: turn.clone(),
                tool_use_id: call.id.clone(),
                is_error: result.is_error,
                content: result.content.clone(),
            })
            .await;
        result
    }

    /// The call to the model gave no whole answer: what came of it is kept, and the turn ends.
    async fn broken(
        &mut self,
        turn: &TurnId,
        broken: CallError,
        context: &ToolContext,
    ) -> Result<(TurnEnd, Option<String>), HistoryError> {
        let CallError { error, partial } = broken;
        if !partial.is_empty() {
            self.history.push(turn, self.answer(&partial)).await?;
            let aborted =
                calls_of(&partial).iter().map(|call| failed(call, &ToolError::Aborted)).collect::<Vec<_>>();
            if !aborted.is_empty() {
                self.history.push(turn, Body::Results { results: aborted }).await?;
            }
        }
        if matches!(error, ModelError::Cancelled) {
            return self.interrupted(turn, context).await;
        }
        self.failed(turn, error.to_string()).await
    }

    async fn failed(
        &mut self,
        turn: &TurnId,
        reason: String,
    ) -> Result<(TurnEnd, Option<String>), HistoryError> {
        self.history
            .push(turn, Body::Ended { reason: format!("This turn failed: {reason}"), unfinished: false })
            .await?;
        Ok((TurnEnd::Failed, Some(reason)))
    }

    /// The history does not fit, however it is shortened. Whoever was asked to end meanwhile can never answer, and does.
    async fn full(
        &mut self,
        turn: &TurnId,
        why: &str,
        context: &ToolContext,
    ) -> Result<(TurnEnd, Option<String>), HistoryError> {
        let lead = AgentId::lead_of(context.agent.team.clone());
        for request in self.ending.unanswered() {
            if let Err(error) = self.ending.answer(&context.post, &lead, (request, true, None)).await {
                tracing::error!(agent = %context.agent, %error, "a request to end was not answered");
            }
        }
        let reason = format!(
            "the conversation does not fit into the model's {} tokens, and could not be summarised ({why}); stop this member \
             and start another, or choose a model that takes more",
            self.choice.borrow().context_window
        );
        self.failed(turn, reason).await
    }

    async fn interrupted(
        &mut self,
        turn: &TurnId,
        context: &ToolContext,
    ) -> Result<(TurnEnd, Option<String>), HistoryError> {
        let unfinished = context.life.is_cancelled();
        let reason = if unfinished { CUT_OFF } else { INTERRUPTED }.to_owned();
        self.history.push(turn, Body::Ended { reason, unfinished }).await?;
        Ok((TurnEnd::Interrupted, None))
    }
}

impl TurnResult {
    fn called(&mut self, call: &Call) {
        self.exchange.called(&call.name, &call.input);
        let to = call.input.get("to").and_then(serde_json::Value::as_str).unwrap_or_default();
        let is_lead = to == "*" || MemberName::team_lead().as_str().eq_ignore_ascii_case(to);
        // What was done after the last word to the leader is not told yet.
        self.told_lead = if call.name == "SendMessage" { self.told_lead || is_lead } else { false };
    }
}

fn report_of(turn: &TurnId, delta: Delta) -> Report {
    let turn = turn.clone();
    match delta {
        Delta::Text(text) => Report::Text { turn, text },
        Delta::Restarted { attempt, discarded_text, .. } => {
            Report::Restarted { turn, attempt, discarded_text }
        }
        Delta::Resumed => Report::Resumed,
        Delta::EffortRefused { reason } => Report::Warned {
            text: format!("the model is asked without its effort, which it refused: {reason}"),
        },
        Delta::Waiting { seconds, reason } => Report::Waiting { turn, seconds, reason },
    }
}

fn calls_of(parts: &[Part]) -> Vec<Call> {
    let call = |part: &Part| match part {
        Part::ToolUse { id, name, input } => {
            Some(Call { id: id.clone(), name: name.clone(), input: input.clone() })
        }
        Part::Text(_) | Part::Opaque(_) => None,
    };
    parts.iter().filter_map(call).collect()
}

/// What a model's answer says.
pub(crate) fn text_of(parts: &[Part]) -> Option<String> {
    let text: Vec<&str> = parts
        .iter()
        .filter_map(|part| match part {
            Part::Text(text) => Some(text.as_str()),
            Part::ToolUse { .. } | Part::Opaque(_) => None,
        })
        .collect();
    (!text.is_empty()).then(|| text.join("\n"))
}

/// What to tell the user of a stop that is not the model's own wish.
fn odd_stop(stop: &Stop) -> Option<String> {
    match stop {
        Stop::EndTurn | Stop::ToolUse => None,
        Stop::MaxTokens => {
            Some("the answer was cut at the longest length that is asked of the model".to_owned())
        }
        Stop::Refusal => Some("the provider's safety rules ended the answer".to_owned()),
        Stop::Other(reason) => Some(format!("the model stopped: {reason}")),
    }
}

/// Cuts the middle out of a text that is longer than `max` bytes, at character borders.
pub(crate) fn cut_middle(text: String, max: usize) -> String {
    if text.len() <= max {
        return text;
    }
    let head = text.floor_char_boundary(max / 2);
    let tail = text.ceil_char_boundary(text.len() - max / 2);
    format!("{}\n[… {} bytes cut …]\n{}", &text[..head], tail - head, &text[tail..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_at_characters_and_says_so() {
        let cut = cut_middle("é".repeat(100), 51);
        assert!(cut.starts_with(&"é".repeat(12)) && cut.ends_with('é'));
        assert!(cut.contains("bytes cut"));
        assert_eq!(cut_middle("short".into(), 51), "short");
    }
}
