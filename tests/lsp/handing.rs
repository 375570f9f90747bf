//! What a person hands over to the team from a document, in any editor.

use serde_json::Value;
use swarm_tests::Caps;
use swarm_tests::script::{Script, reply, say};

use crate::{actions, choose, of, played};

#[test]
fn a_comment_for_the_team_is_handed_to_the_leader_or_to_a_new_teammate() {
    let mark = concat!("TO", "DO(swarm)");
    let script = Script::new()
        .agent("team-lead", [reply([say("I see.")]).expect("Mend the greeting.")])
        .agent("helper", [reply([say("On it.")]).expect("greeting.rs, line 2.")]);
    let (_model, world) = played(script);
    let text = format!("fn main() {{\n    // {mark}: Mend the greeting.\n    greet();\n}}\n");
    world.write("greeting.rs", &text);
    let uri = world.uri("greeting.rs");
    let mut editor = world.editor(Caps::rich());
    editor.open(&uri, &text);
    assert!(actions(&mut editor, &uri, 2).is_empty());
    let offered = actions(&mut editor, &uri, 1);
    choose(&mut editor, &offered, "to the leader");
    editor.await_event("turnEnded");
    choose(&mut editor, &offered, "to a new teammate");
    let ended = |params: &Value| params["event"]["kind"] == "turnEnded" && of(&params["event"], "helper");
    let ended = editor.await_notification("swarm/event", ended);
    assert_eq!(ended["event"]["reason"], "completed", "{ended}");
}
