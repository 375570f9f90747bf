//! A history that is near the most that fits is replaced by its summary. The summary is made in a copy: until it is
//! whole and written down, the history stays as it was.

use std::fmt::Write as _;

use swarm_model::{Error as ModelError, Message, Part, Request, UserPart};
use swarm_wire::TurnId;
use swarm_wire::task::TaskStatus;
use swarm_wire::transcript::Body;

use crate::choice::ModelChoice;
use crate::context::{HistoryError, wrap_history};
use crate::event::Report;
use crate::tools::{ToolContext, task_shown};
use crate::turn::{Engine, cut_middle, text_of};

/// How often a turn tries to make its history fit.
const ATTEMPTS_MAX: u32 = 3;
/// What of the window may be filled before a history is summarised; the answer's room comes off it.
const FULL: f64 = 0.9;
/// Bytes of text to a token, roughly, where the provider has not counted.
pub(crate) const BYTES_PER_TOKEN: usize = 4;
/// The longest of the newest inputs that is carried over word for word, in bytes.
const CARRIED_MAX: usize = 16 * 1024;
const SUMMARISE: &str = include_str!("context/summarise.md");

/// What became of an attempt.
pub(crate) enum Compaction {
    Done,
    Interrupted,
    /// Why there is no summary, for the user.
    Failed(String),
}

impl Engine {
    /// Whether the next request would fill the window.
    pub(crate) fn is_nearly_full(&self) -> bool {
        let choice = self.choice.borrow();
        let room = (f64::from(choice.context_window) * FULL) as usize;
        let room = room.saturating_sub(usize::try_from(choice.max_tokens).unwrap_or(usize::MAX));
        self.history_tokens() > room.max(1)
    }

    /// The tokens of the history with all that stands before it: as the provider counted them, and an estimate of
    /// what came since.
    fn history_tokens(&self) -> usize {
        let bytes = self.history.bytes();
        match self.measured {
            Some((at, tokens)) if at <= bytes => tokens + (bytes - at) / BYTES_PER_TOKEN,
            _ => bytes / BYTES_PER_TOKEN,
        }
    }

    /// Summarises the history, shown to the model shorter from attempt to attempt; a turn has only so many.
    pub(crate) async fn make_room(
        &mut self,
        turn: &TurnId,
        attempts: &mut u32,
        context: &ToolContext,
    ) -> Result<Compaction, HistoryError> {
        let mut why = "it was summarised as often as a turn may".to_owned();
        while *attempts < ATTEMPTS_MAX {
            let attempt = *attempts;
            *attempts += 1;
            match self.compact(turn, attempt, context).await? {
                Compaction::Failed(reason) => why = reason,
                ended => return Ok(ended),
            }
        }
        Ok(Compaction::Failed(why))
    }

    /// Summarises the history. `attempt` counts from 0; a later one shows the model less of it.
    async fn compact(
        &mut self,
        turn: &TurnId,
        attempt: u32,
        context: &ToolContext,
    ) -> Result<Compaction, HistoryError> {
        let before = self.history_tokens();
        let choice = self.choice.borrow().clone();
        self.history.album.load().await;
        let request = self.summary_request(&choice, attempt);
        let reply = match choice.client.complete(&request, &mut |_| {}, &context.turn).await {
            Ok(reply) => reply,
            Err(broken) if matches!(broken.error, ModelError::Cancelled) => {
                return Ok(Compaction::Interrupted);
            }
            Err(broken) => return Ok(Compaction::Failed(broken.error.to_string())),
        };
        self.reporter.send(Report::Used { model: choice.model.clone(), usage: reply.usage }).await;
        let Some(summary) = text_of(&reply.content).filter(|text| !text.trim().is_empty()) else {
            return Ok(Compaction::Failed("the model gave no summary".to_owned()));
        };
        let carried = self.newest_inputs();
        let summary = wrap_history(&summary, &standing(context, self).await);
        self.history.push(turn, Body::Compacted { summary, carried }).await?;
        self.measured = None;
        // What the model no longer knows, it has to read again before it changes it.
        context.files.forget_seen();
        let after = self.history_tokens();
        self.reporter.send(Report::Compacted { before, after }).await;
        Ok(Compaction::Done)
    }

    /// First the conversation as the provider knows it, which its cache has; then as text, cut to what surely fits.
    fn summary_request(&self, choice: &ModelChoice, attempt: u32) -> Request {
        let messages = if attempt == 0 {
            let mut messages = self.history.messages_for(choice);
            let ask = UserPart::Text(SUMMARISE.to_owned());
            match messages.last_mut() {
                Some(Message::User(parts)) => parts.push(ask),
                _ => messages.push(Message::User(vec![ask])),
            }
            messages
        } else {
            let window = usize::try_from(choice.context_window).unwrap_or(usize::MAX);
            let room = (window / (1 << attempt)).saturating_mul(BYTES_PER_TOKEN) / 2;
            let told = cut_middle(told(self.history.messages()), room);
            vec![Message::User(vec![UserPart::Text(format!("The conversation:\n\n{told}\n\n{SUMMARISE}"))])]
        };
        self.request(choice, messages)
    }

    /// The texts behind the model's last answer: nobody has answered them yet.
    fn newest_inputs(&self) -> Vec<String> {
        let text = |part: UserPart| match part {
            UserPart::Text(text) => Some(cut_middle(text, CARRIED_MAX)),
            UserPart::Picture(_) | UserPart::ToolResult { .. } => None,
        };
        self.history.newest().into_iter().filter_map(text).collect()
    }
}

/// A conversation as text.
fn told(messages: &[Message]) -> String {
    let mut text = String::new();
    for message in messages {
        match message {
            Message::User(parts) => {
                for part in parts {
                    let _ = match part {
                        UserPart::Text(said) => writeln!(text, "[to you] {said}"),
                        UserPart::ToolResult { content, .. } => {
                            writeln!(text, "[result] {}", cut_middle(content.clone(), 2000))
                        }
                        UserPart::Picture(_) => Ok(()),
                    };
                }
            }
            Message::Assistant(parts) => {
                for part in parts {
                    let _ = match part {
                        Part::Text(said) => writeln!(text, "[you] {said}"),
                        Part::ToolUse { name, input, .. } => {
                            writeln!(text, "[you call] {name} {}", cut_middle(input.to_string(), 2000))
                        }
                        Part::Opaque(_) => Ok(()),
                    };
                }
            }
        }
    }
    text
}

/// Who is there, what waits and what holds: what a summary might lose.
async fn standing(context: &ToolContext, engine: &Engine) -> String {
    let mode = engine.gate.bounds.borrow().mode;
    let mut text = format!("Your mode is {mode:?}.");
    let post = context.post.clone();
    let known = tokio::task::spawn_blocking(move || (post.members(), post.tasks().list())).await;
    // What cannot be read is asked for by the tools, when it is needed.
    let Ok((members, tasks)) = known else { return text };
    if let Ok(members) = members {
        let names: Vec<&str> = members.iter().map(|member| member.name.as_str()).collect();
        let _ = write!(text, "\nIn the team: {}.", names.join(", "));
    }
    let open = tasks.unwrap_or_default();
    for task in open.iter().filter(|task| task.status != TaskStatus::Completed) {
        let _ = write!(text, "\nTask {}", task_shown(task));
    }
    text
}
