//! The table of commands and their levels.

use std::fmt::Write;

use swarm_guard::understand;

use crate::fixture::commands;

#[test]
fn every_command_of_the_table_has_its_level() {
    let mut wrong = String::new();
    for (expected, command) in commands() {
        let found = understand(&command);
        if found.level != expected {
            writeln!(wrong, "{command:?}: {:?}, not {expected:?}: {}", found.level, found.why).unwrap();
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
    assert!(commands().len() > 600);
}
