//! A team in a temporary folder, and samples of what is kept in it.

use std::path::Path;

use swarm_store::{Root, TeamDir};
use swarm_wire::permission::{Level, PermissionRequest, Status};
use swarm_wire::team::TeamFile;
use swarm_wire::transcript::{Body, Entry};
use swarm_wire::{AgentId, RequestId};

pub(crate) fn team_file(name: &str, workspace: &Path) -> TeamFile {
    TeamFile {
        name: name.parse().unwrap(),
        description: None,
        created_at: 1,
        workspace: workspace.display().to_string(),
        lead_agent_id: AgentId::lead_of(name.parse().unwrap()),
        lead_session_id: None,
        hidden_pane_ids: Vec::new(),
        team_allowed_paths: Vec::new(),
        team_rules: Vec::new(),
        members: Vec::new(),
        unknown: serde_json::Map::new(),
    }
}

pub(crate) fn team() -> (tempfile::TempDir, TeamDir) {
    let home = tempfile::tempdir().unwrap();
    let root = Root::at(home.path().join("swarm"));
    root.prepare().unwrap();
    let team = root.team(&"shop".parse().unwrap());
    team.create(&team_file("shop", home.path())).unwrap();
    (home, team)
}

pub(crate) fn id(agent: &str) -> AgentId {
    agent.parse().unwrap()
}

pub(crate) fn request(request_id: &str) -> PermissionRequest {
    PermissionRequest {
        id: RequestId::new(request_id),
        worker_id: id("ada@shop"),
        worker_name: "ada".parse().unwrap(),
        worker_color: None,
        team_name: "shop".parse().unwrap(),
        tool_name: "Bash".into(),
        tool_use_id: "t1".into(),
        description: "run the tests".into(),
        level: Level::RunsCode,
        why: String::new(),
        input: serde_json::json!({"command": "cargo test"}),
        change: None,
        permission_suggestions: Vec::new(),
        status: Status::Pending,
        resolved_by: None,
        resolved_at: None,
        feedback: None,
        updated_input: None,
        permission_updates: Vec::new(),
        batch: None,
        created_at: 1,
    }
}

pub(crate) fn entry(text: &str) -> Entry {
    Entry { at: 1, turn_id: None, body: Body::User { text: text.into(), mail: Vec::new() } }
}
