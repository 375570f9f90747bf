//! One file a method. A handler reads its params, asks the leader or the snapshot, and answers at once: none
//! waits for a person, a model or a lock on a file.

pub(crate) mod checkpoint;
pub(crate) mod code_action;
pub(crate) mod configuration;
pub(crate) mod execute_command;
pub(crate) mod initialize;
pub(crate) mod interrupt;
pub(crate) mod member;
pub(crate) mod message;
pub(crate) mod permission;
pub(crate) mod prompt;
pub(crate) mod state;
pub(crate) mod task;
pub(crate) mod teammate;
pub(crate) mod transcript;
