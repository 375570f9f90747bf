//! The team file: changes that are all or nothing, many members, and the end of a team.

use std::fs;
use std::time::{Duration, Instant};

use swarm_store::{Error, Lease, LiveLock, TeamKey};
use swarm_wire::MemberName;
use swarm_wire::permission::Mode;
use swarm_wire::team::MemberEntry;

use crate::support::{id, team, team_file};

fn member(name: &str) -> MemberEntry {
    MemberEntry {
        agent_id: id(&format!("{name}@shop")),
        name: name.parse().unwrap(),
        agent_type: None,
        model: None,
        effort: None,
        prompt: Some("Look into it.".into()),
        color: None,
        plan_mode_required: None,
        joined_at: 1,
        tmux_pane_id: "in-process".into(),
        cwd: "/w".into(),
        worktree_path: None,
        worktree_branch: None,
        session_id: None,
        subscriptions: Vec::new(),
        backend_type: None,
        is_active: None,
        spent: None,
        mode: None,
        unknown: serde_json::Map::new(),
    }
}

fn name(text: &str) -> MemberName {
    text.parse().unwrap()
}

#[test]
fn modes_change_for_all_the_named_or_for_none() {
    let (_home, team) = team();
    team.update(|file| file.members.extend([member("ada"), member("bob")])).unwrap();
    team.set_modes(&[(name("ADA"), Mode::Plan), (name("bob"), Mode::AcceptEdits)]).unwrap();
    let modes = || team.read().unwrap().members.iter().map(|member| member.mode).collect::<Vec<_>>();
    assert_eq!(modes(), [Some(Mode::Plan), Some(Mode::AcceptEdits)]);
    let error = team.set_modes(&[(name("ada"), Mode::Default), (name("eve"), Mode::Default)]).unwrap_err();
    assert!(error.to_string().contains("no member eve; its members are ada, bob"), "{error}");
    assert_eq!(modes(), [Some(Mode::Plan), Some(Mode::AcceptEdits)]);
}

#[test]
fn unknown_fields_of_the_team_file_survive_a_change() {
    let (_home, team) = team();
    team.update(|file| file.members.push(member("ada"))).unwrap();
    let path = team.team_file_path();
    let text = fs::read_to_string(&path).unwrap().replacen('{', "{\"later\": {\"deep\": [1, 2]},", 1);
    fs::write(&path, text.replace("\"joinedAt\"", "\"rank\": 9, \"joinedAt\"")).unwrap();
    team.set_modes(&[(name("ada"), Mode::Plan)]).unwrap();
    let json: serde_json::Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    assert_eq!(json["later"]["deep"][1], 2);
    assert_eq!(json["members"][0]["rank"], 9);
}

/// The fastest of a few, since other work on the machine only ever adds.
fn time_to_change_all_modes(count: usize) -> Duration {
    let (_home, team) = team();
    let names: Vec<String> = (0..count).map(|number| format!("m{number}")).collect();
    team.update(|file| file.members.extend(names.iter().map(|name| member(name)))).unwrap();
    let change = |mode| {
        let modes: Vec<_> = names.iter().map(|text| (name(text), mode)).collect();
        let start = Instant::now();
        team.set_modes(&modes).unwrap();
        let took = start.elapsed();
        assert!(team.read().unwrap().members.iter().all(|member| member.mode == Some(mode)));
        took
    };
    [Mode::Plan, Mode::Default, Mode::AcceptEdits, Mode::Plan].map(change).into_iter().min().unwrap()
}

#[test]
fn the_modes_of_a_thousand_members_change_in_one_write_at_linear_cost() {
    let (few, many) = (time_to_change_all_modes(250), time_to_change_all_modes(1000));
    // Four times the members: about four times the time, and sixteen were it quadratic.
    assert!(many < few * 10, "250 members took {few:?}, 1000 took {many:?}");
}

#[test]
fn a_team_is_not_deleted_while_a_members_process_lives() {
    let (home, team) = team();
    let ada = id("ada@shop");
    let live = LiveLock::take(&team, &ada).unwrap();
    let lease = Lease::take(&team).unwrap();
    TeamKey::of(&lease, &team).unwrap();
    let error = team.delete(lease).unwrap_err();
    assert!(error.to_string().contains("alive is ada@shop"), "{error}");
    assert!(team.exists().unwrap());
    drop(live);
    team.delete(Lease::take(&team).unwrap()).unwrap();
    assert!(!team.path().exists() && !team.root().path().join("keys/shop.key").exists());
    assert!(matches!(team.read(), Err(Error::NoSuchTeam { .. })));
    team.create(&team_file("shop", home.path())).unwrap();
}
