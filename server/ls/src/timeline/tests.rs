//! Events into the file's text, where the order of things is what matters.

use serde_json::{Value, json};
use swarm_leader::TeamEvent;
use swarm_wire::lsp::Event;

use super::*;

/// The phases, lines and names of what is written of these events of `ada`, without what names tracks.
fn written(events: &[Value]) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace.json");
    let mut timeline = Timeline::create(&path).unwrap();
    for event in events {
        let mut event = event.clone();
        event["member"] = json!("ada@shop");
        event["turnId"] = json!("turn-1");
        let event: Event = serde_json::from_value(event).unwrap();
        timeline.take(TeamEvent { team: TeamName::from_folder("shop"), event }).unwrap();
    }
    timeline.finish();
    let lines: Vec<Value> = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    let spans = lines.iter().filter(|line| line["ph"] != "M");
    spans.map(|line| format!("{} {} {}", line["ph"], line["tid"], line["name"]).replace('"', "")).collect()
}

fn began(id: &str) -> Value {
    json!({ "kind": "toolStarted", "toolUseId": id, "name": id, "description": "secret" })
}

fn ended(id: &str) -> Value {
    json!({ "kind": "toolFinished", "toolUseId": id, "isError": false, "content": "secret" })
}

#[test]
fn calls_that_run_beside_each_other_have_lines_of_their_own() {
    let all = [began("a"), began("b"), ended("a"), began("c"), ended("c"), ended("b")];
    assert_eq!(
        written(&all),
        ["B 1 a", "B 2 b", "E 1 null", "B 1 c", "E 1 null", "E 2 null"],
        "a line that is free is taken first"
    );
}

#[test]
fn what_is_open_at_the_end_of_a_turn_ends_with_it() {
    let all = [began("a"), json!({ "kind": "turnEnded", "reason": "interrupted" }), ended("a"), began("b")];
    assert_eq!(written(&all), ["B 1 a", "E 1 null", "B 1 b"]);
}
