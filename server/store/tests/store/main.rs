//! Tests of the store over real folders, processes and kernel locks.
#![expect(clippy::unwrap_used, reason = "a test's helpers fail the test too")]

mod actors;
mod basics;
mod conversations;
mod damage;
mod interleavings;
mod kills;
mod outside;
mod processes;
mod seals;
mod settings;
mod support;
mod tasks;
mod team;
