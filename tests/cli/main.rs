//! The command line, as a person or a script runs it: the built binary, its output, what it leaves behind.

#![expect(clippy::unwrap_used, reason = "a test fails by it, with the place")]

mod demo;
mod doctor;
mod run;
mod team;
mod timeline;
