//! Teammates in panes of iTerm2, with a stand-in for its command `it2`, whose panes are tmux's with a shell in each.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use serde_json::json;
use swarm_tests::script::{Script, WhenDone};
use swarm_tests::{Caps, FakeModel, Tmux, World};

use crate::backends::ended;

/// Answers as `it2` does, and keeps what it was told.
const STAND_IN: &str = r#"#!/bin/sh
printf '%s\n' "$*" >> "$HOME/told"
[ "$1" = session ] || exit 4
shift
while [ $# -gt 0 ]; do
  case "$1" in
    --session) session="$2"; shift ;;
    --json | --vertical | --force) ;;
    split | close | list | run | set-name) what="$1" ;;
    *) text="$1" ;;
  esac
  shift
done
pane() { tmux -L swarm-iterm -f /dev/null "$@"; }
case "$what" in
  list) echo '[]' ;;
  split)
    made=$(pane new-window -d -P -F '#{pane_id}' -- sh -i 2> /dev/null ||
      pane new-session -d -P -F '#{pane_id}' -x 120 -y 40 -- sh -i) || exit 1
    echo "Created new pane: $made" ;;
  run) pane send-keys -t "$session" -l "$text" && pane send-keys -t "$session" Enter ;;
  set-name) pane select-pane -t "$session" -T "$text" ;;
  close) pane kill-pane -t "$session" ;;
esac
"#;

/// A world with the stand-in, in a folder whose name means something to a shell.
fn with_it2() -> (FakeModel, World) {
    let model = FakeModel::start(Script::new().when_done(WhenDone::Say("Done.".into())));
    let mut world = World::with_workspace(env!("CARGO_BIN_EXE_swarm-ls"), "it's; $(touch never)");
    let bin = world.swarm_home().with_file_name("bin");
    fs::create_dir(&bin).unwrap();
    fs::write(bin.join("it2"), STAND_IN).unwrap();
    fs::set_permissions(bin.join("it2"), fs::Permissions::from_mode(0o700)).unwrap();
    world.model(&model);
    world.env("PATH", format!("{}:/usr/local/bin:/usr/bin:/bin", bin.display()));
    world.env("ITERM_SESSION_ID", "w0t0p0:leader");
    (model, world)
}

#[test]
fn a_teammate_runs_in_a_pane_beside_the_leaders_and_its_pane_is_closed_with_it() {
    let (_model, world) = with_it2();
    let panes = Tmux::own(&world, "iterm");
    let mut editor = world.editor(Caps::rich());
    let prompt = "it's \"quoted\"; $(touch never)\n";
    let params = json!({ "name": "ada", "prompt": prompt, "backend": "iterm2" });
    assert_eq!(editor.request("swarm/teammate/spawn", params)["backend"], "iterm2");
    assert_eq!(ended(&mut editor), "completed");
    let told = fs::read_to_string(world.swarm_home().with_file_name("home").join("told")).unwrap();
    assert!(told.contains("session split --vertical --session w0t0p0:leader\n"), "{told}");
    assert!(!told.contains("test-key") && !told.contains("quoted"), "ids and paths alone are typed: {told}");
    let pane = panes.pane("ada");
    let environ = fs::read(format!("/proc/{}/environ", pane.process)).unwrap();
    assert!(!String::from_utf8_lossy(&environ).contains("test-key"));
    assert_eq!(world.running("swarm-ls teammate").len(), 1, "in place of the shell");
    assert!(!world.path("never").exists());
    editor.request("swarm/teammate/stop", json!({ "member": "ada", "force": true }));
    editor.await_event("memberEnded");
    editor.close();
    world.none_left(Duration::from_secs(2));
}

#[test]
fn a_pane_that_is_closed_by_hand_ends_its_teammate() {
    let (_model, world) = with_it2();
    let panes = Tmux::own(&world, "iterm");
    let mut editor = world.editor(Caps::rich());
    let params = json!({ "name": "ada", "prompt": "Go.", "backend": "iterm2" });
    editor.request("swarm/teammate/spawn", params);
    assert_eq!(ended(&mut editor), "completed");
    panes.run(&["kill-pane", "-t", &panes.pane("ada").id]);
    assert_eq!(editor.await_event("memberEnded")["event"]["outcome"], "gone");
    editor.await_gone("swarm-ls teammate");
}
