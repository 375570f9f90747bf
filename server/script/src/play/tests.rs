use serde_json::json;

use super::*;
use crate::build::{call, reply, say};
use crate::prompt::Prompt;

fn asked(last_input: &str) -> Asked {
    Asked {
        system: String::new(),
        last_input: last_input.into(),
        model: "m".into(),
        stream: true,
        wants_more: true,
        prompt: Prompt { tools: String::new(), system: String::new(), messages: Vec::new() },
    }
}

fn said(step: Result<Step, NoStep>) -> String {
    match step.unwrap().reply.first() {
        Some(ReplyPart::Say(text)) => text.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_agent_is_known_by_the_marker() {
    let player = Player::new(Script::new());
    let cases = [
        ("You are Ada. Your agent id is ada@demo. Be kind.", "ada@demo"),
        ("Your agent id is v1.2-x@my.team.", "v1.2-x@my.team"),
        ("Your agent id is ada@demo", "ada@demo"),
        ("Your agent id is ", ""),
        ("Nobody.", ""),
    ];
    for (system, agent) in cases {
        assert_eq!(player.agent_of(system), agent, "{system}");
    }
}

#[test]
fn the_first_key_that_fits_is_played() {
    let script = Script::new()
        .agent("ada@one", [reply([say("exact")])])
        .agent("ada", [reply([say("name")])])
        .agent("*", [reply([say("any")])]);
    let player = Player::new(script);
    assert_eq!(said(player.next("ada@one", &asked(""))), "exact");
    assert_eq!(said(player.next("ada@two", &asked(""))), "name");
    assert_eq!(said(player.next("bob@one", &asked(""))), "any");
    assert_eq!(said(player.next("ada@one", &asked(""))), "Done.");
}

#[test]
fn steps_repeat_as_often_as_told_and_then_end() {
    let script =
        Script::new().agent("ada", [reply([say("a")]).times(2), reply([say("b")])]).when_done(WhenDone::Fail);
    let player = Player::new(script);
    let texts: Vec<_> = (0..3).map(|_| said(player.next("ada", &asked("")))).collect();
    assert_eq!(texts, ["a", "a", "b"]);
    assert!(matches!(player.next("ada", &asked("")), Err(NoStep::UsedUp(_))));
}

#[test]
fn a_step_waits_for_what_it_expects() {
    let script =
        Script::new().agent("ada", [reply([say("a")]).expect("${dir}/x").expect("y")]).variable("dir", "/w");
    let player = Player::new(script);
    assert!(matches!(player.next("ada", &asked("/w/x")), Err(NoStep::Unexpected(_))));
    assert_eq!(said(player.next("ada", &asked("y of /w/x"))), "a");
}

#[test]
fn known_variables_are_filled_in_and_others_stay() {
    let input = json!({"path": "${dir}/a", "deep": ["${dir}"], "cmd": "echo ${HOME} ${dir} ${", "n": 1});
    let script = Script::new().agent("ada", [reply([call("Bash", input)])]).variable("dir", "/w${dir}");
    let step = Player::new(script).next("ada", &asked("")).unwrap();
    let expected =
        json!({"path": "/w${dir}/a", "deep": ["/w${dir}"], "cmd": "echo ${HOME} /w${dir} ${", "n": 1});
    assert_eq!(step.reply, [call("Bash", expected)]);
}
