//! What a member's model is told: the system text, its history, and mail in its wrapper.

mod album;
mod history;
mod instructions;
mod prompt;
mod wrap;

pub(crate) use history::{History, HistoryError, blocks_of, bytes_of};
pub use instructions::instructions;
pub use prompt::about_worktree;
pub(crate) use prompt::system_text;
pub use wrap::{PLANNING, wrap_idle, wrap_message, wrap_news, wrap_refusal, wrap_task};
pub(crate) use wrap::{wrap_history, wrap_plan, wrap_shutdown};
