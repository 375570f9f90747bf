//! Which processes of a world still run, told by a mark in their environment.

use std::fs;
use std::time::{Duration, Instant};

/// The variable that marks every process of a world.
pub(crate) const MARK: &str = "TEST_WORLD";

/// Processes that carry the mark of `world`, with their command lines; zombies do not count.
pub(crate) fn running(world: &str) -> Vec<String> {
    let mark = format!("{MARK}={world}");
    let Ok(processes) = fs::read_dir("/proc") else { return Vec::new() };
    let mut found = Vec::new();
    for process in processes.flatten() {
        let path = process.path();
        let Ok(environ) = fs::read(path.join("environ")) else { continue };
        if environ.split(|&byte| byte == 0).any(|entry| entry == mark.as_bytes()) {
            let line = fs::read(path.join("cmdline")).unwrap_or_default();
            let line = String::from_utf8_lossy(&line).replace('\0', " ");
            found.push(format!("{} {line}", process.file_name().to_string_lossy()));
        }
    }
    found
}

/// Waits until no process of `world` runs; those that still do when the time is up are the error.
pub(crate) fn none_left(world: &str, within: Duration) -> Result<(), Vec<String>> {
    none_left_with(world, "", within)
}

/// As [`none_left`], of those whose command line has `words`.
pub(crate) fn none_left_with(world: &str, words: &str, within: Duration) -> Result<(), Vec<String>> {
    let deadline = Instant::now() + within;
    loop {
        let mut left = running(world);
        left.retain(|line| line.contains(words));
        if left.is_empty() {
            return Ok(());
        }
        if Instant::now() > deadline {
            return Err(left);
        }
        std::thread::yield_now();
    }
}
