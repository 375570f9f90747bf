use serde_json::json;

use super::*;
use crate::build::{call, reply, say, status};

#[test]
fn json_and_builders_make_the_same_script() {
    let json = json!({
        "agents": {
            "team-lead": [
                {"expect": "Go", "reply": [
                    {"say": "I look."},
                    {"call": {"tool": "Read", "input": {"path": "a"}}},
                ]},
                {"status": {"code": 529, "retryAfter": 0.5}, "times": 2},
                {"reply": [{"say": "x"}], "ending": {"cutAfterBytes": 7}},
            ],
        },
        "variables": {"workspace": "/w"},
        "whenDone": "fail",
    });
    let built = Script::new()
        .agent(
            "team-lead",
            [
                reply([say("I look."), call("Read", json!({"path": "a"}))]).expect("Go"),
                status(529).retry_after(0.5).times(2),
                reply([say("x")]).cut_after_bytes(7),
            ],
        )
        .variable("workspace", "/w")
        .when_done(WhenDone::Fail);
    assert_eq!(Script::from_json(&json.to_string()).unwrap(), built);
    assert_eq!(Script::from_json(&serde_json::to_string(&built).unwrap()).unwrap(), built);
}

#[test]
fn a_slip_in_a_script_is_told() {
    let cases = [
        (json!({"agents": {"a": [{"replies": []}]}}), "replies"),
        (json!({"agents": {"a": [{}]}}), "step 1 of a: it has none"),
        (json!({"agents": {"a": [{"reply": [{"say": "x"}], "status": {"code": 500}}]}}), "more than one"),
        (json!({"agents": {"a": [{"reply": [{"say": "x"}], "chunkBytes": 0}]}}), "chunkBytes"),
        (json!({"agents": {"a": [{"reply": [{"shout": "x"}]}]}}), "shout"),
        (json!({"agnets": {}}), "agnets"),
    ];
    for (script, expected) in cases {
        let error = Script::from_json(&script.to_string()).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}
