//! A member's history: every entry goes to its transcript first, then to what the model is shown.

use std::collections::{HashMap, HashSet};

use swarm_model::{Message, Part, UserPart};
use swarm_store::Transcript;
use swarm_wire::transcript::{Block, Body, CallResult, Entry};
use swarm_wire::{MessageId, TurnId};

use crate::clock::unix_ms;

/// Stands in for the inputs before an answer, where none could be read.
const UNREADABLE: &str = "[A part of this conversation could not be read.]";

/// Why an entry could not be kept. The turn ends: nothing is done that the transcript would not know of.
#[derive(Debug, thiserror::Error)]
pub(crate) enum HistoryError {
    #[error(transparent)]
    Store(#[from] swarm_store::Error),
    #[error("the transcript's writer was lost: {0}")]
    Lost(String),
}

/// What happened to a member, on disk and as messages to its model.
pub(crate) struct History {
    /// `None` only while an append is under way or after one was lost.
    transcript: Option<Transcript>,
    messages: Vec<Message>,
    /// Whose those messages are that hold opaque items, as far as it is known.
    authors: HashMap<usize, String>,
    consumed: HashSet<MessageId>,
    /// The texts of the messages, in bytes.
    bytes: usize,
}

impl History {
    /// Takes up a transcript. Calls whose result was lost get one that says so, and are never run again.
    pub(crate) fn new(transcript: Transcript, mut entries: Vec<Entry>) -> Self {
        let mut history = Self {
            transcript: Some(transcript),
            messages: Vec::new(),
            authors: HashMap::new(),
            consumed: HashSet::new(),
            bytes: 0,
        };
        // A line that stands there twice is one entry.
        entries.dedup();
        entries.into_iter().for_each(|entry| history.take_up(entry.body));
        history.lose_open_calls();
        history
    }

    /// Takes up another transcript in place of this one. Messages that were consumed stay so.
    pub(crate) fn change(&mut self, transcript: Transcript, entries: Vec<Entry>) {
        let consumed = std::mem::take(&mut self.consumed);
        *self = Self::new(transcript, entries);
        self.consumed.extend(consumed);
    }

    /// What the model is shown, oldest first.
    pub(crate) fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// The same for the model `by`: what is of use to another alone is left out.
    pub(crate) fn messages_for(&self, by: &str) -> Vec<Message> {
        let shown = |(at, message): (usize, &Message)| match (message, self.authors.get(&at)) {
            (Message::Assistant(parts), Some(author)) if author != by => {
                let parts = parts.iter().filter(|part| !matches!(part, Part::Opaque(_)));
                Message::Assistant(parts.cloned().collect())
            }
            _ => message.clone(),
        };
        self.messages.iter().enumerate().map(shown).collect()
    }

    /// How much text the model is shown, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Whether this message stands in the transcript already, so that it is only to be acknowledged.
    pub(crate) fn has_consumed(&self, message: &MessageId) -> bool {
        self.consumed.contains(message)
    }

    /// Keeps an entry on disk, then shows it to the model.
    pub(crate) async fn push(&mut self, turn: &TurnId, body: Body) -> Result<(), HistoryError> {
        self.keep(Some(turn), body).await
    }

    /// Keeps what asks for nothing: it belongs to no turn.
    pub(crate) async fn note(&mut self, body: Body) -> Result<(), HistoryError> {
        self.keep(None, body).await
    }

    async fn keep(&mut self, turn: Option<&TurnId>, body: Body) -> Result<(), HistoryError> {
        let entry = Entry { at: unix_ms(), turn_id: turn.cloned(), body };
        let gone = || HistoryError::Lost("an earlier append did not come back".to_owned());
        let mut transcript = self.transcript.take().ok_or_else(gone)?;
        let append = tokio::task::spawn_blocking(move || {
            let kept = transcript.append(std::slice::from_ref(&entry));
            (transcript, entry.body, kept)
        });
        let (transcript, body, kept) = append.await.map_err(|lost| HistoryError::Lost(lost.to_string()))?;
        self.transcript = Some(transcript);
        kept?;
        self.show(&body);
        Ok(())
    }

    fn show(&mut self, body: &Body) {
        if matches!(body, Body::Compacted { .. }) {
            self.messages.clear();
            self.authors.clear();
            self.bytes = 0;
        }
        self.bytes += bytes_of(body);
        match body {
            Body::Compacted { summary, carried } => {
                let texts = std::iter::once(summary).chain(carried);
                self.show_user(texts.cloned().map(UserPart::Text).collect());
            }
            Body::User { text, mail } => {
                self.consumed.extend(mail.iter().cloned());
                self.show_user(vec![UserPart::Text(text.clone())]);
            }
            Body::Assistant { content, by } => {
                let parts: Vec<Part> = content.iter().map(part_of).collect();
                if !parts.is_empty() {
                    let author =
                        by.clone().filter(|_| parts.iter().any(|part| matches!(part, Part::Opaque(_))));
                    self.authors.extend(author.map(|author| (self.messages.len(), author)));
                    self.messages.push(Message::Assistant(parts));
                }
            }
            Body::Results { results } => {
                let part = |result: &CallResult| UserPart::ToolResult {
                    id: result.tool_use_id.clone(),
                    content: result.content.clone(),
                    is_error: result.is_error,
                };
                self.show_user(results.iter().map(part).collect());
            }
            Body::Ended { reason, .. } => self.show_user(vec![UserPart::Text(format!("[{reason}]"))]),
        }
    }

    fn show_user(&mut self, parts: Vec<UserPart>) {
        match self.messages.last_mut() {
            Some(Message::User(last)) => last.extend(parts),
            _ => self.messages.push(Message::User(parts)),
        }
    }

    /// Shows an entry of an earlier run, so that each call has one result and each result its call, whatever entries
    /// between them could not be read.
    fn take_up(&mut self, body: Body) {
        let body = match body {
            Body::Results { results } => {
                let of_call = |id: String| {
                    results
                        .iter()
                        .find(|result| result.tool_use_id == id)
                        .cloned()
                        .unwrap_or_else(|| lost(id))
                };
                let results: Vec<CallResult> = self.open_calls().into_iter().map(of_call).collect();
                if results.is_empty() {
                    return;
                }
                Body::Results { results }
            }
            body => {
                self.lose_open_calls();
                body
            }
        };
        let answers_nobody = !matches!(self.messages.last(), Some(Message::User(_)));
        if answers_nobody && matches!(body, Body::Assistant { .. }) {
            self.show_user(vec![UserPart::Text(UNREADABLE.to_owned())]);
        }
        self.show(&body);
    }

    /// Gives calls that have no results the ones that say so.
    fn lose_open_calls(&mut self) {
        let results: Vec<CallResult> = self.open_calls().into_iter().map(lost).collect();
        if !results.is_empty() {
            self.show(&Body::Results { results });
        }
    }

    /// The ids of the calls that no result was shown for.
    fn open_calls(&self) -> Vec<String> {
        let Some(Message::Assistant(parts)) = self.messages.last() else { return Vec::new() };
        let id = |part: &Part| match part {
            Part::ToolUse { id, .. } => Some(id.clone()),
            Part::Text(_) | Part::Opaque(_) => None,
        };
        parts.iter().filter_map(id).collect()
    }
}

/// The result of a call whose own was lost.
fn lost(tool_use_id: String) -> CallResult {
    let content = "The server ended before this call's result was kept. It may have run.".to_owned();
    CallResult { tool_use_id, content, is_error: true }
}

/// How much text an entry shows the model, in bytes.
pub(crate) fn bytes_of(body: &Body) -> usize {
    match body {
        Body::User { text, .. } => text.len(),
        Body::Assistant { content, .. } => content.iter().map(bytes_of_block).sum(),
        Body::Results { results } => results.iter().map(|result| result.content.len()).sum(),
        Body::Compacted { summary, carried } => {
            summary.len() + carried.iter().map(String::len).sum::<usize>()
        }
        Body::Ended { reason, .. } => reason.len(),
    }
}

fn bytes_of_block(block: &Block) -> usize {
    match block {
        Block::Text { text } => text.len(),
        Block::ToolUse { input, .. } => input.to_string().len(),
        Block::Opaque { item } => item.to_string().len(),
    }
}

fn part_of(block: &Block) -> Part {
    match block.clone() {
        Block::Text { text } => Part::Text(text),
        Block::ToolUse { id, name, input } => Part::ToolUse { id, name, input },
        Block::Opaque { item } => Part::Opaque(item),
    }
}

/// A model's answer as the transcript keeps it.
pub(crate) fn blocks_of(parts: &[Part]) -> Vec<Block> {
    let block = |part: &Part| match part.clone() {
        Part::Text(text) => Block::Text { text },
        Part::ToolUse { id, name, input } => Block::ToolUse { id, name, input },
        Part::Opaque(item) => Block::Opaque { item },
    };
    parts.iter().map(block).collect()
}
