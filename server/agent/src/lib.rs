//! One member of a team: its turn loop, tools, context, and its life between turns. Knows no LSP.
//!
//! Start at [`life::run`]; a call's way is `turn` → `gate` → `tools`.

mod before_change;
mod chatter;
mod choice;
mod clock;
mod compact;
mod context;
pub mod conversation;
mod ending;
mod event;
mod files;
mod gate;
mod hosts;
mod inbox;
mod jobs;
pub mod life;
mod mail;
mod picture;
pub mod ports;
mod post;
mod shell;
mod tools;
mod turn;
mod without_pictures;

pub use choice::ModelChoice;
pub use clock::{permission_id, turn_id, unix_ms};
pub use context::{
    PLANNING, about_worktree, instructions, wrap_idle, wrap_message, wrap_news, wrap_refusal, wrap_task,
};
pub use event::{Report, Reporter};
pub use inbox::{Class, Inbox, Input, Receipt};
pub use mail::{Arrival, Incoming, Letterbox, deliver, input_of};
pub use picture::{PICTURE_MAX, inspect_picture};
pub use post::{Letter, Post, PostError};
pub use shell::{Shell, TeamShell};

pub use tools::EXIT_PLAN_MODE;

/// Says what is wrong with an input of a teammate's tool.
pub fn input_check(tool: &str) -> ports::InputCheck {
    tools::Tools::of_teammate(true).check(tool)
}

/// The names of the tools that members have, in alphabetical order.
pub fn tool_names() -> Vec<String> {
    tools::Tools::names()
}
