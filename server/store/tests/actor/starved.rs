//! A full disk and a read-only one: every writer is told which, nothing is left broken.

use std::fs::{self, File};
use std::io::Write;

use swarm_store::{Draft, Durability, Error, Origin, Result, Root, TeamDir, Transcript};
use swarm_wire::permission::{Answer, Outcome, PermissionRequest, ResolvedBy};
use swarm_wire::team::TeamFile;
use swarm_wire::transcript::{Body, Entry};
use swarm_wire::{AgentId, RequestId};

/// Makes the team, with one message, one transcript entry and one open question.
pub(crate) fn prepare(root: &Root, team: &TeamDir) {
    root.prepare().unwrap();
    team.create(&team_file(team)).unwrap();
    team.mailbox(&ada()).create().unwrap();
    send(team).unwrap();
    Transcript::open(team, &ada()).unwrap().0.append(&[entry()]).unwrap();
    team.permissions().write_pending(&request()).unwrap();
}

/// On a small file system of its own.
pub(crate) fn fill_the_disk(root: &Root, team: &TeamDir) {
    prepare(root, team);
    let (mut transcript, _) = Transcript::open(team, &ada()).unwrap();
    let filler = root.path().join("filler");
    fill(&filler);
    refused(root, team, &mut transcript, Error::is_full);
    let left = fs::read_dir(team.mailbox(&ada()).path().join("tmp")).unwrap().count();
    assert_eq!(left, 0, "a message that could not be written is cleared away");
    fs::remove_file(&filler).unwrap();
    transcript.append(&[entry()]).unwrap();
    let (_, replay) = Transcript::open(team, &ada()).unwrap();
    assert_eq!((replay.entries.len(), replay.problems.len()), (2, 0));
    send(team).unwrap();
    let unread = team.mailbox(&ada()).reader().unread().unwrap();
    assert_eq!((unread.mail.len(), unread.problems.len()), (2, 0));
    let answer = team.permissions().resolve(&request().id, &Answer::allow(), ResolvedBy::Leader);
    assert_eq!(answer.unwrap().outcome, Outcome::Resolved, "the answer that failed did not count");
    assert!(team.read().unwrap().description.is_none());
    println!("well");
}

/// On a team that was prepared, and whose file system is read-only since.
pub(crate) fn write_nowhere(root: &Root, team: &TeamDir) {
    assert!(Transcript::open(team, &ada()).is_err_and(|error| error.is_read_only()));
    for (what, error) in attempts(root, team) {
        assert!(error.as_ref().is_some_and(Error::is_read_only), "{what}: {error:?}");
    }
    assert_eq!(team.mailbox(&ada()).reader().unread().unwrap().mail.len(), 1, "reading goes on");
    println!("well");
}

fn refused(root: &Root, team: &TeamDir, transcript: &mut Transcript, is_right: fn(&Error) -> bool) {
    let append = transcript.append(&vec![entry(); 1000]).err();
    for (what, error) in attempts(root, team).into_iter().chain([("append", append)]) {
        assert!(error.as_ref().is_some_and(is_right), "{what}: {error:?}");
    }
}

fn attempts(root: &Root, team: &TeamDir) -> Vec<(&'static str, Option<Error>)> {
    let described = team.update(|file| file.description = Some("x".repeat(100)));
    let answered = team.permissions().resolve(&request().id, &Answer::allow(), ResolvedBy::Leader);
    vec![
        ("prepare", root.prepare().err()),
        ("send", send(team).err()),
        ("change the team file", described.err()),
        ("answer", answered.err()),
        ("make a task", team.tasks().create("t", "", &[]).err()),
        ("number a start", team.next_incarnation(&ada()).err()),
        ("keep an output", team.write_output(&ada(), "o", &[0; 100]).err()),
    ]
}

fn send(team: &TeamDir) -> Result<()> {
    let draft = Draft::text("x".repeat(100));
    team.sender(Origin::User, 1).send(&team.mailbox(&ada()), draft, Durability::Synced).map(drop)
}

/// Writes until the last byte is taken.
fn fill(path: &std::path::Path) {
    let mut file = File::create(path).unwrap();
    let mut piece = vec![0; 65536];
    while !piece.is_empty() {
        if file.write_all(&piece).is_err() {
            piece.truncate(piece.len() / 2);
        }
    }
}

fn ada() -> AgentId {
    "ada@shop".parse().unwrap()
}

fn entry() -> Entry {
    Entry {
        at: 1,
        turn_id: None,
        body: Body::User { text: "x".repeat(100), mail: Vec::new(), pictures: Vec::new() },
    }
}

fn team_file(team: &TeamDir) -> TeamFile {
    TeamFile {
        name: team.name().clone(),
        description: None,
        created_at: 1,
        workspace: "/w".to_owned(),
        lead_agent_id: AgentId::lead_of(team.name().clone()),
        lead_session_id: None,
        hidden_pane_ids: Vec::new(),
        team_allowed_paths: Vec::new(),
        team_rules: Vec::new(),
        spent: None,
        members: Vec::new(),
        unknown: serde_json::Map::new(),
    }
}

fn request() -> PermissionRequest {
    PermissionRequest {
        created_at: 1,
        ..PermissionRequest::open(
            RequestId::new("perm-1-aaaaaa"),
            &ada(),
            "Bash",
            "t",
            serde_json::Value::Null,
        )
    }
}
