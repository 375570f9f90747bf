//! What holds keys and tokens is read with a person's word only, whichever way a command goes to it.

use std::process::Command;

use serde_json::json;
use swarm_tests::Caps;
use swarm_tests::script::{Script, call, reply, say};

use crate::{asked, played, prompt};

#[test]
fn a_command_that_reads_unasked_finds_the_secrets_of_the_workspace_empty() {
    let run = |command: &str| reply([call("Bash", json!({ "command": command }))]);
    let script = Script::new().agent(
        "team-lead",
        [
            run("grep -r heron . | sort"),
            run("cat link deep/link").expect("./notes.txt:a heron\n[exit code 0]"),
            run("cat .env").expect("[exit code 0]"),
            reply([say("Done.")]).expect("KEY=heron"),
        ],
    );
    let (model, world) = played(script);
    world.write("notes.txt", "a heron\n");
    world.write(".env", "KEY=heron\n");
    world.write("deep/server.pem", "heron\n");
    std::os::unix::fs::symlink(".env", world.path("link")).unwrap();
    std::os::unix::fs::symlink("server.pem", world.path("deep/link")).unwrap();
    let mut editor = world.editor(Caps::rich());
    prompt(&mut editor, "Look.");
    let request = asked(&mut editor);
    assert_eq!(request["input"]["command"], "cat .env");
    assert!(request["why"].as_str().unwrap().contains("may hold secrets"), "{request}");
    let told = model.last_message();
    assert!(!told.contains("heron"), "{told}");
    editor.request("swarm/permission/resolve", json!({ "ids": [request["id"]], "decision": "allow" }));
    let ended = editor.await_event("turnEnded");
    assert_eq!(ended["event"]["reason"], "completed", "{ended}");
}

#[test]
fn the_setting_secrets_names_more_of_them() {
    let read = |path: &str| reply([call("Read", json!({ "path": path }))]);
    let script = Script::new().agent("team-lead", [read("a.vault"), reply([say("Done.")])]);
    let (_model, world) = played(script);
    world.write("a.vault", "heron\n");
    let mut editor = world.editor(Caps::rich());
    editor.notify(
        "workspace/didChangeConfiguration",
        json!({ "settings": { "swarm": { "secrets": ["*.vault"] } } }),
    );
    prompt(&mut editor, "Look.");
    assert_eq!(asked(&mut editor)["toolName"], "Read");
}

#[test]
fn what_a_rule_forbids_to_read_is_found_by_no_command_and_no_search() {
    let run = |command: &str| reply([call("Bash", json!({ "command": command }))]);
    let script = Script::new().agent(
        "team-lead",
        [
            run("grep -r heron . | sort"),
            reply([call("Grep", json!({ "pattern": "heron" }))]).expect("./notes.txt:a heron\n[exit code 0]"),
            run("ls private").expect("1 files that may hold secrets, or that a rule keeps from you"),
            // Code that runs is held like any other.
            run("python3 -c 'print(open(\"private/a\").read())'").expect("denies it"),
            reply([say("Done.")]),
        ],
    );
    let (model, world) = played(script);
    world.write(
        ".swarm/settings.json",
        &json!({ "permissions": { "deny": ["Read(private/**)"] } }).to_string(),
    );
    world.write("notes.txt", "a heron\n");
    world.write("private/a", "heron\n");
    let mut editor = world.editor(Caps::rich());
    prompt(&mut editor, "Look.");
    let request = asked(&mut editor);
    assert!(request["input"]["command"].as_str().unwrap().starts_with("python3"), "{request}");
    editor.request("swarm/permission/resolve", json!({ "ids": [request["id"]], "decision": "allow" }));
    editor.await_event("turnEnded");
    let told = model.last_message();
    assert!(!told.contains("heron") && told.contains("[exit code 1]"), "{told}");
}

#[test]
fn a_password_in_a_remotes_address_is_not_shown_to_the_model() {
    let script = Script::new().agent(
        "team-lead",
        [
            reply([call("Bash", json!({ "command": "git remote -v" }))]),
            reply([say("Done.")]).expect("origin\thttps://***@example.com/x.git (fetch)"),
        ],
    );
    let (_model, world) = played(script);
    let git = |arguments: &[&str]| {
        let run = Command::new("git").args(arguments).current_dir(world.path("")).status().unwrap();
        assert!(run.success());
    };
    git(&["init", "-q"]);
    git(&["remote", "add", "origin", "https://ada:hunter2@example.com/x.git"]);
    let mut editor = world.editor(Caps::rich());
    prompt(&mut editor, "Look.");
    let ended = editor.await_event("turnEnded");
    assert_eq!(ended["event"]["reason"], "completed", "{ended}");
}

#[test]
fn settings_that_cannot_be_read_forbid_nothing_silently() {
    let script = Script::new()
        .agent("team-lead", [reply([call("Bash", json!({ "command": "ls" }))]), reply([say("Done.")])]);
    let (_model, world) = played(script);
    world.write(".swarm/settings.json", r#"{ "permissions": { "deny": ["Bash(ls)",] } }"#);
    let mut editor = world.editor(Caps::rich());
    prompt(&mut editor, "Look.");
    let request = asked(&mut editor);
    assert_eq!(request["toolName"], "Bash");
    assert!(request["why"].as_str().unwrap().contains("cannot be read, and may forbid it"), "{request}");
}
