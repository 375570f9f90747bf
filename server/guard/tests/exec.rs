//! Commands behind walls, with a real helper and real processes.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]

#[path = "exec/endings.rs"]
mod endings;
#[path = "exec/escapes.rs"]
mod escapes;
#[path = "shell/fixture.rs"]
mod fixture;
#[path = "exec/judge.rs"]
mod judge;
#[path = "exec/network.rs"]
mod network;
#[path = "exec/support.rs"]
mod support;
#[path = "exec/weaker.rs"]
mod weaker;
#[path = "exec/work.rs"]
mod work;
