//! What members spend, and budgets.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::json;
use swarm_leader::BUDGET;
use swarm_script::{Script, Step, UsageSpec, call, reply, say};
use swarm_wire::lsp::{Event, MemberParams, MemberState, MemberView, TurnEnd};
use swarm_wire::permission::{Outcome, PermissionRequest};
use swarm_wire::settings::{Budget, Price, Settings};

use crate::stage::Stage;

/// Each request of this takes three dollars: one for each kind of tokens.
fn dear(step: Step) -> Step {
    step.usage(UsageSpec { input: 1_000_000, output: 500_000, cached: 10_000_000 })
}

fn look() -> Step {
    dear(reply([call("Glob", json!({"pattern": "*.none"}))]))
}

fn priced(settings: &mut Settings, budget: Budget) {
    settings.model = Some("dear".to_owned());
    let price = Price { input: 1.0, output: 2.0, cache_read: Some(0.1), cache_write: None };
    settings.prices = BTreeMap::from([("dear".to_owned(), price)]);
    settings.budget = budget;
    settings.context_window = Some(1_000_000_000);
}

const BY_MEMBER: Budget = Budget { team: None, member: Some(5.0) };

async fn stage(script: Script, budget: Budget) -> Stage {
    Stage::with(Arc::new(Stage::folders()), script, |settings| priced(settings, budget)).await
}

fn lead(stage: &Stage) -> MemberView {
    stage.leader.snapshot().members[0].clone()
}

async fn paused(stage: &mut Stage) -> PermissionRequest {
    let request = stage.question().await;
    assert_eq!(request.tool_name, BUDGET);
    assert_eq!(lead(stage).state, MemberState::Paused);
    request
}

#[tokio::test]
async fn what_members_spend_is_shown_and_kept_over_a_restart() {
    let script = || Script::new().agent("team-lead", [dear(reply([say("Ok.")])).times(9)]);
    let mut stage = stage(script(), Budget::default()).await;
    stage.prompt("Go.").await;
    stage.turn_end("team-lead").await;
    let shown = lead(&stage);
    assert_eq!(
        (shown.tokens.input, shown.tokens.output, shown.tokens.cached),
        (1_000_000, 500_000, 10_000_000)
    );
    assert!((shown.cost.unwrap() - 3.0).abs() < 1e-9, "{shown:?}");
    let folder = stage.folder.clone();
    stage.close().await;

    let mut stage = Stage::with(folder, script(), |settings| priced(settings, BY_MEMBER)).await;
    assert!((lead(&stage).cost.unwrap() - 3.0).abs() < 1e-9);
    stage.prompt("Go.").await;
    stage.turn_end("team-lead").await;
    assert!((stage.leader.snapshot().teams[0].cost.unwrap() - 6.0).abs() < 1e-9);
    // The budget that the earlier server's spending fills holds as well.
    stage.prompt("Go.").await;
    paused(&mut stage).await;
    assert_eq!(stage.model.request_count(), 1);
    stage.leader.shutdown().await;
}

#[tokio::test]
async fn a_spent_budget_pauses_its_member_until_the_user_grants_more() {
    let script = Script::new().agent("team-lead", [look().times(4)]);
    let mut stage = stage(script, BY_MEMBER).await;
    stage.prompt("Go.").await;
    let request = paused(&mut stage).await;
    assert!(
        request.description.contains("team-lead has spent $6.0000 of $5.0000"),
        "{}",
        request.description
    );
    assert_eq!(stage.model.request_count(), 2);
    stage.allow(&request).await;
    // Six were spent and five granted: two requests later it asks again.
    let request = paused(&mut stage).await;
    assert_eq!(stage.model.request_count(), 4);
    assert_eq!(
        stage.resolve(&request, |answer| answer.decision = swarm_wire::lsp::DecisionName::Reject).await,
        Ok(Outcome::Resolved)
    );
    let (end, why) = stage.turn_end("team-lead").await;
    assert_eq!(end, TurnEnd::Failed);
    assert!(why.unwrap().contains("has spent $12"));
    stage.close().await;
}

#[tokio::test]
async fn a_raised_budget_lets_members_go_on_and_takes_the_question_back() {
    let script = Script::new().agent("team-lead", [look(), look(), dear(reply([say("Done.")]))]);
    let mut stage = stage(script, Budget { team: Some(5.0), member: None }).await;
    stage.prompt("Go.").await;
    let request = paused(&mut stage).await;
    assert!(request.description.contains("the team has spent"), "{}", request.description);
    let mut settings = stage.settings.clone();
    settings.budget.team = Some(100.0);
    stage.leader.configure(settings).await;
    let taken_back = |event| match event {
        Event::PermissionResolved { id, allowed: None, .. } => Some(id),
        _ => None,
    };
    assert_eq!(stage.next("the question's end", taken_back).await, request.id);
    assert_eq!(stage.turn_end("team-lead").await, (TurnEnd::Completed, None));
    assert_eq!(lead(&stage).state, MemberState::Idle);
    stage.close().await;
}

#[tokio::test]
async fn a_member_that_pauses_can_be_interrupted_and_its_question_goes() {
    let script = Script::new().agent("team-lead", [look(), look()]);
    let mut stage = stage(script, BY_MEMBER).await;
    stage.prompt("Go.").await;
    paused(&mut stage).await;
    assert!(stage.leader.interrupt(MemberParams::default()).await.unwrap().interrupted);
    assert_eq!(stage.turn_end("team-lead").await, (TurnEnd::Interrupted, None));
    let gone = |event| matches!(event, Event::PermissionResolved { allowed: None, .. }).then_some(());
    stage.next("the question's end", gone).await;
    assert_eq!(stage.leader.snapshot().permissions, []);
    // The next turn asks again.
    stage.prompt("Go on.").await;
    paused(&mut stage).await;
    stage.close().await;
}

#[tokio::test]
async fn a_model_without_a_price_is_told_of_once_and_never_pauses() {
    let script = Script::new().agent("team-lead", [look(), look(), dear(reply([say("Done.")]))]);
    let mut stage = stage(script, BY_MEMBER).await;
    let mut settings = stage.settings.clone();
    settings.model = Some("unheard-of".to_owned());
    stage.leader.configure(settings).await;
    stage.prompt("Go.").await;
    let told = |event| match event {
        Event::Warning { text } if text.contains("unheard-of") => Some(()),
        _ => None,
    };
    stage.next("a warning", told).await;
    assert_eq!(stage.turn_end("team-lead").await, (TurnEnd::Completed, None));
    assert_eq!(lead(&stage).cost, None);
    stage.close().await;
}
