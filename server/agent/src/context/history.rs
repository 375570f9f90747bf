//! A member's history: every entry goes to its transcript first, then to what the model is shown.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use swarm_model::{Message, Part, UserPart};
use swarm_store::Transcript;
use swarm_wire::picture::Picture;
use swarm_wire::transcript::{Block, Body, CallResult, Entry};
use swarm_wire::{MessageId, TurnId};

use super::album::{self, Album};
use crate::choice::ModelChoice;
use crate::clock::unix_ms;

/// Stands in for the inputs before an answer, where none could be read.
const UNREADABLE: &str = "[A part of this conversation could not be read.]";

/// Why a picture is not shown.
const TEXT_ALONE: &str = "this model is given text alone";
const SUMMARISED: &str = "the history that it was in was summarised; read the file to see it";

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
    pub(crate) album: Album,
    /// The texts of the messages, in bytes, and as many for each picture as it fills of a context.
    bytes: usize,
}

impl History {
    /// Takes up a transcript, whose pictures are in `outputs`. Calls whose result was lost get one that says so, and are
    /// never run again.
    pub(crate) fn new(transcript: Transcript, mut entries: Vec<Entry>, outputs: PathBuf) -> Self {
        let mut history = Self {
            transcript: Some(transcript),
            messages: Vec::new(),
            authors: HashMap::new(),
            consumed: HashSet::new(),
            album: Album::new(outputs),
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
        *self = Self::new(transcript, entries, self.album.outputs().to_owned());
        self.consumed.extend(consumed);
    }

    /// What the model is shown, oldest first.
    pub(crate) fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// The same with the pictures that were read, for the model that was chosen: what is of use to another alone is left
    /// out.
    pub(crate) fn messages_for(&self, choice: &ModelChoice) -> Vec<Message> {
        let by = choice.by();
        let shown = |(at, message): (usize, &Message)| match (message, self.authors.get(&at)) {
            (Message::Assistant(parts), Some(author)) if *author != by => {
                let parts = parts.iter().filter(|part| !matches!(part, Part::Opaque(_)));
                Message::Assistant(parts.cloned().collect())
            }
            _ => message.clone(),
        };
        let mut messages: Vec<Message> = self.messages.iter().enumerate().map(shown).collect();
        self.album.put_into(&mut messages, (!choice.pictures).then_some(TEXT_ALONE));
        messages
    }

    /// The inputs behind the model's last answer, for a history that they are carried over into.
    pub(crate) fn newest(&self) -> Vec<UserPart> {
        let mut messages = self.messages.clone();
        self.album.put_into(&mut messages, Some(SUMMARISED));
        match messages.pop() {
            Some(Message::User(parts)) => parts,
            _ => Vec::new(),
        }
    }

    /// How much the model is shown, as bytes of text.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes.saturating_sub(self.album.bytes_left_out())
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
            self.album.clear();
            self.bytes = 0;
        }
        self.bytes += bytes_of(body);
        match body {
            Body::Compacted { summary, carried } => {
                let texts = std::iter::once(summary).chain(carried);
                self.show_user(texts.cloned().map(UserPart::Text).collect());
            }
            Body::User { text, mail, pictures } => {
                self.consumed.extend(mail.iter().cloned());
                self.show_user(vec![UserPart::Text(text.clone())]);
                self.show_pictures(pictures, 1);
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
                    pictures: Vec::new(),
                    is_error: result.is_error,
                };
                self.show_user(results.iter().map(part).collect());
                for (at, result) in results.iter().enumerate() {
                    self.show_pictures(&result.pictures, results.len() - at);
                }
            }
            Body::PicturesRefused { reason } => self.album.refused(reason),
            Body::Ended { reason, .. } => self.show_user(vec![UserPart::Text(format!("[{reason}]"))]),
        }
    }

    fn show_user(&mut self, parts: Vec<UserPart>) {
        match self.messages.last_mut() {
            Some(Message::User(last)) => last.extend(parts),
            _ => self.messages.push(Message::User(parts)),
        }
    }

    /// Shows pictures with a part of the last message, counted from its end.
    fn show_pictures(&mut self, pictures: &[Picture], from_end: usize) {
        if let Some(Message::User(parts)) = self.messages.last() {
            self.album.place(self.messages.len() - 1, parts.len().saturating_sub(from_end), pictures);
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
    CallResult { tool_use_id, content, pictures: Vec::new(), is_error: true }
}

/// How much an entry shows the model, as bytes of text.
pub(crate) fn bytes_of(body: &Body) -> usize {
    let of_pictures = |pictures: &[Picture]| pictures.iter().map(album::bytes_of).sum::<usize>();
    match body {
        Body::User { text, pictures, .. } => text.len() + of_pictures(pictures),
        Body::Assistant { content, .. } => content.iter().map(bytes_of_block).sum(),
        Body::Results { results } => {
            results.iter().map(|result| result.content.len() + of_pictures(&result.pictures)).sum()
        }
        Body::PicturesRefused { .. } => 0,
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
