//! A history that would not fit: it is summarised in time, and what matters is in the first request after it.

use std::sync::Arc;

use serde_json::json;
use swarm_script::{Script, Step, call, reply, say, status};
use swarm_wire::lsp::{Event, MemberParams, TurnEnd};
use swarm_wire::settings::Settings;
use tempfile::TempDir;

use crate::stage::Stage;

const ASKED: &str = "Your conversation is about to be replaced by a summary";

fn small(settings: &mut Settings) {
    settings.context_window = Some(9_000);
    settings.max_tokens = Some(100);
}

fn folder() -> Arc<TempDir> {
    let folder = tempfile::tempdir().unwrap();
    for name in ["shop", "home"] {
        std::fs::create_dir(folder.path().join(name)).unwrap();
    }
    std::fs::write(folder.path().join("shop/long.txt"), "A line about herons and their ways.\n".repeat(600))
        .unwrap();
    Arc::new(folder)
}

fn read() -> Step {
    reply([call("Read", json!({"path": "long.txt", "limit": 550}))])
}

#[tokio::test]
async fn a_full_history_is_summarised_and_the_turn_goes_on_with_what_was_asked() {
    let summary = || reply([say("I read long.txt; the word is heron.")]).expect(ASKED);
    let script = Script::new().agent(
        "team-lead",
        [
            reply([call("TaskCreate", json!({"subject": "Count the herons"}))]),
            read(),
            summary(),
            reply([call("Edit", json!({"path": "long.txt", "old_string": "x", "new_string": "y"}))])
                .expect("the word is heron"),
            reply([say("Heron.")]).expect("Read /"),
        ],
    );
    let mut stage = Stage::with(folder(), script, small).await;
    stage.prompt("Find the word.").await;
    let compacted = stage.next("compaction", |event| match event {
        Event::Compacted { before, after, .. } => Some((before, after)),
        _ => None,
    });
    let (before, after) = compacted.await;
    assert!(before > 5_000 && after < 1_000, "{before} to {after}");
    assert_eq!(stage.turn_end("team-lead").await, (TurnEnd::Completed, None));
    let first = stage.model.requests()[3].body.to_string();
    assert!(first.contains("Task 1 [free] Count the herons") && first.contains("Your mode is Default"));
    assert!(!first.contains("their ways"));
    assert_eq!(stage.model.violations(), []);
    let folder = Arc::clone(&stage.folder);
    stage.leader.shutdown().await;

    // A later server takes up the summary, not what it stands for.
    let script = Script::new().agent("team-lead", [reply([say("Heron.")]).expect("Which word?")]);
    let mut second = Stage::again(folder, script).await;
    second.prompt("Which word?").await;
    assert_eq!(second.turn_end("team-lead").await, (TurnEnd::Completed, None));
    let body = second.model.requests()[0].body.to_string();
    assert!(body.contains("the word is heron") && !body.contains("their ways"));
    second.close().await;
}

#[tokio::test]
async fn what_the_provider_finds_too_long_is_summarised_and_at_last_given_up() {
    let too_long =
        || status(400).kind("invalid_request_error").message("prompt is too long: 9 tokens > 8 maximum");
    let script = Script::new().agent(
        "team-lead",
        [
            read(),
            too_long(),
            too_long(),
            reply([say("The word is heron.")]).expect("The conversation:"),
            reply([say("Heron.")]).expect("The word is heron."),
            too_long().times(4),
        ],
    );
    let mut stage = Stage::with(folder(), script, |settings| settings.context_window = Some(90_000)).await;
    stage.prompt("Find the word.").await;
    assert_eq!(stage.turn_end("team-lead").await, (TurnEnd::Completed, None));
    stage.prompt("Again.").await;
    let (end, why) = stage.turn_end("team-lead").await;
    assert_eq!(end, TurnEnd::Failed);
    assert!(why.unwrap().contains("does not fit into the model's 90000 tokens"));
    stage.leader.shutdown().await;
}

#[tokio::test]
async fn a_history_is_summarised_once_when_the_user_wants_it() {
    let script = Script::new().agent(
        "team-lead",
        [
            reply([say("The word is heron.")]),
            reply([say("We spoke of a heron.")]).expect(ASKED),
            reply([say("A bird.")]).expect("We spoke of a heron."),
            reply([say("Still.")]),
        ],
    );
    let mut stage = Stage::new(script).await;
    stage.prompt("Which word?").await;
    assert_eq!(stage.turn_end("team-lead").await, (TurnEnd::Completed, None));
    stage.leader.compact(MemberParams::default()).await.unwrap();
    stage.prompt("And what is that?").await;
    assert_eq!(stage.turn_end("team-lead").await, (TurnEnd::Completed, None));
    stage.prompt("Still?").await;
    assert_eq!(stage.turn_end("team-lead").await, (TurnEnd::Completed, None));
    assert_eq!(stage.model.requests().len(), 4);
    assert_eq!(stage.model.violations(), []);
    stage.leader.shutdown().await;
}
