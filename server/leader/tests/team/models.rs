//! Which model a member asks, and how hard it is to think.

use std::sync::Arc;

use serde_json::{Value, json};
use swarm_script::{Script, ScriptServer, call, reply, say, think};
use swarm_wire::lsp::{ConfigureParams, MemberView, SpawnParams, TurnEnd};
use swarm_wire::settings::Effort;

use crate::stage::Stage;

async fn configure(stage: &Stage, member: &str, model: Option<&str>, effort: Option<&str>) -> MemberView {
    let params = params(member, model, effort);
    stage.leader.configure_member(params).await.unwrap()
}

fn params(member: &str, model: Option<&str>, effort: Option<&str>) -> ConfigureParams {
    let owned = |text: Option<&str>| text.map(str::to_owned);
    ConfigureParams {
        member: Some(member.to_owned()),
        team: None,
        model: owned(model),
        effort: owned(effort),
    }
}

async fn turn(stage: &mut Stage) {
    stage.prompt("Go.").await;
    assert_eq!(stage.turn_end("team-lead").await, (TurnEnd::Completed, None));
}

/// Model and effort of each request of `agent`.
fn asked(model: &ScriptServer, agent: &str) -> Vec<(Value, Value)> {
    let of = model.requests().into_iter().filter(|request| request.agent.starts_with(agent));
    of.map(|request| (request.body["model"].clone(), request.body["output_config"]["effort"].clone()))
        .collect()
}

#[tokio::test]
async fn a_chosen_model_and_effort_hold_from_the_next_request_and_after_a_restart() {
    let script = || Script::new().agent("team-lead", [reply([say("Ok.")]).times(9)]);
    let mut stage = Stage::new(script()).await;
    turn(&mut stage).await;
    let chosen = configure(&stage, "team-lead", Some("claude-opus-4-8"), Some("max")).await;
    assert_eq!((chosen.model.as_deref(), chosen.effort), (Some("claude-opus-4-8"), Some(Effort::Max)));
    turn(&mut stage).await;
    // A model that knows no effort is not asked for one.
    configure(&stage, "team-lead", Some("claude-sonnet-4-5"), None).await;
    turn(&mut stage).await;
    configure(&stage, "team-lead", Some("claude-opus-4-6"), Some("xhigh")).await;
    turn(&mut stage).await;
    let of = |model: &str, effort: Value| (json!(model), effort);
    assert_eq!(
        asked(&stage.model, "team-lead"),
        [
            of("claude-sonnet-5-5", Value::Null),
            of("claude-opus-4-8", json!("max")),
            of("claude-sonnet-4-5", Value::Null),
            of("claude-opus-4-6", json!("high")),
        ]
    );
    let folder = stage.folder.clone();
    stage.close().await;

    let mut stage = Stage::again(folder, script()).await;
    let lead = stage.leader.snapshot().members[0].clone();
    assert_eq!((lead.model.as_deref(), lead.effort), (Some("claude-opus-4-6"), Some(Effort::XHigh)));
    turn(&mut stage).await;
    configure(&stage, "team-lead", Some(""), Some("")).await;
    turn(&mut stage).await;
    assert_eq!(
        asked(&stage.model, "team-lead"),
        [of("claude-opus-4-6", json!("high")), of("claude-sonnet-5-5", Value::Null)]
    );
    stage.close().await;
}

#[tokio::test]
async fn settings_that_change_hold_for_members_that_run_and_leave_a_members_own_choice() {
    let spawn = call("SpawnTeammate", json!({"name": "ada", "prompt": "Go.", "effort": "low"}));
    let lead = [reply([spawn]), reply([say("Ok.")]).times(9)];
    let script = Script::new().agent("team-lead", lead).agent("*", [reply([say("Ok.")]).times(9)]);
    let mut stage = Stage::with(Arc::new(Stage::folders()), script, |settings| {
        settings.model = Some("claude-opus-4-7".to_owned());
    })
    .await;
    stage.prompt("Go.").await;
    assert_eq!(stage.turn_end("ada").await, (TurnEnd::Completed, None));
    let bob = SpawnParams {
        agent_type: None,
        backend: None,
        worktree: false,
        plan_mode_required: false,
        name: "bob".to_owned(),
        prompt: "Go.".to_owned(),
        call_id: None,
        team: None,
        model: Some("claude-opus-4-5".to_owned()),
        effort: Some(Effort::Medium),
        color: None,
        mode: None,
    };
    stage.leader.spawn(bob).await.unwrap();
    assert_eq!(stage.turn_end("bob").await, (TurnEnd::Completed, None));
    assert_eq!(asked(&stage.model, "ada"), [(json!("claude-opus-4-7"), json!("low"))]);
    assert_eq!(asked(&stage.model, "bob"), [(json!("claude-opus-4-5"), json!("medium"))]);

    let mut settings = stage.settings.clone();
    settings.model = Some("claude-opus-4-8".to_owned());
    settings.effort = Some(Effort::High);
    stage.leader.configure(settings).await;
    let before = asked(&stage.model, "team-lead").len();
    turn(&mut stage).await;
    assert_eq!(asked(&stage.model, "team-lead")[before], (json!("claude-opus-4-8"), json!("high")));
    let members = stage.leader.snapshot().members.clone();
    let shown: Vec<_> = members.iter().map(|member| (member.model.as_deref(), member.effort)).collect();
    assert_eq!(
        shown,
        [
            (Some("claude-opus-4-8"), Some(Effort::High)),
            (Some("claude-opus-4-8"), Some(Effort::Low)),
            (Some("claude-opus-4-5"), Some(Effort::Medium)),
        ]
    );
    stage.close().await;
}

#[tokio::test]
async fn reasoning_is_given_back_to_the_model_that_made_it_and_to_no_other() {
    let first = reply([think("It is an odd one."), say("Odd.")]);
    let script = Script::new().agent("team-lead", [first, reply([say("Ok.")]).times(9)]);
    let mut stage = Stage::new(script).await;
    turn(&mut stage).await;
    configure(&stage, "team-lead", Some("claude-opus-4-8"), None).await;
    turn(&mut stage).await;
    configure(&stage, "team-lead", Some(""), None).await;
    turn(&mut stage).await;
    let thought: Vec<bool> = stage.model.requests().iter().map(holds_thinking).collect();
    assert_eq!(thought, [false, false, true]);
    let folder = stage.folder.clone();
    stage.close().await;

    // It is kept over a restart, and left out when the settings name another model then.
    let script = || Script::new().agent("team-lead", [reply([say("Ok.")]).times(9)]);
    let mut stage = Stage::again(folder.clone(), script()).await;
    turn(&mut stage).await;
    assert!(holds_thinking(&stage.model.requests()[0]));
    stage.close().await;
    let mut stage =
        Stage::with(folder, script(), |settings| settings.model = Some("claude-opus-4-8".to_owned())).await;
    turn(&mut stage).await;
    assert!(!holds_thinking(&stage.model.requests()[0]));
    stage.close().await;
}

fn holds_thinking(request: &swarm_script::Recorded) -> bool {
    request.body["messages"].to_string().contains("\"type\":\"thinking\"")
}

#[tokio::test]
async fn a_choice_that_cannot_be_is_refused_and_changes_nothing() {
    let mut stage = Stage::new(Script::new().agent("team-lead", [reply([say("Ok.")]).times(9)])).await;
    turn(&mut stage).await;
    let refused = stage.leader.configure_member(params("team-lead", Some("m"), Some("huge"))).await;
    let text = refused.unwrap_err().to_string();
    assert_eq!(text, "effort: `huge` is none of low, medium, high, xhigh, max");
    let refused = stage.leader.configure_member(params("eve", Some("m"), None)).await;
    assert!(refused.unwrap_err().to_string().contains("no member `eve`"));
    assert_eq!(stage.leader.snapshot().members[0].model.as_deref(), Some("claude-sonnet-5-5"));
    stage.close().await;
}
