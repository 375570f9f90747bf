//! `swarm-ls run`: what it prints, how it ends, and that nobody is waited for.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};
use swarm_script::{Script, call, reply, say, wait};
use swarm_tests::{FakeModel, World};

fn world(model: &FakeModel) -> World {
    let mut world = World::new(env!("CARGO_BIN_EXE_swarm-ls"));
    world.model(model);
    world
}

fn run(world: &World, arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = world.command(&["run"]);
    let Output { status, stdout, stderr } = command.args(arguments).stdin(Stdio::null()).output().unwrap();
    (status.code(), String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap())
}

#[test]
fn it_prints_the_leaders_words_and_nothing_else() {
    let model = FakeModel::start(Script::new().agent("team-lead", [reply([say("Done as asked.")])]));
    let (code, out, err) = run(&world(&model), &["Do it."]);
    assert_eq!((code, out.as_str(), err.as_str()), (Some(0), "Done as asked.\n", ""));
}

#[test]
fn a_question_is_refused_at_once_and_the_exit_code_says_so() {
    let write = call("Write", json!({"path": "new.txt", "content": "x"}));
    let lead = [reply([write]), reply([say("I may not.")]).expect("nobody is here to answer")];
    let model = FakeModel::start(Script::new().agent("team-lead", lead));
    let world = world(&model);
    let (code, out, err) = run(&world, &["Write it."]);
    assert_eq!((code, out.as_str()), (Some(2), "I may not.\n"), "{err}");
    assert!(err.contains("refused, since nobody can answer: team-lead"), "{err}");
    assert!(!world.path("new.txt").exists());
}

#[test]
fn it_ends_once_the_teammate_and_the_leaders_answer_to_it_are_done() {
    let spawn = call("SpawnTeammate", json!({"name": "ada", "prompt": "Look around."}));
    let lead = [
        reply([spawn]),
        reply([say("Ada is on it.")]),
        reply([say("Ada is done.")]).expect("The teammate ada has ended its turn"),
    ];
    let model =
        FakeModel::start(Script::new().agent("team-lead", lead).agent("ada", [reply([say("I looked.")])]));
    let (code, out, err) = run(&world(&model), &["--json", "Have ada look."]);
    assert_eq!(code, Some(0), "{err}");
    let events: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let seqs = events.iter().map(|event| event["seq"].as_u64().unwrap());
    assert!(seqs.eq(1..=events.len() as u64));
    let ended = events.iter().filter(|event| event["event"]["kind"] == "turnEnded").count();
    assert!(ended >= 2, "{out}");
    assert_eq!(model.wait_for(4).len(), 4);
}

#[test]
fn without_a_key_it_says_which_variable_is_missing() {
    let (code, out, err) = run(&World::new(env!("CARGO_BIN_EXE_swarm-ls")), &["Do it."]);
    assert_eq!((code, out.as_str()), (Some(1), ""));
    assert!(err.contains("ANTHROPIC_API_KEY"), "{err}");
}

#[test]
fn a_reader_that_goes_away_ends_it() {
    let lead = [reply([say("First.\n"), wait("never"), say("Second.")])];
    let model = FakeModel::start(Script::new().agent("team-lead", lead));
    let world = world(&model);
    let mut command = world.command(&["run", "Talk."]);
    let mut child =
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut first = String::new();
    // Dropped with the line read: nobody reads on.
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut first).unwrap();
    assert_eq!(first, "First.\n");
    assert_eq!(child.wait().unwrap().code(), Some(1));
    let mut err = String::new();
    child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
    assert!(err.contains("nobody reads the output"), "{err}");
}

#[test]
fn a_signal_ends_it_in_the_middle_of_an_answer() {
    for signal in ["-TERM", "-INT"] {
        let lead = [reply([say("First.\n"), wait("never"), say("Second.")])];
        let model = FakeModel::start(Script::new().agent("team-lead", lead));
        let world = world(&model);
        let mut command = world.command(&["run", "Talk."]);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut first = String::new();
        out.read_line(&mut first).unwrap();
        let sent = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
        assert!(sent.success());
        assert_eq!(child.wait().unwrap().code(), Some(1), "{signal}");
        let mut err = String::new();
        child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
        assert!(err.contains("interrupted"), "{signal}: {err}");
    }
}

#[test]
fn it_speaks_what_the_environment_has_a_key_and_an_address_for() {
    let model = FakeModel::start(Script::new().agent("team-lead", [reply([say("Done as asked.")])]));
    let mut world = World::new(env!("CARGO_BIN_EXE_swarm-ls"));
    world.env("OPENAI_BASE_URL", model.base_url()).env("OPENAI_API_KEY", "sk-test");
    let (code, out, err) = run(&world, &["--model", "some-model", "Do it."]);
    assert_eq!((code, out.as_str()), (Some(0), "Done as asked.\n"), "{err}");
    let (code, _, err) = run(&world, &["Do it."]);
    assert_eq!(code, Some(1));
    assert!(err.contains("set the setting `model`"), "{err}");
}
