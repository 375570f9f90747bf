//! What a turn changed can be taken back: untracked files too, and nothing of the user's git is touched.

use std::process::Command;

use serde_json::{Value, json};
use swarm_tests::script::{Script, call, reply, say};
use swarm_tests::{Caps, Editor, FakeModel, World};

use crate::{asked, played, prompt};

fn git(world: &World, arguments: &[&str]) -> String {
    let run = Command::new("git")
        .args(["-c", "user.name=ada", "-c", "user.email=ada@localhost", "-c", "core.excludesFile="])
        .args(arguments)
        .current_dir(world.path(""))
        .output()
        .unwrap();
    assert!(run.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&run.stderr));
    String::from_utf8(run.stdout).unwrap()
}

fn refused(editor: &mut Editor, method: &str, params: Value) -> String {
    editor.try_request(method, params).unwrap_err().message
}

fn restore(editor: &mut Editor, id: &Value) -> Value {
    editor.request("swarm/checkpoint/restore", json!({ "id": id }))
}

fn checkpoints(editor: &mut Editor) -> Vec<Value> {
    let listed = editor.request("swarm/checkpoint/list", json!({}));
    listed["checkpoints"].as_array().unwrap().clone()
}

/// Prompts, allows the one call that removes files, and waits for the turn's end.
fn work(editor: &mut Editor) {
    prompt(editor, "Work.");
    let id = asked(editor)["id"].clone();
    editor.request("swarm/permission/resolve", json!({ "ids": [id], "decision": "allow" }));
    completed(editor);
}

fn completed(editor: &mut Editor) {
    let ended = editor.await_event("turnEnded");
    assert_eq!(ended["event"]["reason"], "completed", "{ended}");
}

fn rich(world: &World) -> Editor {
    let mut editor = world.editor(Caps::rich());
    editor
        .notify("workspace/didChangeConfiguration", json!({ "settings": { "swarm": { "trust": "full" } } }));
    editor
}

const WORK: &str = "echo new > made/new.txt; echo x >> tracked.txt; rm -f untracked.txt gone.txt; echo y > ignored.txt; \
                    ln -s tracked.txt link; chmod +x run.sh";

fn world(script: Script) -> (FakeModel, World) {
    let (model, world) = played(script);
    for (path, text) in [
        ("tracked.txt", "tracked\n"),
        ("gone.txt", "gone\n"),
        ("run.sh", "#!/bin/sh\n"),
        (".gitignore", "ignored.txt\n"),
        ("staged.txt", "staged\n"),
    ] {
        world.write(path, text);
    }
    git(&world, &["init", "-q"]);
    git(&world, &["add", "tracked.txt", "gone.txt", "run.sh", ".gitignore"]);
    git(&world, &["commit", "-q", "-m", "begin"]);
    git(&world, &["add", "staged.txt"]);
    world.write("untracked.txt", "mine\n");
    world.write("ignored.txt", "mine\n");
    std::fs::create_dir(world.path("made")).unwrap();
    (model, world)
}

#[test]
fn a_turn_is_undone_and_the_undoing_too_while_the_users_git_stays_as_it_is() {
    let script = Script::new().agent(
        "team-lead",
        [
            reply([call("Bash", json!({ "command": WORK }))]),
            reply([say("Done.")]),
            reply([call("Bash", json!({ "command": "cat tracked.txt" }))]),
            reply([say("It is there.")]),
        ],
    );
    let (_model, world) = world(script);
    let users = |world: &World| {
        (
            git(world, &["status", "--porcelain", "--untracked-files=no"]),
            git(world, &["for-each-ref", "refs/heads", "refs/tags", "refs/stash"]),
            git(world, &["diff", "--cached", "--name-only"]),
        )
    };
    let before = users(&world);
    let mut editor = rich(&world);
    work(&mut editor);
    prompt(&mut editor, "Look.");
    completed(&mut editor);
    // A turn that changes nothing has none.
    let kept = checkpoints(&mut editor);
    assert_eq!(kept.len(), 1, "{kept:?}");
    assert!(kept[0]["summary"].as_str().unwrap().starts_with("Run `echo new"), "{kept:?}");
    assert!(kept[0]["member"].as_str().unwrap().starts_with("team-lead@"), "{kept:?}");

    let restored = restore(&mut editor, &kept[0]["id"]);
    assert_eq!(restored["files"].as_array().unwrap().len(), 6, "{restored}");
    for (path, text) in [
        ("tracked.txt", Some("tracked\n")),
        ("untracked.txt", Some("mine\n")),
        ("gone.txt", Some("gone\n")),
        // What git ignores is not kept, so it is not touched either.
        ("ignored.txt", Some("y\n")),
        ("made/new.txt", None),
        ("link", None),
    ] {
        assert_eq!(std::fs::read_to_string(world.path(path)).ok().as_deref(), text, "{path}");
    }
    assert_eq!(users(&world), before);
    assert_eq!(git(&world, &["ls-files", "--stage", "run.sh"]).split(' ').next(), Some("100644"));

    restore(&mut editor, &restored["undo"]["id"]);
    assert_eq!(std::fs::read_to_string(world.path("made/new.txt")).unwrap(), "new\n");
    assert_eq!(std::fs::read_link(world.path("link")).unwrap().to_str(), Some("tracked.txt"));
    assert!(!world.path("untracked.txt").exists());
    let mode = std::os::unix::fs::PermissionsExt::mode(
        &std::fs::metadata(world.path("run.sh")).unwrap().permissions(),
    );
    assert_ne!(mode & 0o111, 0);
    editor.await_event("checkpointRestored");
}

#[test]
fn a_restore_waits_for_no_one_and_loses_no_text_that_only_the_editor_has() {
    let script = Script::new().agent(
        "team-lead",
        [
            reply([call("Bash", json!({ "command": WORK }))]),
            reply([say("Done.")]),
            reply([call("Bash", json!({ "command": "sleep 60" }))]),
            reply([say("Late.")]),
        ],
    );
    let (_model, world) = world(script);
    let mut editor = rich(&world);
    work(&mut editor);
    let id = checkpoints(&mut editor)[0]["id"].clone();
    let unknown = refused(&mut editor, "swarm/checkpoint/restore", json!({ "id": "turn-1" }));
    assert!(unknown.contains("swarm/checkpoint/list"), "{unknown}");

    let uri = world.uri("tracked.txt");
    editor.open(&uri, "text only the editor has\n");
    let told = refused(&mut editor, "swarm/checkpoint/restore", json!({ "id": id }));
    assert!(told.contains("not saved in"), "{told}");
    assert!(world.path("made/new.txt").exists());
    editor.notify("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));

    prompt(&mut editor, "Wait.");
    editor.await_notification("swarm/event", |params| {
        params["event"]["description"].as_str().is_some_and(|what| what.contains("sleep"))
    });
    let busy = refused(&mut editor, "swarm/checkpoint/restore", json!({ "id": id }));
    assert!(busy.contains("team-lead at work"), "{busy}");
    editor.request("swarm/interrupt", json!({}));
    editor.await_event("turnEnded");
    restore(&mut editor, &id);
    assert!(!world.path("made/new.txt").exists());
}

#[test]
fn where_there_is_no_repository_work_goes_on_without_checkpoints() {
    let script = Script::new()
        .agent("team-lead", [reply([call("Bash", json!({ "command": "touch a" }))]), reply([say("Done.")])]);
    let (_model, world) = played(script);
    let mut editor = rich(&world);
    prompt(&mut editor, "Work.");
    completed(&mut editor);
    let told = refused(&mut editor, "swarm/checkpoint/list", json!({}));
    assert!(told.contains("in no git repository"), "{told}");
}

#[test]
fn a_workspace_that_is_a_part_of_a_repository_is_given_back_and_nothing_around_it() {
    let script = Script::new().agent(
        "team-lead",
        [
            reply([call("Bash", json!({ "command": "echo x >> in.txt; touch new.txt" }))]),
            reply([say("Done.")]),
        ],
    );
    let (_model, world) = played(script);
    git(&world, &["init", "-q", ".."]);
    world.write("in.txt", "in\n");
    world.write("../out.txt", "out\n");
    git(&world, &["add", "in.txt", "../out.txt"]);
    let mut editor = rich(&world);
    prompt(&mut editor, "Work.");
    completed(&mut editor);
    world.write("../out.txt", "changed since\n");
    let id = checkpoints(&mut editor)[0]["id"].clone();
    let restored = restore(&mut editor, &id);
    assert_eq!(restored["files"].as_array().unwrap().len(), 2, "{restored}");
    assert_eq!(world.read("in.txt"), "in\n");
    assert!(!world.path("new.txt").exists());
    assert_eq!(world.read("../out.txt"), "changed since\n");
}
