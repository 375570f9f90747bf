//! `swarm-ls team`: what it shows of the teams on disk, the mail it sends, and what it will not delete.

use std::process::{Output, Stdio};

use serde_json::Value;
use swarm_script::{Script, reply, say, wait};
use swarm_tests::{Caps, FakeModel, World};

fn output(world: &World, arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = world.command(arguments);
    let Output { status, stdout, stderr } = command.stdin(Stdio::null()).output().unwrap();
    (status.code(), String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap())
}

/// A world whose folder `workspace` has a team of that name, after a run with this script.
fn after_a_run(script: Script) -> (World, FakeModel) {
    let model = FakeModel::start(script);
    let mut world = World::new(env!("CARGO_BIN_EXE_swarm-ls"));
    world.model(&model);
    let (code, _, err) = output(&world, &["run", "Begin."]);
    assert_eq!(code, Some(0), "{err}");
    (world, model)
}

#[test]
fn without_a_team_it_says_so() {
    let world = World::new(env!("CARGO_BIN_EXE_swarm-ls"));
    let (code, out, _) = output(&world, &["team", "list"]);
    assert_eq!(code, Some(0));
    assert!(out.contains("There is no team yet"), "{out}");
    assert_eq!(output(&world, &["team", "list", "--json"]).1, "[]\n");
    let (code, _, err) = output(&world, &["team", "show"]);
    assert_eq!(code, Some(1));
    assert!(err.contains("no team works in"), "{err}");
}

#[test]
fn it_lists_and_shows_a_team_in_words_and_in_json() {
    let (world, _model) = after_a_run(Script::new().agent("team-lead", [reply([say("Begun.")])]));
    let workspace = world.workspace().display().to_string();
    let (_, out, _) = output(&world, &["team", "list"]);
    assert_eq!(out, format!("workspace  1 member, nobody leads it now  {workspace}\n"));
    let list: Value = serde_json::from_str(&output(&world, &["team", "list", "--json"]).1).unwrap();
    assert_eq!(list[0]["name"], "workspace");
    assert_eq!(list[0]["leader"], Value::Null);
    let (_, out, _) = output(&world, &["team", "show"]);
    assert!(out.contains("  team-lead  mode default, "), "{out}");
    assert!(out.contains("tokens in, ") && out.contains(" out, $0.0"), "{out}");
    let shown: Value =
        serde_json::from_str(&output(&world, &["team", "show", "workspace", "--json"]).1).unwrap();
    assert_eq!(shown["team"]["members"][0]["agentId"], "team-lead@workspace");
    assert!(shown["team"]["spent"]["cost"].as_f64().unwrap() > 0.0, "{shown}");
    let (code, _, err) = output(&world, &["team", "show", "shop"]);
    assert_eq!(code, Some(1));
    assert!(err.contains("there is no team `shop`; there are workspace"), "{err}");
}

#[test]
fn what_is_sent_reaches_the_model_as_from_outside() {
    let lead = [reply([say("Begun.")]), reply([say("I see.")]), reply([say("And that.")])];
    let (world, model) = after_a_run(Script::new().agent("team-lead", lead));
    let (code, out, err) = output(&world, &["team", "send", "team-lead", "The build is red."]);
    assert_eq!(code, Some(0), "{err}");
    assert!(out.contains("sent to team-lead@workspace: ") && err.contains("nobody leads"), "{out}{err}");
    // The mail joins the prompt's turn or has one of its own; a run ends only when it was read.
    let (code, _, err) = output(&world, &["run", "Anything new?"]);
    assert_eq!(code, Some(0), "{err}");
    let last = model.wait_for(2).pop().unwrap().body.to_string();
    assert!(last.contains(r#"<message from=\"external:cli\">\nThe build is red."#), "{last}");
}

#[test]
fn mail_to_nobody_names_who_there_is() {
    let (world, _model) = after_a_run(Script::new().agent("team-lead", [reply([say("Begun.")])]));
    let (code, _, err) = output(&world, &["team", "send", "bob", "Hello."]);
    assert_eq!(code, Some(1));
    assert!(err.contains("has no member `bob`; it has team-lead"), "{err}");
    let (code, _, err) = output(&world, &["team", "send", "team-lead@shop", "Hello."]);
    assert_eq!(code, Some(1));
    assert!(err.contains("there is no team `shop`"), "{err}");
    let (_, _, err) = output(&world, &["team", "send", "team-lead", "  "]);
    assert!(err.contains("the text is empty"), "{err}");
}

#[test]
fn a_team_is_deleted_once_nobody_leads_it() {
    let lead = [reply([say("Begun.")]), reply([say("Still here."), wait("end")])];
    let (world, model) = after_a_run(Script::new().agent("team-lead", lead));
    let editor = world.editor(Caps::plain());
    let (code, _, err) = output(&world, &["team", "delete", "workspace"]);
    assert_eq!(code, Some(1));
    assert!(err.contains("is not deleted while process "), "{err}");
    assert!(output(&world, &["team", "list"]).1.contains("led by process "));
    drop(editor);
    let (code, out, err) = output(&world, &["team", "delete", "workspace"]);
    assert_eq!((code, out.as_str()), (Some(0), "deleted workspace\n"), "{err}");
    assert_eq!(output(&world, &["team", "list", "--json"]).1, "[]\n");
    assert!(!world.swarm_home().join("teams/workspace").exists());
    let (code, _, err) = output(&world, &["team", "delete", "workspace"]);
    assert_eq!(code, Some(1));
    assert!(err.contains("there is no team `workspace`"), "{err}");
    drop(model);
}
