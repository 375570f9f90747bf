//! `window/showMessageRequest` for an editor that draws no questions itself.

use serde_json::{Value, json};
use swarm_tests::script::{Script, call, reply, say};
use swarm_tests::{Caps, Editor, Question};

use crate::{actions, choose, played, prompt};

fn runs(command: &str) -> Script {
    let run = call("Bash", json!({ "command": command }));
    Script::new().agent("team-lead", [reply([run]), reply([say("Done.")])])
}

fn question(editor: &mut Editor) -> Question {
    editor.await_request("window/showMessageRequest")
}

fn titles(question: &Question) -> Vec<String> {
    let actions = question.params["actions"].as_array().unwrap();
    actions.iter().map(|action| action["title"].as_str().unwrap().to_owned()).collect()
}

fn answer(editor: &mut Editor, question: &Question, words: &str) {
    let titles = titles(question);
    let title = titles.iter().find(|title| title.ends_with(words)).unwrap_or_else(|| panic!("{titles:?}"));
    editor.reply(question, json!({ "title": title }));
}

#[test]
fn a_question_says_who_and_the_whole_command_and_its_answer_decides() {
    let command = format!("printf '%s' one > out.txt\n# {}\ntrue", "long ".repeat(100));
    let (_model, world) = played(runs(&command));
    let mut editor = world.editor(Caps::listening());
    prompt(&mut editor, "Run it.");
    let question = question(&mut editor);
    let message = question.params["message"].as_str().unwrap();
    assert!(message.contains("team-lead") && message.contains(&command), "{message}");
    let titles = titles(&question);
    assert!(titles.len() <= 4 && titles.iter().all(|title| title.starts_with("team-lead: ")), "{titles:?}");
    answer(&mut editor, &question, "allow");
    editor.await_event("turnEnded");
    assert_eq!(world.read("out.txt"), "one");
}

#[test]
fn no_answer_is_no_decision() {
    for broken in [Ok(Value::Null), Ok(json!({ "title": "something else" })), Err(-32603), Err(-32601)] {
        let (model, world) = played(runs("touch made"));
        let mut editor = world.editor(Caps::listening());
        prompt(&mut editor, "Run it.");
        let question = question(&mut editor);
        match broken {
            Ok(answer) => editor.reply(&question, answer),
            Err(code) => editor.fail(&question, code, "cannot"),
        }
        let listed = editor.request("swarm/permission/list", json!({}));
        assert_eq!(listed["requests"].as_array().unwrap().len(), 1, "it stays open");
        let found = actions(&mut editor, &world.uri("any.txt"), 0);
        choose(&mut editor, &found, ": reject: ");
        editor.await_event("turnEnded");
        assert!(!world.path("made").exists());
        assert!(model.last_message().contains("tool_result"));
    }
}

#[test]
fn answers_that_come_late_and_twice_change_nothing() {
    let (_model, world) = played(runs("touch made"));
    let mut editor = world.editor(Caps::listening());
    prompt(&mut editor, "Run it.");
    let question = question(&mut editor);
    let listed = editor.request("swarm/permission/list", json!({}));
    let params = json!({ "ids": [listed["requests"][0]["id"]], "decision": "reject" });
    editor.request("swarm/permission/resolve", params);
    editor.await_event("turnEnded");
    for _ in 0..3 {
        answer(&mut editor, &question, "allow");
    }
    editor.sync();
    assert!(!world.path("made").exists());
}

#[test]
fn questions_are_shown_one_at_a_time_and_the_next_when_one_is_decided() {
    let spawn = |name: &str| call("SpawnTeammate", json!({ "name": name, "prompt": "Make a file." }));
    let make = |name: &str| {
        [reply([call("Bash", json!({ "command": format!("touch {name}") }))]), reply([say("Made.")])]
    };
    let script = Script::new()
        .agent("team-lead", [reply([spawn("ada"), spawn("ben")]), reply([say("Started.")])])
        .agent("ada", make("ada"))
        .agent("ben", make("ben"));
    let (_model, world) = played(script);
    let mut editor = world.editor(Caps::listening());
    prompt(&mut editor, "Start two.");
    let open = |state: &Value| state["permissions"].as_array().unwrap().len();
    let state = editor.until_state(|state| open(state) == 2);
    let first = question(&mut editor);
    assert!(editor.unclaimed().is_empty(), "one at a time");
    // Decided elsewhere while the editor still shows it: the next one comes all the same.
    let oldest = json!({ "ids": [state["permissions"][0]["id"]], "decision": "allow" });
    editor.request("swarm/permission/resolve", oldest);
    let second = question(&mut editor);
    assert_ne!(first.params["message"], second.params["message"]);
    answer(&mut editor, &second, "allow");
    editor.reply(&first, Value::Null);
    editor.until_state(|state| {
        let members = state["members"].as_array().unwrap();
        open(state) == 0 && members.iter().all(|member| member["state"] == "idle")
    });
    assert!(world.path("ada").exists() && world.path("ben").exists());
}
