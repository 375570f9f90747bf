//! Glob and Grep, as a model meets them.

use serde_json::{Value, json};
use swarm_script::{Script, Step, call, reply, say};
use swarm_wire::lsp::TurnEnd;

use crate::stage::Stage;

fn use_tool(tool: &str, input: Value) -> Step {
    reply([call(tool, input)])
}

/// Plays the steps over a small project, and fails when one of them was not met.
async fn play(steps: Vec<Step>) {
    let mut stage = Stage::new(Script::new().agent("team-lead", steps)).await;
    for (path, text) in [
        ("src/main.rs", "fn main() {\n    let heron = 1;\n    // grey\n}\n"),
        ("src/web/app.ts", "const heron = 2;\n"),
        (".github/ci.yml", "heron: 3\n"),
        (".env", "HERON=4\nheron=4\n"),
        ("deploy/server.pem", "heron 5\n"),
        ("out/made.rs", "let heron = 6;\n"),
        (".gitignore", "out/\n"),
        ("picture.bin", "heron\0\u{1}"),
    ] {
        let path = stage.file(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    stage.prompt("Look.").await;
    assert_eq!(stage.turn_end("team-lead").await, (TurnEnd::Completed, None));
    stage.close().await;
}

#[tokio::test]
async fn a_search_goes_where_git_does_and_shows_no_secret() {
    play(vec![
        use_tool("Grep", json!({"pattern": "her[o]n"})),
        use_tool("Grep", json!({"pattern": "HERON", "ignore_case": true, "output": "counts", "glob": "*.rs"}))
            .expect(
                "src/main.rs:2:    let heron = 1;\nsrc/web/app.ts:1:const heron = 2;\n[2 lines in 2 files]\n[1 files that may hold secrets, or that a rule keeps from you, were not searched.]",
            ),
        use_tool("Grep", json!({"pattern": "let", "path": "src", "context": 1}))
            .expect("src/main.rs: 1\n[1 lines in 1 files]"),
        use_tool("Grep", json!({"pattern": "("}))
            .expect("src/main.rs-1-fn main() {\nsrc/main.rs:2:    let heron = 1;\nsrc/main.rs-3-    // grey"),
        use_tool("Grep", json!({"pattern": "x", "path": "nowhere"})).expect("is no regular expression"),
        use_tool("Grep", json!({"pattern": "penguin"})).expect("nowhere is not there"),
        reply([say("Done.")]).expect("[Nothing was found.]"),
    ])
    .await;
}

#[tokio::test]
async fn files_are_found_by_their_names() {
    play(vec![
        use_tool("Glob", json!({"pattern": "*.rs"})),
        use_tool("Glob", json!({"pattern": "src/**/*.{ts,rs}"})).expect("src/main.rs\n"),
        use_tool("Glob", json!({"pattern": ".github/**"})).expect("src/web/app.ts\n"),
        use_tool("Glob", json!({"pattern": "*.zig"})).expect(".github/ci.yml\n"),
        use_tool("Glob", json!({"pattern": "[", "path": "."})).expect("[No file has such a name.]"),
        reply([say("Done.")]).expect("is no pattern of file names"),
    ])
    .await;
}

#[tokio::test]
async fn a_long_result_is_cut_and_says_how_to_go_on() {
    let script = Script::new().agent(
        "team-lead",
        [
            use_tool("Grep", json!({"pattern": "heron"})),
            use_tool("Glob", json!({"pattern": "*.txt"})).expect("so the search stopped; narrow it"),
            reply([say("Done.")]).expect("[… 2800 more, older than these"),
        ],
    );
    let mut stage = Stage::new(script).await;
    for number in 0..3000 {
        std::fs::write(stage.file(&format!("{number}.txt")), "a grey heron stands there\n").unwrap();
    }
    stage.prompt("Look.").await;
    assert_eq!(stage.turn_end("team-lead").await, (TurnEnd::Completed, None));
    stage.close().await;
}

#[tokio::test]
async fn a_search_outside_the_workspace_asks() {
    let script = Script::new().agent(
        "team-lead",
        [use_tool("Grep", json!({"pattern": "x", "path": "/etc"})), reply([say("Fine.")]).expect("rejected")],
    );
    let mut stage = Stage::new(script).await;
    stage.prompt("Look.").await;
    let request = stage.question().await;
    assert_eq!(request.description, "Search /etc for x");
    stage.resolve(&request, |params| params.decision = swarm_wire::lsp::DecisionName::Reject).await.unwrap();
    assert_eq!(stage.turn_end("team-lead").await, (TurnEnd::Completed, None));
    stage.close().await;
}
