//! `docs/protocol.md` against the tables of the code, both ways.

use std::collections::BTreeSet;

use serde_json::json;
use swarm_wire::lsp::Event;
use swarm_wire::settings::Settings;

use super::METHODS;
use crate::handlers::execute_command::COMMANDS;

const PAGE: &str = include_str!("../../../../docs/protocol.md");

/// The names in the first column of the tables beneath a heading.
fn listed(heading: &str) -> BTreeSet<String> {
    let start = PAGE.find(&format!("\n## {heading}\n")).unwrap_or_else(|| panic!("no heading {heading:?}"));
    let section = PAGE[start + 4..].split("\n## ").next().unwrap_or_default();
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` |"));
    rows.map(|(name, _)| name.to_owned()).collect()
}

fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

#[test]
fn the_page_lists_the_requests_and_no_other() {
    assert_eq!(listed("Requests to the server"), set(METHODS));
}

#[test]
fn the_page_lists_the_commands_and_no_other() {
    assert_eq!(listed("Commands"), set(COMMANDS));
}

#[test]
fn the_page_lists_the_kinds_of_event_and_no_other() {
    // The one place that has all names of the kinds is what serde says to a wrong one.
    let error = serde_json::from_value::<Event>(json!({ "kind": "?" })).unwrap_err().to_string();
    let names: Vec<&str> = error.split('`').skip(1).step_by(2).filter(|&name| name != "?").collect();
    assert!(names.contains(&"turnEnded"), "{error}");
    assert_eq!(listed("Events"), set(&names));
}

#[test]
fn the_page_lists_the_settings_and_the_capabilities() {
    let all = json!(Settings::default());
    let mut settings: BTreeSet<String> = all.as_object().unwrap().keys().cloned().collect();
    // A key is never serialised.
    settings.insert("apiKey".into());
    let features = json!(swarm_wire::lsp::ClientFeatures::default());
    settings.extend(features.as_object().unwrap().keys().cloned());
    assert_eq!(listed("Capabilities"), settings);
}
