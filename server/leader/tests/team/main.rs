//! A whole team in this process: the real hub, agents, mailboxes and HTTP, against the scripted model.

#![expect(clippy::unwrap_used, reason = "a test fails by it, with the place")]

mod compaction;
mod endings;
mod faults;
mod forgery;
mod full;
mod members;
mod models;
mod modes;
mod notices;
mod panics;
mod questions;
mod resume;
mod rules;
mod searching;
mod spending;
mod stage;
mod tasks;
mod turns;
mod waking;
