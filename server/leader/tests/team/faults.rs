//! Turns that are broken off wherever they can be: what comes next is accepted by a strict provider, each call has
//! its one result, and none is run twice.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::json;
use swarm_script::{Script, Step, WhenDone, call, reply, say, think};
use swarm_wire::lsp::{MemberParams, TurnEnd};
use swarm_wire::settings::{Provider, Settings};
use swarm_wire::transcript::{Block, Body};
use tempfile::TempDir;

use crate::stage::Stage;

/// Makes a test of each of these for each wire format.
macro_rules! in_each_format {
    ($($name:ident)*) => {$(
        mod $name {
            use swarm_wire::settings::Provider;

            #[tokio::test]
            async fn messages() {
                super::$name(Provider::Anthropic).await;
            }

            #[tokio::test]
            async fn responses() {
                super::$name(Provider::OpenaiResponses).await;
            }

            #[tokio::test]
            async fn chat_completions() {
                super::$name(Provider::OpenaiChat).await;
            }
        }
    )*};
}

in_each_format! {
    a_turn_interrupted_at_any_event_is_gone_on_with
    a_turn_interrupted_while_its_calls_run_is_gone_on_with
    a_summary_interrupted_at_any_event_leaves_the_history
    a_damaged_transcript_is_mended
}

/// Where every event is tried, no stream has more than these.
const EVENTS_MAX: usize = 300;

fn task(subject: &str) -> swarm_script::ReplyPart {
    call("TaskCreate", json!({ "subject": subject }))
}

/// An answer with three calls, none of which asks.
fn three_calls() -> Step {
    reply([think("Hm."), say("I note them."), task("one"), task("two"), task("three")])
}

fn played(steps: impl IntoIterator<Item = Step>) -> Script {
    Script::new().agent("team-lead", steps).when_done(WhenDone::Say("Well.".into()))
}

async fn stage(folder: &Arc<TempDir>, provider: Provider, script: Script) -> Stage {
    let set = |settings: &mut Settings| {
        settings.provider = Some(provider);
        settings.model = Some("strict".to_owned());
        settings.context_window = Some(10_000_000);
    };
    Stage::an_hour_passes(folder);
    Stage::with(Arc::clone(folder), script, set).await
}

/// Whether the running turn stood still at the `nth` hanging stream; else it ended.
async fn hangs(stage: &mut Stage, nth: usize) -> bool {
    // Both borrow the stage, so the turn is looked at in between.
    let mut states = stage.leader.watch();
    tokio::select! {
        reached = stage.model.wait_at("hang", nth) => { reached.unwrap(); true }
        over = states.wait_for(|state| state.members.iter().any(|lead| lead.turn_id.is_none() && lead.tool_calls > 0)) => {
            over.unwrap();
            false
        }
    }
}

async fn interrupt(stage: &mut Stage) {
    assert!(stage.leader.interrupt(MemberParams::default()).await.unwrap().interrupted);
    assert_eq!(stage.turn_end("team-lead").await, (TurnEnd::Interrupted, None));
}

async fn go_on(stage: &mut Stage) {
    stage.prompt("Go on.").await;
    assert_eq!(stage.turn_end("team-lead").await, (TurnEnd::Completed, None));
}

/// Each call of the transcript and how often it has a result.
async fn results(stage: &Stage) -> BTreeMap<String, usize> {
    let mut counted = BTreeMap::new();
    for entry in stage.transcript("team-lead").await {
        match entry.body {
            Body::Assistant { content, .. } => {
                for block in content {
                    if let Block::ToolUse { id, .. } = block {
                        counted.entry(id).or_insert(0);
                    }
                }
            }
            Body::Results { results } => {
                for result in results {
                    *counted.get_mut(&result.tool_use_id).unwrap() += 1;
                }
            }
            _ => {}
        }
    }
    counted
}

fn subjects(stage: &Stage) -> Vec<String> {
    stage.leader.snapshot().tasks.iter().map(|task| task.subject.clone()).collect()
}

/// Takes the folder up once more, goes on, and finds nothing refused.
async fn taken_up_again(folder: &Arc<TempDir>, provider: Provider) -> Stage {
    let mut stage = stage(folder, provider, played([])).await;
    go_on(&mut stage).await;
    assert_eq!(stage.model.violations(), []);
    stage
}

async fn a_turn_interrupted_at_any_event_is_gone_on_with(provider: Provider) {
    let folder = Arc::new(Stage::folders());
    let steps =
        (0..EVENTS_MAX).flat_map(|events| [three_calls().hang_after_events(events), reply([say("Well.")])]);
    let mut first = stage(&folder, provider, played(steps)).await;
    let mut events = 0;
    loop {
        first.prompt("Note them.").await;
        if !hangs(&mut first, events + 1).await {
            break;
        }
        interrupt(&mut first).await;
        assert_eq!(subjects(&first), [""; 0], "a call ran before its answer was whole");
        go_on(&mut first).await;
        events += 1;
    }
    assert!(events > 8, "the whole stream came after {events} events");
    assert_eq!(first.turn_end("team-lead").await, (TurnEnd::Completed, None));
    assert_eq!(subjects(&first), ["one", "two", "three"]);
    assert!(results(&first).await.values().all(|count| *count == 1));
    // Chat Completions has one text an input, so what follows an interrupted one without an answer changes it.
    assert_eq!(first.model.violations(), []);
    first.leader.shutdown().await;
    taken_up_again(&folder, provider).await.close().await;
}

async fn a_turn_interrupted_while_its_calls_run_is_gone_on_with(provider: Provider) {
    let folder = Arc::new(Stage::folders());
    let asks = || {
        let write = call("Write", json!({"path": "x.txt", "content": "x"}));
        reply([task("one"), write, task("three")])
    };
    let mut first = stage(&folder, provider, played([asks(), reply([say("Well.")]), asks()])).await;
    first.prompt("Do it.").await;
    first.question().await;
    interrupt(&mut first).await;
    go_on(&mut first).await;
    first.prompt("Do it.").await;
    first.question().await;
    first.close().await;

    let second = taken_up_again(&folder, provider).await;
    assert_eq!(subjects(&second), ["one", "one"]);
    assert!(!second.file("x.txt").exists());
    let results = results(&second).await;
    assert_eq!(results.len(), 6);
    assert!(results.values().all(|count| *count <= 1), "{results:?}");
    second.close().await;
}

async fn a_summary_interrupted_at_any_event_leaves_the_history(provider: Provider) {
    let folder = Arc::new(Stage::folders());
    let steps = (0..EVENTS_MAX)
        .flat_map(|events| [reply([say("All in short.")]).hang_after_events(events), reply([say("Well.")])]);
    let steps = [reply([say("The word is heron.")])].into_iter().chain(steps);
    let mut first = stage(&folder, provider, played(steps)).await;
    go_on(&mut first).await;
    for events in 0.. {
        first.leader.compact(MemberParams::default()).await.unwrap();
        first.prompt("And?").await;
        let is_summary = |body: &Body| matches!(body, Body::Compacted { .. });
        let hung = tokio::select! {
            reached = first.model.wait_at("hang", events + 1) => { reached.unwrap(); true }
            _ = first.model.wait_for(2 * events + 3) => false,
        };
        if !hung {
            assert_eq!(first.turn_end("team-lead").await, (TurnEnd::Completed, None));
            assert!(first.transcript("team-lead").await.iter().any(|entry| is_summary(&entry.body)));
            assert!(events > 3, "the whole stream came after {events} events");
            break;
        }
        interrupt(&mut first).await;
        assert!(!first.transcript("team-lead").await.iter().any(|entry| is_summary(&entry.body)));
        go_on(&mut first).await;
        let asked = first.model.requests().pop().unwrap().body.to_string();
        assert!(asked.contains("The word is heron."), "the history is there");
    }
    assert_eq!(first.model.violations(), []);
    first.leader.shutdown().await;
    taken_up_again(&folder, provider).await.close().await;
}

async fn a_damaged_transcript_is_mended(provider: Provider) {
    let folder = Arc::new(Stage::folders());
    let steps = [three_calls(), reply([say("Noted.")]), three_calls(), reply([say("Again.")])];
    let mut first = stage(&folder, provider, played(steps)).await;
    go_on(&mut first).await;
    go_on(&mut first).await;
    first.close().await;
    let path = folder.path().join("state/teams/shop/transcripts/team-lead@shop.jsonl");
    let whole = std::fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = whole.lines().collect();
    let mut damaged = vec![format!("{}{}", whole, &lines[1][..lines[1].len() / 2])];
    for at in 0..lines.len() {
        let with = |line: &[&str]| [&lines[..at], line, &lines[at + 1..]].concat().join("\n") + "\n";
        // Without the line; with one that is no JSON, no UTF-16, doubled; and as the end of all.
        damaged.extend([
            with(&[]),
            with(&["\u{0}\u{0}"]),
            with(&[r#"{"at":1,"role":"user","text":"\ud800"}"#]),
            with(&[lines[at], lines[at]]),
            lines[..=at].join("\n") + "\n",
        ]);
    }
    for transcript in damaged {
        std::fs::write(&path, &transcript).unwrap();
        let stage = taken_up_again(&folder, provider).await;
        assert_eq!(subjects(&stage).len(), 6, "calls ran again");
        stage.close().await;
    }
}
