//! `swarm-ls run`: what it prints, how it ends, and that nobody is waited for.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use swarm_script::{Script, call, reply, say, think, wait};
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
fn it_says_what_each_member_cost_in_json() {
    let model = FakeModel::start(Script::new().agent("team-lead", [reply([say("Hi.")]).times(2)]));
    let world = world(&model);
    run(&world, &["Greet."]);
    let (_, out, _) = run(&world, &["--json", "Greet."]);
    let costs = out.lines().filter_map(|line| {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        line["event"]["member"]["cost"].as_f64()
    });
    let costs: Vec<f64> = costs.collect();
    assert!(costs[0] > 0.0 && costs.last() > costs.first(), "an earlier run's are in it: {costs:?}");
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

/// A run whose command `sleep 300` has started, in a process of its own.
fn sleeping(world: &World) -> Child {
    let mut command = world.command(&["run", "--allow", "Bash(sleep *)", "Sleep."]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    world.wait_for_process("sleep 300");
    child
}

fn sleep_script() -> Script {
    let lead = [reply([say("First.\n"), call("Bash", json!({"command": "sleep 300"}))])];
    Script::new().agent("team-lead", lead)
}

/// How long a run may take to end with all that it started.
const END: Duration = Duration::from_secs(2);

#[test]
fn a_signal_ends_it_and_its_command_within_two_seconds() {
    for signal in ["-TERM", "-INT", "-HUP"] {
        let model = FakeModel::start(sleep_script());
        let world = world(&model);
        let mut child = sleeping(&world);
        let asked = Instant::now();
        let sent = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
        assert!(sent.success());
        world.none_left(END);
        assert_eq!(child.wait().unwrap().code(), Some(1), "{signal}");
        assert!(asked.elapsed() < END, "{signal}: {:?}", asked.elapsed());
        let mut err = String::new();
        child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
        assert!(err.contains("interrupted"), "{signal}: {err}");
    }
}

#[test]
fn a_reader_that_goes_away_ends_its_command_too() {
    let model = FakeModel::start(sleep_script());
    let world = world(&model);
    let mut child = sleeping(&world);
    drop(child.stdout.take());
    world.none_left(END);
    assert_eq!(child.wait().unwrap().code(), Some(1));
}

#[test]
fn a_closed_input_is_nothing_to_it() {
    let model = FakeModel::start(Script::new().agent("team-lead", [reply([say("Done."), wait("later")])]));
    let world = world(&model);
    let mut command = world.command(&["run", "Talk."]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    // As of `something | swarm-ls run`: what is before the pipe may be done long before.
    drop(child.stdin.take());
    model.wait_for(1);
    model.open("later");
    let mut out = String::new();
    child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
    assert_eq!((child.wait().unwrap().code(), out.as_str()), (Some(0), "Done.\n"));
}

#[test]
fn rules_and_a_mode_hold_for_this_run_and_are_kept_nowhere() {
    let write = |path: &str| call("Write", json!({"path": path, "content": "x"}));
    let lead = [
        reply([write("a.txt"), write("b.txt")]),
        reply([say("Some.")]).expect("denies it"),
        reply([write("c.txt")]),
        reply([say("None.")]).expect("nobody is here to answer"),
    ];
    let model = FakeModel::start(Script::new().agent("team-lead", lead));
    let world = world(&model);
    let (code, out, err) = run(&world, &["--mode", "acceptEdits", "--deny", "Write(b.txt)", "Write both."]);
    assert_eq!((code, out.as_str()), (Some(0), "Some.\n"), "{err}");
    assert!(world.path("a.txt").exists() && !world.path("b.txt").exists());
    let (code, out, err) = run(&world, &["Write another."]);
    assert_eq!((code, out.as_str()), (Some(2), "None.\n"), "{err}");
    assert!(!world.path("c.txt").exists());
}

#[test]
fn a_denial_of_the_run_holds_for_its_teammates_too() {
    let spawn = call("SpawnTeammate", json!({"name": "ada", "prompt": "Look around."}));
    let lead = [
        reply([spawn]),
        reply([say("On it.")]),
        reply([say("Done.")]).expect("The teammate ada has ended its turn"),
    ];
    let ada = [
        reply([call("Bash", json!({"command": "ls"})), call("Write", json!({"path": "a", "content": "x"}))]),
        reply([say("I could only write.")]).expect("denies it"),
    ];
    let model = FakeModel::start(Script::new().agent("team-lead", lead).agent("ada", ada));
    let world = world(&model);
    let (code, _, err) = run(&world, &["--allow", "Write(a)", "--deny", "Bash(ls)", "Have ada look."]);
    assert_eq!(code, Some(0), "{err}");
    assert_eq!(world.read("a"), "x");
}

#[test]
fn what_is_no_rule_or_no_mode_is_named() {
    let world = World::new(env!("CARGO_BIN_EXE_swarm-ls"));
    let (_, _, err) = run(&world, &["--allow", "Bash(ls", "Do it."]);
    assert!(err.contains("opens a parenthesis"), "{err}");
    let (_, _, err) = run(&world, &["--mode", "fast", "Do it."]);
    assert!(err.contains("acceptEdits"), "{err}");
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

#[test]
fn without_a_key_a_model_server_of_this_machine_is_found_with_its_model() {
    let script = Script::new().agent("team-lead", [reply([say("Here.")]).times(2)]);
    let model = FakeModel::start(script.models(["nomic-embed-text", "small:1b"]));
    let mut world = World::new(env!("CARGO_BIN_EXE_swarm-ls"));
    world.env("LLAMA_ARG_PORT", model.base_url().rsplit_once(':').unwrap().1);
    let (code, out, err) = run(&world, &["Do it."]);
    assert_eq!((code, out.as_str()), (Some(0), "Here.\n"), "{err}");
    assert!(err.contains("llama.cpp at http://127.0.0.1:") && err.contains("small:1b"), "{err}");
    let asked = model.wait_for(1).remove(0);
    assert_eq!(
        (asked.path.as_str(), asked.body["model"].as_str()),
        ("/v1/chat/completions", Some("small:1b"))
    );
    // One that is named is asked for, and who names another provider gets no local one.
    let (code, _, err) = run(&world, &["--model", "big:70b", "Do it."]);
    assert_eq!(code, Some(0), "{err}");
    assert_eq!(model.wait_for(2).remove(1).body["model"], "big:70b");
    let (code, _, err) = run(&world, &["--provider", "anthropic", "Do it."]);
    assert_eq!(code, Some(1));
    assert!(err.contains("set ANTHROPIC_API_KEY") && err.contains("llama.cpp at 127.0.0.1:"), "{err}");
}

/// Every format, with where its requests say how hard the model is to think.
const FORMATS: [(&str, &str); 3] = [
    ("anthropic", "/output_config/effort"),
    ("openai-responses", "/reasoning/effort"),
    ("openai-chat", "/reasoning_effort"),
];

fn with_both_addresses(world: &mut World, model: &FakeModel) {
    world.model(model).env("OPENAI_BASE_URL", model.base_url()).env("OPENAI_API_KEY", "sk-test");
}

#[test]
fn thoughts_come_back_whole_to_a_later_run_and_never_to_another_format() {
    for (at, (provider, effort)) in FORMATS.iter().enumerate() {
        let look = [think("A thought."), call("Read", json!({"path": "notes.txt"}))];
        let lead = [reply(look), reply([say("Read it.")]), reply([say("Still here.")])];
        let model = FakeModel::start(Script::new().agent("team-lead", lead));
        let mut world = World::new(env!("CARGO_BIN_EXE_swarm-ls"));
        with_both_addresses(&mut world, &model);
        std::fs::write(world.path("notes.txt"), "Nothing much.\n").unwrap();
        let arguments = ["--model", "some-model", "--effort", "high", "--provider", provider];
        for (prompt, answer) in [("Read.", "Read it.\n"), ("Go on.", "Still here.\n")] {
            let (code, out, err) = run(&world, &[&arguments[..], &[prompt]].concat());
            assert_eq!((code, out.as_str()), (Some(0), answer), "{provider}: {err}");
        }
        let requests = model.wait_for(3);
        for request in &requests {
            assert_eq!(request.body.pointer(effort), Some(&json!("high")), "{provider}");
        }
        for request in &requests[1..] {
            assert!(request.body.to_string().contains("A thought."), "{provider}: {}", request.body);
        }

        let (other, _) = FORMATS[(at + 1) % FORMATS.len()];
        let model = FakeModel::start(Script::new().agent("team-lead", [reply([say("As another.")])]));
        with_both_addresses(&mut world, &model);
        let (code, out, err) = run(&world, &["--model", "other-model", "--provider", other, "Go on."]);
        assert_eq!((code, out.as_str()), (Some(0), "As another.\n"), "{provider}, then {other}: {err}");
        let body = model.wait_for(1).remove(0).body.to_string();
        assert!(body.contains("Nothing much.") && !body.contains("A thought."), "{other}: {body}");
    }
}
