//! A member's conversations: a transcript each, and a small file that says which one is present. That file alone
//! decides, and is changed in one step: whatever is killed when, one conversation is present and none is lost.

use std::path::PathBuf;

use swarm_wire::conversation::{Conversation, ConversationIndex};
use swarm_wire::{AgentId, ConversationId};

use crate::atomic::{self, Durability};
use crate::error::{Error, Result};
use crate::lock;
use crate::team_dir::{TeamDir, checked_id, file_name};
use crate::transcript::{Replay, Transcript, TranscriptReader};

/// The conversations of one member; cheap to clone, and nothing is open in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conversations {
    /// `<team>/transcripts`.
    folder: PathBuf,
    agent: String,
}

/// What becomes of the present conversation when another takes its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Former {
    /// It is put away, with these figures.
    Kept(Conversation),
    /// It and its transcript are removed.
    LetGo(ConversationId),
}

impl Conversations {
    pub fn new(team: &TeamDir, agent: &AgentId) -> Self {
        Self { folder: team.path().join("transcripts"), agent: file_name(agent) }
    }

    /// Which conversation is present, and what is known of all.
    pub fn index(&self) -> Result<ConversationIndex> {
        Ok(atomic::read_json_if_there(&self.index_path())?.unwrap_or_default())
    }

    /// The transcript of one conversation, which is empty where there is none.
    ///
    /// # Errors
    /// When the id could not name a file.
    pub fn reader(&self, id: &ConversationId) -> Result<TranscriptReader> {
        Ok(TranscriptReader::at(self.path(id)?))
    }

    /// The writing end of the present conversation, its history read and a torn last line cut off.
    pub fn open_present(&self) -> Result<(Transcript, Replay)> {
        Transcript::open_at(self.path(&self.index()?.current)?)
    }

    /// Makes `next` the present conversation, and gives its writing end. For the writer of the present one alone.
    ///
    /// `next` may be new; its own figures are kept where it is not.
    pub fn change(&self, former: Former, next: Conversation) -> Result<(Transcript, Replay)> {
        let path = self.path(&next.id)?;
        let is_new = !atomic::exists(&path)?;
        let opened = Transcript::open_at(path.clone())?;
        let changed = self.update(|index| {
            index.current = next.id.clone();
            match &former {
                Former::Kept(kept) => {
                    // Somebody may have named it meanwhile.
                    let title = index.get(&kept.id).and_then(|known| known.title.clone());
                    let title = title.or_else(|| kept.title.clone());
                    index.set(Conversation { title, ..kept.clone() });
                }
                Former::LetGo(id) => index.remove(id),
            }
            if index.get(&next.id).is_none() {
                index.set(next);
            }
        });
        if let Err(error) = changed {
            if is_new {
                // Best effort: an empty transcript that nothing names is of no harm.
                let _ = atomic::remove(&path);
            }
            return Err(error);
        }
        if let Former::LetGo(id) = former {
            // Nothing names it any more, so what is left of it counts for nothing.
            let _ = self.path(&id).and_then(|path| atomic::remove(&path));
        }
        Ok(opened)
    }

    /// Keeps the title of `named`, whoever writes its transcript; its other figures only where there were none.
    pub fn rename(&self, named: &Conversation) -> Result<()> {
        self.update(|index| {
            let mut known = index.get(&named.id).unwrap_or(named).clone();
            known.title.clone_from(&named.title);
            index.set(known);
        })
    }

    fn update(&self, change: impl FnOnce(&mut ConversationIndex)) -> Result<()> {
        atomic::create_dir(&self.folder)?;
        lock::locked(&self.folder.join(format!("{}.lock", self.agent)), || {
            let mut index = self.index()?;
            change(&mut index);
            atomic::replace_json(&self.index_path(), &index, Durability::Synced)
        })
    }

    fn index_path(&self) -> PathBuf {
        self.folder.join(format!("{}.json", self.agent))
    }

    /// The first conversation is where histories were before there were several.
    fn path(&self, id: &ConversationId) -> Result<PathBuf> {
        if id.is_first() {
            return Ok(self.folder.join(format!("{}.jsonl", self.agent)));
        }
        let id = checked_id(id.as_str()).map_err(|_| Error::NoSuchConversation(id.clone()))?;
        Ok(self.folder.join(&self.agent).join(format!("{id}.jsonl")))
    }
}
