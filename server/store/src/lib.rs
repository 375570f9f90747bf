//! The team on disk: the only writer under the swarm root.
//!
//! Everything here blocks, so async callers go through `spawn_blocking`; the one exception is
//! [`mailbox::Changes::changed`]. Nothing here knows a model, an editor or how a member runs.
//!
//! Start at [`Root`], which knows where things are; it hands out a [`TeamDir`], and that the mailboxes,
//! permission files, tasks, transcripts and locks of one team. `docs/state.md` lists every file and what it promises.

mod agent_types;
mod atomic;
mod clock;
mod conversations;
mod door;
mod error;
mod lease;
mod lock;
pub mod mailbox;
mod outputs;
mod permissions;
mod root;
mod seal;
mod settings;
mod tasks;
mod team_dir;
mod team_file;
mod transcript;

pub use agent_types::AgentType;
pub use atomic::Durability;
pub use conversations::{Conversations, Former};
pub use door::Door;
pub use error::{Error, Result};
pub use lease::{Lease, LiveLock};
pub use lock::Holder;
pub use mailbox::{Content, Draft, Mailbox, Origin, Reader, Sender, Watch};
pub use outputs::{keep_picture, picture_hash, read_picture};
pub use permissions::{Admitted, Permissions, Resolution};
pub use root::Root;
pub use seal::{MemberKey, Refusal, Signer, Standing, TeamKey, Verifier, forbid_dumps};
pub use settings::{Layers, Remembered, RuleLists, SettingsDir, SettingsFile};
pub use tasks::{Claim, Tasks};
pub use team_dir::TeamDir;
pub use transcript::{Page, Replay, Torn, Transcript, TranscriptReader};
