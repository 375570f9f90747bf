//! Which model a member asks, as a user sets it.

use serde_json::{Value, json};
use swarm_tests::Caps;
use swarm_tests::script::{Script, reply, say};

use crate::{played, prompt};

#[test]
fn the_user_chooses_a_members_model_and_it_outlives_the_editor() {
    let script = Script::new().agent("team-lead", [reply([say("Ok.")]).times(9)]);
    let (model, world) = played(script);
    let mut editor = world.editor(Caps::rich());
    prompt(&mut editor, "Go.");
    editor.await_event("turnEnded");
    let error = editor.try_request("swarm/member/configure", json!({ "effort": "huge" })).unwrap_err();
    assert_eq!((error.code, error.data["which"].as_str()), (-32602, Some("effort")), "{error:?}");
    let chosen =
        editor.request("swarm/member/configure", json!({ "model": "claude-opus-4-8", "effort": "max" }));
    assert_eq!((chosen["model"].as_str(), chosen["effort"].as_str()), (Some("claude-opus-4-8"), Some("max")));
    prompt(&mut editor, "Go on.");
    editor.await_event("turnEnded");
    editor.close();

    let mut editor = world.editor(Caps::rich());
    prompt(&mut editor, "And again.");
    editor.await_event("turnEnded");
    let asked: Vec<Value> = model.wait_for(3).iter().map(|request| request.body["model"].clone()).collect();
    assert_eq!(asked[1..], [json!("claude-opus-4-8"), json!("claude-opus-4-8")]);
    let lead = editor.request("swarm/state", json!({}))["members"][0].take();
    assert_eq!(lead["effort"], "max");
}
