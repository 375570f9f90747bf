//! Teammates in panes of tmux: where they appear, what is theirs, and what of the user's is left alone.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use swarm_tests::script::{Script, WhenDone, reply, say};
use swarm_tests::{Caps, Editor, FakeModel, Pane, Tmux, World};

use crate::again::editor_with;
use crate::backends::{ada, bash, done, ended, spawn};
use crate::{of, played};

/// Teammates that do what they are told at once.
fn obedient() -> (FakeModel, World) {
    played(Script::new().when_done(WhenDone::Say("Done.".into())))
}

fn spawn_named(editor: &mut Editor, name: &str) {
    let params = json!({ "name": name, "prompt": "Go.", "backend": "tmux" });
    editor.request("swarm/teammate/spawn", params);
    editor.await_event_where("turnEnded", |event| of(event, name));
}

fn team_file(world: &World) -> Value {
    let file = world.swarm_home().join("teams/workspace.json");
    serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap()
}

#[test]
fn panes_open_beside_the_leaders_in_turn_and_the_focus_stays() {
    let (_model, mut world) = obedient();
    let tmux = Tmux::around(&mut world, (200, 50), "set -g pane-border-style fg=white,dim\n");
    let mut editor = world.editor(Caps::rich());
    spawn_named(&mut editor, "ada");
    let (leader, ada) = (tmux.panes()[0].clone(), tmux.pane("ada"));
    assert!((55..=62).contains(&ada.width) && ada.height > 40 && ada.left > leader.width, "{ada:?}");
    spawn_named(&mut editor, "bob");
    let (ada, bob) = (tmux.pane("ada"), tmux.pane("bob"));
    assert!(bob.top > ada.height && bob.left == ada.left, "below: {bob:?} {ada:?}");
    spawn_named(&mut editor, "cyd");
    let cyd = tmux.pane("cyd");
    assert!(cyd.left > ada.left && cyd.width < 40, "beside: {cyd:?}");
    let now = tmux.panes()[0].clone();
    assert!(now.is_active && now.width == leader.width, "{now:?}");
    assert_eq!(team_file(&world)["members"][1]["tmuxPaneId"], ada.id);
    let style = |pane: &Pane| tmux.run(&["display-message", "-p", "-t", &pane.id, "#{E:pane-border-style}"]);
    assert_eq!((style(&ada), style(&bob)), ("fg=green".to_owned(), "fg=yellow".to_owned()));
    assert_eq!(style(&now), "fg=white,dim", "the user's own stays");
    editor.close();
    assert_eq!(tmux.panes().len(), 1, "the user's own stays");
}

#[test]
fn the_share_is_a_setting_and_a_zoomed_pane_stays_zoomed() {
    let (_model, mut world) = obedient();
    let tmux = Tmux::around(&mut world, (200, 50), "");
    tmux.open(&["split-window", "-v", "-d", "-t", "work:"]);
    tmux.run(&["resize-pane", "-Z", "-t", "work:"]);
    let mut editor = world.editor(Caps::rich());
    let settings = json!({ "settings": { "swarm": { "tmuxShare": 50 } } });
    editor.notify("workspace/didChangeConfiguration", settings);
    spawn_named(&mut editor, "ada");
    assert_eq!(tmux.run(&["display-message", "-p", "-t", "work:", "#{window_zoomed_flag}"]), "1");
    tmux.run(&["resize-pane", "-Z", "-t", "work:"]);
    assert!((95..=100).contains(&tmux.pane("ada").width), "{:?}", tmux.pane("ada"));
}

#[test]
fn outside_of_tmux_the_team_has_a_session_of_its_own_that_knows_no_key() {
    let (_model, world) = obedient();
    // Without a configuration of the user's.
    std::fs::write(world.swarm_home().with_file_name("home").join(".tmux.conf"), "set -g base-index 7\n")
        .unwrap();
    let tmux = Tmux::own(&world, "workspace");
    let mut editor = world.editor(Caps::rich());
    spawn_named(&mut editor, "ada");
    spawn_named(&mut editor, "bob");
    assert_eq!(tmux.run(&["list-sessions", "-F", "#{session_name}"]), "swarm-workspace");
    assert_eq!(tmux.run(&["list-windows", "-F", "#{window_index} #{window_name}"]), "0 swarm-view");
    let (ada, bob) = (tmux.pane("ada"), tmux.pane("bob"));
    assert!(ada.width == bob.width && ada.height.abs_diff(bob.height) <= 2, "{ada:?} {bob:?}");
    for environment in [tmux.run(&["show-environment", "-g"]), tmux.run(&["show-environment"])] {
        assert!(!environment.contains("test-key"), "{environment}");
    }
    for process in world.running("") {
        let id = process.split(' ').next().unwrap();
        if process.contains("teammate") || process.contains("tmux -f") {
            let environ = std::fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
            let environ = String::from_utf8_lossy(&environ);
            assert!(!process.contains("test-key") && !environ.contains("test-key"), "{process}");
        }
    }
    let error = editor.try_request("swarm/teammate/show", json!({ "member": "ada" })).unwrap_err();
    assert!(error.message.contains("`tmux -L swarm-workspace attach`"), "{}", error.message);
    editor.close();
    world.none_left(Duration::from_secs(2));
}

#[test]
fn a_key_in_the_environment_of_the_users_tmux_reaches_no_teammate() {
    let (_model, mut world) = ada([reply([bash("sleep 4711")])]);
    let tmux = Tmux::around(&mut world, (200, 50), "");
    tmux.run(&["set-environment", "-g", "OPENAI_API_KEY", "test-key"]);
    let mut editor = world.editor(Caps::rich());
    spawn(&mut editor, "tmux");
    world.wait_for_process("sleep 4711");
    let environ = std::fs::read(format!("/proc/{}/environ", tmux.pane("ada").process)).unwrap();
    assert!(!String::from_utf8_lossy(&environ).contains("test-key"));
}

#[test]
fn a_team_of_sixteen_has_room_on_a_small_screen() {
    const MATES: usize = 15;
    let (_model, mut world) = obedient();
    let tmux = Tmux::around(&mut world, (80, 24), "");
    let mut editor = world.editor(Caps::rich());
    for number in 0..MATES {
        let params = json!({ "name": format!("m{number}"), "prompt": "Go.", "backend": "tmux" });
        editor.request("swarm/teammate/spawn", params);
    }
    for _ in 0..MATES {
        editor.await_event_where("turnEnded", |event| !of(event, "team-lead"));
    }
    let panes = tmux.panes();
    assert_eq!(panes.len(), MATES + 1, "{panes:#?}");
    assert!(panes.iter().all(|pane| pane.width >= 28 && pane.height >= 5), "each can be read: {panes:#?}");
    assert!(panes[0].is_active);
    let windows = tmux.run(&["list-windows", "-F", "#{window_name} #{window_active}"]);
    assert!(windows.lines().count() > 1 && windows.lines().next().unwrap().ends_with(" 1"), "{windows}");
    editor.close();
    assert_eq!(tmux.panes().len(), 1);
}

#[test]
fn a_prompt_of_any_content_reaches_the_model_as_it_is() {
    let all = "it's \"quoted\"\n$(touch never) `touch never` ${HOME} #{pane_id} #S %H \\ \t 漢字 🦀 ; \\;\n;";
    let long = format!("{}{all}", "0123456789 ".repeat(6000));
    for (number, prompt) in
        [all, long.as_str(), "-d", "; kill-server ;", "#(touch never);"].iter().enumerate()
    {
        let (model, world) = obedient();
        let _tmux = Tmux::own(&world, "workspace");
        let mut editor = world.editor(Caps::rich());
        let params = json!({ "name": "ada", "prompt": prompt, "backend": "tmux" });
        editor.request("swarm/teammate/spawn", params);
        assert_eq!(ended(&mut editor), "completed", "{number}");
        let asked = model.wait_for(1);
        let request = asked.iter().find(|request| request.agent.starts_with("ada@")).unwrap();
        let texts = texts_of(&request.body["messages"]);
        assert!(texts.iter().any(|text| text.contains(prompt)), "{number}: {texts:#?}");
        assert!(!world.path("never").exists());
    }
}

/// All texts in messages to a model.
fn texts_of(value: &Value) -> Vec<String> {
    match value {
        Value::Array(all) => all.iter().flat_map(texts_of).collect(),
        Value::Object(fields) => fields.values().flat_map(texts_of).collect(),
        Value::String(text) => vec![text.clone()],
        _ => Vec::new(),
    }
}

#[test]
fn odd_configurations_do_no_harm() {
    for configuration in [
        "set -g base-index 1\nset -g pane-base-index 1\nset -g renumber-windows on\n",
        "set -g default-shell /bin/false\n",
        "set -g default-command 'exit 7'\n",
        "set -g remain-on-exit on\n",
        "set -g set-titles on\nset -g prefix C-a\nunbind C-b\nset -g automatic-rename on\nset -g mouse on\n",
        "set -g pane-border-status bottom\nset -g main-pane-width 120\nset-hook -g after-split-window 'select-layout main-vertical'\n",
        "set -g status off\nset -g exit-empty off\nset -g default-terminal xterm-256color\nset -g window-size smallest\n",
    ] {
        let (_model, mut world) = obedient();
        let tmux = Tmux::around(&mut world, (200, 50), configuration);
        let mut editor = world.editor(Caps::rich());
        spawn_named(&mut editor, "ada");
        let ada = tmux.pane("ada");
        for method in ["swarm/teammate/hide", "swarm/teammate/show"] {
            editor.request(method, json!({ "member": "ada" }));
            assert_eq!(tmux.pane("ada").process, ada.process, "{configuration}");
        }
        let stop = json!({ "member": "ada", "force": true });
        editor.request("swarm/teammate/stop", stop);
        editor.await_event("memberEnded");
        tmux.until(|panes| panes.len() == 1);
        editor.close();
    }
}

#[test]
fn a_user_who_keeps_no_unattached_session_keeps_the_teams_own() {
    let (_model, world) = obedient();
    let home = world.swarm_home().with_file_name("home");
    std::fs::write(home.join(".tmux.conf"), "set -g destroy-unattached on\nset -g exit-unattached on\n")
        .unwrap();
    let tmux = Tmux::own(&world, "workspace");
    let mut editor = world.editor(Caps::rich());
    spawn_named(&mut editor, "ada");
    assert_eq!(tmux.panes().len(), 1);
}

#[test]
fn a_pane_that_is_closed_by_hand_ends_its_teammate() {
    let (_model, world) = ada([reply([bash("sleep 4711")])]);
    let tmux = Tmux::own(&world, "workspace");
    let mut editor = world.editor(Caps::rich());
    spawn(&mut editor, "tmux");
    world.wait_for_process("sleep 4711");
    let pane = tmux.pane("ada");
    let closed = Instant::now();
    tmux.run(&["kill-pane", "-t", &pane.id]);
    let end = editor.await_event("memberEnded");
    assert_eq!(end["event"]["outcome"], "gone", "{end}");
    assert!(closed.elapsed() < Duration::from_secs(2), "{:?}", closed.elapsed());
    editor.await_gone("sleep 4711");
    editor.await_gone("swarm-ls teammate");
}

#[test]
fn a_process_that_dies_leaves_no_pane_also_where_the_user_keeps_those() {
    let (_model, mut world) = ada([reply([bash("sleep 4711")])]);
    let tmux = Tmux::around(&mut world, (200, 50), "set -g remain-on-exit on\n");
    let mut editor = world.editor(Caps::rich());
    spawn(&mut editor, "tmux");
    world.wait_for_process("sleep 4711");
    let killed = world.program("kill", &["-KILL", &tmux.pane("ada").process]).status().unwrap();
    assert!(killed.success());
    assert_eq!(editor.await_event("memberEnded")["event"]["outcome"], "gone");
    tmux.until(|panes| panes.len() == 1);
    editor.await_gone("sleep 4711");
}

#[test]
fn a_pane_in_which_something_else_runs_now_is_left_alone() {
    let (_model, mut world) = ada([reply([bash("sleep 4711")])]);
    let tmux = Tmux::around(&mut world, (200, 50), "");
    let mut editor = world.editor(Caps::rich());
    spawn(&mut editor, "tmux");
    world.wait_for_process("sleep 4711");
    let pane = tmux.pane("ada").id;
    tmux.respawn(&pane);
    assert_eq!(editor.await_event("memberEnded")["event"]["outcome"], "gone");
    editor.close();
    assert!(tmux.panes().iter().any(|left| left.id == pane), "{:#?}", tmux.panes());
    assert_eq!(tmux.run(&["display-message", "-p", "-t", &pane, "#{pane_dead}"]), "0");
}

#[test]
fn a_pane_is_taken_out_of_sight_and_brought_back_and_the_focus_stays() {
    let (_model, mut world) = obedient();
    let tmux = Tmux::around(&mut world, (200, 50), "");
    let mut editor = world.editor(Caps::rich());
    spawn_named(&mut editor, "ada");
    let (leader, ada) = (tmux.panes()[0].clone(), tmux.pane("ada"));
    for _ in 0..2 {
        // Twice is as once.
        editor.request("swarm/teammate/hide", json!({ "member": "ada" }));
    }
    let hidden = tmux.pane("ada");
    assert_eq!((hidden.window.as_str(), &hidden.process), ("ada", &ada.process));
    assert_eq!(tmux.panes()[0].width, 200, "the leader has all of its window again");
    for _ in 0..2 {
        editor.request("swarm/teammate/show", json!({ "member": "ada" }));
    }
    let shown = tmux.pane("ada");
    assert_eq!((&shown.window, &shown.process), (&leader.window, &ada.process));
    assert!(tmux.panes()[0].is_active);
    assert_eq!(
        tmux.run(&["display-message", "-p", "#{window_id}"]),
        tmux.run(&["display-message", "-p", "-t", &leader.id, "#{window_id}"])
    );
}

#[test]
fn a_server_that_is_killed_leaves_no_process_and_no_pane() {
    let (_model, mut world) = ada([reply([bash("sleep 4711")])]);
    let tmux = Tmux::around(&mut world, (200, 50), "set -g remain-on-exit on\n");
    let mut editor = editor_with(&world, &Caps::rich(), json!({ "leaderlessSeconds": 0 }));
    spawn(&mut editor, "tmux");
    world.wait_for_process("sleep 4711");
    editor.crash();
    tmux.until(|panes| panes.len() == 1);
    drop(tmux);
    world.none_left(Duration::from_secs(2));
}

#[test]
fn a_server_that_comes_after_one_that_was_killed_finds_it() {
    let (_model, world) = ada([done(), done().expect("Hello again.")]);
    let _tmux = Tmux::own(&world, "workspace");
    let mut first = world.editor(Caps::rich());
    spawn(&mut first, "tmux");
    ended(&mut first);
    first.crash();
    let mut editor = world.editor(Caps::rich());
    editor.request("swarm/prompt", json!({ "text": "Hello again.", "member": "ada" }));
    assert_eq!(ended(&mut editor), "completed");
    let mut processes = world.running("swarm-ls teammate");
    // That of tmux has its first pane's command in its own.
    processes.retain(|process| !process.contains("tmux -f"));
    assert_eq!(processes.len(), 1, "{processes:#?}");
}

#[test]
fn auto_takes_tmux_where_the_server_is_in_it_and_the_editor_opens_no_terminals() {
    let (_model, mut world) = obedient();
    let tmux = Tmux::around(&mut world, (200, 50), "");
    let params = |name: &str| json!({ "name": name, "prompt": "Go.", "backend": "auto" });
    let mut plain = world.editor(Caps::rich());
    assert_eq!(plain.request("swarm/teammate/spawn", params("ada"))["backend"], "tmux");
    plain.await_event_where("turnEnded", |event| of(event, "ada"));
    plain.close();
    let mut with_terminals = world.editor(Caps::with_terminals());
    assert_eq!(with_terminals.request("swarm/teammate/spawn", params("bob"))["backend"], "editor-terminal");
    with_terminals.await_event_where("turnEnded", |event| of(event, "bob"));
    with_terminals.close();
    // The pane that the server was started in is gone.
    tmux.open(&["new-window", "-d"]);
    tmux.run(&["kill-pane", "-t", "%0"]);
    let mut stale = world.editor(Caps::rich());
    assert_eq!(stale.request("swarm/teammate/spawn", params("cyd"))["backend"], "in-process");
    stale.await_event_where("turnEnded", |event| of(event, "cyd"));
}

#[test]
fn without_tmux_it_is_refused_with_what_to_install() {
    let (_model, mut world) = ada([]);
    world.env("PATH", "/nowhere");
    let mut editor = world.editor(Caps::rich());
    let params = json!({ "name": "ada", "prompt": "Go.", "backend": "tmux" });
    let error = editor.try_request("swarm/teammate/spawn", params).unwrap_err();
    assert!(error.message.contains("install it and put it on the PATH"), "{}", error.message);
    let members = editor.request("swarm/state", json!({}))["members"].take();
    assert!(!members.to_string().contains("ada@"), "{members}");
}

#[test]
fn what_is_typed_into_a_pane_is_the_users() {
    let (_model, world) = ada([done(), reply([say("Heard.")]).expect("Still there?")]);
    let tmux = Tmux::own(&world, "workspace");
    let mut editor = world.editor(Caps::rich());
    spawn(&mut editor, "tmux");
    ended(&mut editor);
    let pane = tmux.pane("ada").id;
    tmux.run(&["send-keys", "-t", &pane, "-l", "Still there?"]);
    tmux.run(&["send-keys", "-t", &pane, "Enter"]);
    assert_eq!(ended(&mut editor), "completed");
}
