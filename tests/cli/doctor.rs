//! `swarm-ls doctor` and `swarm-ls permissions explain`.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::process::{Output, Stdio};

use swarm_tests::World;

fn output(world: &World, arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = world.command(arguments);
    let Output { status, stdout, stderr } = command.stdin(Stdio::null()).output().unwrap();
    (status.code(), String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap())
}

fn world() -> World {
    World::new(env!("CARGO_BIN_EXE_swarm-ls"))
}

#[test]
fn doctor_names_what_is_there_and_what_to_do_and_no_key() {
    let mut world = world();
    let (code, out, _) = output(&world, &["doctor"]);
    assert_eq!(code, Some(0), "{out}");
    assert!(out.contains("ok  state") && out.contains("ok  git"), "{out}");
    assert!(out.contains("!!  model") && out.contains("set ANTHROPIC_API_KEY or OPENAI_API_KEY"), "{out}");
    assert!(out.contains("walls     commands run behind"), "{out}");

    world.env("ANTHROPIC_API_KEY", "sk-very-secret");
    let (_, out, err) = output(&world, &["doctor"]);
    assert!(out.contains("ok  model") && !(out + &err).contains("sk-very-secret"));
}

#[test]
fn doctor_finds_a_local_model_server_and_says_how_to_use_it() {
    let mut world = world();
    let list = r#"{"object": "list", "data": [{"id": "small:1b"}, {"id": "big:70b"}]}"#;
    world.env("OLLAMA_HOST", answering(list)).env("LLAMA_ARG_PORT", "1");
    let (_, out, err) = output(&world, &["doctor"]);
    assert!(out.contains("ok  ollama    answers at 127.0.0.1:"), "{out}{err}");
    assert!(out.contains("small:1b, big:70b") && out.contains("--model small:1b"), "{out}");
    assert!(out.contains("--  llama.cpp no server answers at 127.0.0.1:1"), "{out}");
}

#[test]
fn doctor_says_whether_the_provider_takes_connections() {
    let mut world = world();
    world.env("ANTHROPIC_API_KEY", "k").env("ANTHROPIC_BASE_URL", format!("http://{}", answering("{}")));
    let (_, out, _) = output(&world, &["doctor"]);
    assert!(out.contains("ok  provider  127.0.0.1:"), "{out}");
    world.env("ANTHROPIC_BASE_URL", "http://127.0.0.1:1");
    let (code, out, _) = output(&world, &["doctor"]);
    assert!(out.contains("!!  provider  127.0.0.1:1 cannot be reached"), "{out}");
    assert_eq!(code, Some(0), "a network that is down is no fault of the machine's");
}

/// A server that answers every request with this JSON until the test's process ends; where it listens.
fn answering(json: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let place = listener.local_addr().unwrap().to_string();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = BufReader::new(stream.unwrap());
            let mut line = String::new();
            while stream.read_line(&mut line).is_ok_and(|read| read > 2) {
                line.clear();
            }
            // One that only tried the connection is gone by now.
            let _ = write!(stream.get_mut(), "HTTP/1.0 200 OK\r\n\r\n{json}");
        }
    });
    place
}

#[test]
fn doctor_fails_where_the_state_cannot_be_kept() {
    let mut world = world();
    world.env("SWARM_HOME", "relative/folder");
    let (code, out, _) = output(&world, &["doctor"]);
    assert_eq!(code, Some(1));
    assert!(out.contains("!!  state") && out.contains("absolute path"), "{out}");
}

#[test]
fn explain_says_what_is_decided_and_by_which_rule() {
    let world = world();
    let explain = |call: &str| output(&world, &["permissions", "explain", call]);
    let (code, out, err) = explain("Bash(git status && rm -rf build)");
    assert_eq!(code, Some(0), "{err}");
    assert!(out.starts_with("asked: ") && out.contains("destroys"), "{out}");
    assert!(explain("Bash(ls)").1.starts_with("allowed: "));
    std::fs::create_dir_all(world.swarm_home()).unwrap();
    std::fs::write(world.swarm_home().join("settings.json"), r#"{"permissions": {"deny": ["Bash(ls *)"]}}"#)
        .unwrap();
    let (_, out, err) = explain("Bash(ls -l)");
    assert!(out.starts_with("denied: ") && out.contains("`Bash(ls *)` of scope User"), "{out}{err}");
    let (code, _, err) = explain("bash(rm -rf /)");
    assert_eq!(code, Some(1));
    assert!(err.contains("names no tool that is there; did you mean `Bash`?"), "{err}");
    std::fs::write(
        world.swarm_home().join("settings.json"),
        r#"{"permisions": {}, "permissions": {"alow": [], "deny": ["Bash(a && b)", "edit(x)"]}}"#,
    )
    .unwrap();
    let (_, out, err) = explain("Bash(ls)");
    for problem in
        ["sets `permisions`", "sets `permissions.alow`", "did you mean `Edit`?", "not one simple command"]
    {
        assert!(err.contains(problem), "{problem}: {err}");
    }
    assert!(out.starts_with("asked: ") && out.contains("cannot be read, and may forbid it"), "{out}");
    std::fs::write(world.swarm_home().join("settings.json"), "{").unwrap();
    let (code, _, err) = explain("Bash(ls");
    assert_eq!(code, Some(1));
    assert!(err.contains("parenthesis"), "{err}");
}
