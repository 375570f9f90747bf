//! The team: the hub that owns its state, the roster, the permission queue, the mail between members. Knows no LSP.
//!
//! Start at [`Leader::join`]; everything that can happen to a team is one `event::Event` in `hub`.

mod backend;
mod checkpoints;
pub mod command;
mod event;
mod git;
mod handle;
mod hub;
mod hunks;
mod permissions;
mod ports;
mod prices;
mod process;
mod publish;
mod relay;
mod roster;
mod settings;
mod team;
pub mod teammate;
mod worktrees;

pub use backend::StartedIn;
pub use backend::editor_terminal::Terminals;
pub use backend::tmux::TmuxPane;
pub use command::Refusal;
pub use handle::{EVENT_BACKLOG, Leader, Machine, Options, Session, TeamEvent};
pub use hub::{BUDGET, PROJECT_RULES, home_of};
pub use settings::{settings_rules, unknown_tool};
pub use team::delete as delete_team;
