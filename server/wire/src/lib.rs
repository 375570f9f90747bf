//! The shapes that cross a process, the disk or the editor: ids, mail, files, settings and `swarm/*` messages.
//!
//! No I/O and no async here. Inner types of other crates are converted to these at the edge, so that what
//! is on the wire never changes by accident.

pub mod conversation;
pub mod ids;
pub mod lsp;
pub mod mail;
pub mod permission;
pub mod picture;
pub mod process;
pub mod relay;
pub mod settings;
pub mod task;
pub mod team;
pub mod transcript;
#[cfg(test)]
mod types;

pub use ids::{AgentId, ConversationId, MemberName, MessageId, NameError, RequestId, TeamName, TurnId};
