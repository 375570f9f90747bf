//! One file a method. A handler reads its params, asks the leader or the snapshot, and answers at once: none
//! waits for a person, a model or a lock on a file.

pub(crate) mod checkpoint;
pub(crate) mod code_action;
pub(crate) mod code_lens;
pub(crate) mod configuration;
pub(crate) mod conversation;
pub(crate) mod execute_command;
pub(crate) mod initialize;
pub(crate) mod interrupt;
pub(crate) mod member;
pub(crate) mod message;
pub(crate) mod permission;
pub(crate) mod plan;
pub(crate) mod prompt;
pub(crate) mod state;
pub(crate) mod task;
pub(crate) mod team;
pub(crate) mod teammate;
pub(crate) mod terminal;
pub(crate) mod transcript;

use swarm_wire::lsp::StateResult;

use crate::error::Problem;

/// Checks the team that a client names: there is one at most.
fn check_team(snapshot: &StateResult, named: Option<&str>) -> Result<(), Problem> {
    let Some(named) = named else { return Ok(()) };
    if snapshot.teams.iter().any(|team| team.name.as_str().eq_ignore_ascii_case(named)) {
        return Ok(());
    }
    let names: Vec<&str> = snapshot.teams.iter().map(|team| team.name.as_str()).collect();
    let there = if names.is_empty() { "there is none yet".to_owned() } else { names.join(", ") };
    Err(Problem::failed(format!("no team `{named}`; teams: {there}")))
}
