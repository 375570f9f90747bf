//! What commands are taken for, and that bash agrees.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]

#[path = "shell/fixture.rs"]
mod fixture;
#[path = "shell/table.rs"]
mod table;
