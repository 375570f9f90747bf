//! Which conversation a member is in: another one is begun or opened, the present one is put away. Everything here
//! blocks, and only who writes the member's transcript may change what is present.

use swarm_store::{Conversations, Former, Transcript};
use swarm_wire::ConversationId;
use swarm_wire::conversation::{Conversation, ConversationIndex, ConversationWish};
use swarm_wire::lsp::ConversationView;
use swarm_wire::transcript::{Body, Entry};
use tokio::sync::oneshot;

use crate::clock::{conversation_id, unix_ms};
use crate::compact::BYTES_PER_TOKEN;
use crate::context::bytes_of;

/// The longest title that is made of a prompt, in characters.
const TITLE_MAX: usize = 60;

/// Why a member is not in another conversation.
#[derive(Debug, thiserror::Error)]
pub enum ConversationError {
    #[error("it works; interrupt it first")]
    Works,
    #[error(transparent)]
    Store(#[from] swarm_store::Error),
    /// A process of its own said so.
    #[error("{0}")]
    Refused(String),
    #[error("the change was lost: {0}")]
    Lost(String),
}

/// What the user wants of a member that lives.
#[derive(Debug)]
pub struct Wish {
    pub wish: ConversationWish,
    pub done: oneshot::Sender<Result<Conversation, ConversationError>>,
}

/// The conversation that is present now.
#[derive(Debug)]
pub struct Changed {
    pub conversation: Conversation,
    /// Its writing end and what it holds; `None` where it was present before.
    pub opened: Option<(Transcript, Vec<Entry>)>,
}

/// Does what the user wants.
pub fn change(of: &Conversations, wish: &ConversationWish) -> Result<Changed, swarm_store::Error> {
    let index = of.index()?;
    let entries = entries(of, &index.current)?;
    let present = measured(&index, &index.current, &entries);
    let stays = match wish {
        ConversationWish::Open { id } => *id == index.current,
        ConversationWish::New | ConversationWish::Clear => entries.is_empty(),
    };
    if stays {
        return Ok(Changed { conversation: present, opened: None });
    }
    let next = match wish {
        ConversationWish::Open { id } => {
            let known = index.get(id).cloned();
            known.ok_or_else(|| swarm_store::Error::NoSuchConversation(id.clone()))?
        }
        ConversationWish::New | ConversationWish::Clear => measured(&index, &conversation_id(), &[]),
    };
    let is_worth_it = match wish {
        ConversationWish::Clear => entries.iter().any(|entry| matches!(entry.body, Body::Assistant { .. })),
        _ => !entries.is_empty(),
    };
    let former = if is_worth_it { Former::Kept(present) } else { Former::LetGo(present.id) };
    let (transcript, replay) = of.change(former, next.clone())?;
    for torn in &replay.problems {
        tracing::warn!(path = %torn.path.display(), offset = torn.offset, why = %torn.why, "not an entry; passed over");
    }
    Ok(Changed { conversation: next, opened: Some((transcript, replay.entries)) })
}

/// All conversations, newest first.
pub fn list(of: &Conversations) -> Result<Vec<ConversationView>, swarm_store::Error> {
    let index = of.index()?;
    let present = measured(&index, &index.current, &entries(of, &index.current)?);
    let away = index.conversations.iter().filter(|away| away.id != index.current).cloned();
    let mut all: Vec<ConversationView> =
        away.map(|conversation| ConversationView { conversation, current: false }).collect();
    all.push(ConversationView { conversation: present, current: true });
    // The present one first, where two are of the same millisecond.
    all.sort_by_key(|view| std::cmp::Reverse((view.conversation.updated_at, view.current)));
    Ok(all)
}

/// Gives a conversation a title, the present one where none is named.
pub fn rename(
    of: &Conversations,
    id: Option<&ConversationId>,
    title: &str,
) -> Result<ConversationView, swarm_store::Error> {
    let index = of.index()?;
    let id = id.unwrap_or(&index.current);
    let is_present = *id == index.current;
    let figures =
        if is_present { Some(measured(&index, id, &entries(of, id)?)) } else { index.get(id).cloned() };
    let mut conversation = figures.ok_or_else(|| swarm_store::Error::NoSuchConversation(id.clone()))?;
    conversation.title = Some(title.to_owned());
    of.rename(&conversation)?;
    Ok(ConversationView { conversation, current: is_present })
}

fn entries(of: &Conversations, id: &ConversationId) -> Result<Vec<Entry>, swarm_store::Error> {
    Ok(of.reader(id)?.page(0, usize::MAX)?.entries)
}

/// The figures of a conversation that holds these entries.
fn measured(index: &ConversationIndex, id: &ConversationId, entries: &[Entry]) -> Conversation {
    let known = index.get(id);
    let first_prompt = entries.iter().find_map(|entry| match &entry.body {
        Body::User { text, .. } => title_of(text),
        _ => None,
    });
    let created_at = known.map(|known| known.created_at).or_else(|| entries.first().map(|entry| entry.at));
    let created_at = created_at.unwrap_or_else(unix_ms);
    let is_summary = |entry: &Entry| matches!(entry.body, Body::Compacted { .. });
    let shown = entries.iter().rposition(is_summary).unwrap_or(0);
    let bytes: usize = entries.iter().skip(shown).map(|entry| bytes_of(&entry.body)).sum();
    Conversation {
        id: id.clone(),
        title: known.and_then(|known| known.title.clone()).or(first_prompt),
        created_at,
        updated_at: entries.last().map_or(created_at, |entry| entry.at),
        entries: entries.len() as u64,
        tokens: (bytes / BYTES_PER_TOKEN) as u64,
    }
}

/// The head of a prompt's first line that says something.
fn title_of(prompt: &str) -> Option<String> {
    let line = prompt.lines().map(str::trim).find(|line| !line.is_empty())?;
    Some(match line.char_indices().nth(TITLE_MAX) {
        Some((at, _)) => format!("{}…", line[..at].trim_end()),
        None => line.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_the_head_of_the_first_line_that_says_something() {
        assert_eq!(title_of("\n  Find the heron.\nIt is grey."), Some("Find the heron.".to_owned()));
        assert_eq!(title_of(" \n"), None);
        let long = title_of(&"é ".repeat(60)).unwrap();
        assert!(long.ends_with("é…") && long.chars().count() <= TITLE_MAX + 1, "{long}");
    }
}
