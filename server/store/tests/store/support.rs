//! A team in a temporary folder, and samples of what is kept in it.

use std::path::Path;

use swarm_store::{Root, TeamDir};
use swarm_wire::permission::PermissionRequest;
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
        spent: None,
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
        description: "run the tests".into(),
        created_at: 1,
        ..PermissionRequest::open(
            RequestId::new(request_id),
            &id("ada@shop"),
            "Bash",
            "t1",
            serde_json::json!({"command": "cargo test"}),
        )
    }
}

pub(crate) fn entry(text: &str) -> Entry {
    Entry {
        at: 1,
        turn_id: None,
        body: Body::User { text: text.into(), mail: Vec::new(), pictures: Vec::new() },
    }
}
