//! The requests of ours: what they answer, and how they refuse.

use serde_json::json;
use swarm_tests::{Caps, World};

use crate::world;

#[test]
fn the_handshake_names_the_protocol() {
    let world = world();
    let mut editor = world.unshaken();
    let result = editor.initialize(&Caps::plain(), Some(world.workspace()));
    assert_eq!(result["capabilities"]["experimental"]["swarm"]["version"], "1");
    assert_eq!(result["capabilities"]["textDocumentSync"]["change"], 2);
    assert_eq!(result["capabilities"]["positionEncoding"], "utf-16");
    assert_eq!(result["serverInfo"]["name"], "swarm-ls");
}

#[test]
fn wrong_params_name_the_field() {
    let mut editor = world().editor(Caps::plain());
    for (method, params, field) in [
        ("swarm/prompt", json!({}), "text"),
        ("swarm/prompt", json!({ "text": 5 }), "text"),
        ("swarm/prompt", json!({ "text": " " }), "text"),
        ("swarm/prompt", json!({ "text": "x", "attachments": [{ "uri": 1 }] }), "attachments[0].uri"),
        (
            "swarm/prompt",
            json!({ "text": "x", "attachments": [{ "uri": "file:///no/such" }] }),
            "attachments[0].uri",
        ),
        ("swarm/message", json!({ "to": "ada" }), "text"),
        ("swarm/transcript", json!({ "after": "x" }), "after"),
        ("swarm/permission/resolve", json!({ "ids": ["a"], "decision": "perhaps" }), "decision"),
    ] {
        let error = editor.try_request(method, params.clone()).unwrap_err();
        assert_eq!(error.code, -32602, "{method} {params}: {error:?}");
        assert!(error.message.contains(field), "{method} {params}: {error:?}");
    }
}

#[test]
fn initialization_options_that_cannot_be_are_named_and_the_server_lives_on() {
    let world = world();
    let mut editor = world.unshaken();
    editor.initialize_with(json!({
        "processId": null,
        "capabilities": {},
        "initializationOptions": { "trust": "blindly" },
    }));
    let shown = editor.await_notification("window/showMessage", |_| true);
    assert!(shown["message"].as_str().unwrap().contains("trust"), "{shown}");
    editor.sync();
}

#[test]
fn a_state_directory_that_cannot_be_used_is_reported_and_the_server_lives_on() {
    let mut world = world();
    let blocked = world.write("a-file", "");
    world.env("SWARM_HOME", blocked.join("beneath").to_str().unwrap());
    let mut editor = world.editor(Caps::plain());
    let shown = editor.await_notification("window/showMessage", |_| true);
    assert!(shown["message"].as_str().unwrap().contains("a-file"), "{shown}");
    editor.sync();
}

#[test]
fn a_workspace_with_spaces_and_cjk_is_a_workspace() {
    let world = World::with_workspace(env!("CARGO_BIN_EXE_swarm-ls"), "my 工作 space");
    let mut editor = world.editor(Caps::plain());
    editor.sync();
}

#[test]
fn the_permission_list_of_an_unknown_team_says_which_teams_exist() {
    let mut editor = world().editor(Caps::plain());
    assert_eq!(editor.request("swarm/permission/list", json!({})), json!({ "requests": [] }));
    let error = editor.try_request("swarm/permission/list", json!({ "team": "nobody" })).unwrap_err();
    assert_eq!(error.code, -32803);
    assert!(error.message.contains("nobody"), "{error:?}");
}

#[test]
fn the_log_is_the_owners_and_holds_no_key() {
    let key = "sk-very-secret-key";
    let mut world = world();
    world.env("ANTHROPIC_API_KEY", key).env("SWARM_LOG", "trace");
    let mut editor = world.unshaken();
    let options = json!({ "apiKey": "sk-another-secret", "trust": 5 });
    editor.initialize_with(json!({ "capabilities": {}, "initializationOptions": options }));
    editor.notify("textDocument/didOpen", json!({ "textDocument": "wrong" }));
    let line = editor.await_notification("window/logMessage", |params| params["type"] == 2);
    assert!(line["message"].as_str().unwrap().contains("didOpen"), "{line}");
    editor.close();
    let path = world.swarm_home().join("log/swarm-ls.log");
    let log = std::fs::read_to_string(&path).unwrap();
    assert!(log.contains("didOpen") && !log.contains("secret"), "{log}");
    let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&path).unwrap().permissions());
    assert_eq!(mode & 0o777, 0o600);
}
