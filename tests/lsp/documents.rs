//! Document sync at the edges of size and number.

use serde_json::json;
use swarm_tests::Caps;

use crate::world;

#[test]
fn a_document_of_ten_megabytes_opens_and_changes() {
    let world = world();
    let mut editor = world.editor(Caps::plain());
    let uri = world.uri("large.txt");
    let text = "0123456789abcde\n".repeat(10 << 16);
    editor.open(&uri, &text);
    let at = json!({ "line": 600_000, "character": 3 });
    editor.change_with(&uri, 2, json!([{ "range": { "start": at, "end": at }, "text": "é" }]));
    editor.change(&uri, 3, "small");
    editor.sync();
}

#[test]
fn every_offered_encoding_is_taken() {
    for (offered, taken) in [
        (vec!["utf-8", "utf-16", "utf-32"], "utf-8"),
        (vec!["utf-32", "utf-8", "utf-16"], "utf-32"),
        (vec!["utf-16"], "utf-16"),
    ] {
        let mut editor = world().unshaken();
        let result = editor.initialize(&Caps::plain().encodings(&offered), None);
        assert_eq!(result["capabilities"]["positionEncoding"], taken);
    }
}
