//! The team: the hub that owns its state, the roster, the permission queue, the mail between members. Knows no LSP.

pub mod command;
mod handle;
mod hub;

pub use command::Refusal;
pub use handle::{EVENT_BACKLOG, Leader, Options, TeamEvent};
