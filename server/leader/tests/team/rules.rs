//! Rules by where they are written, and what a project's own file may do.

use std::sync::Arc;

use serde_json::json;
use swarm_script::{Call, ReplyPart, Script, Step, call, reply, say};
use swarm_wire::lsp::{DecisionName, TurnEnd};
use swarm_wire::permission::{Behavior, RuleUpdate, Scope};

use crate::stage::Stage;

fn write(name: &str) -> Step {
    reply([call("Write", json!({"path": name, "content": "x"}))])
}

fn lead(steps: impl IntoIterator<Item = Step>) -> Script {
    Script::new().agent("team-lead", steps)
}

/// A stage whose settings files were there from the start.
async fn with_settings(user: Option<&str>, project: Option<&str>, script: Script) -> Stage {
    let folder = tempfile::tempdir().unwrap();
    let place = |path: &str, text: &str| {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    for name in ["shop", "home"] {
        std::fs::create_dir(folder.path().join(name)).unwrap();
    }
    let modes = std::os::unix::fs::PermissionsExt::from_mode(0o700);
    if let Some(text) = user {
        place("state/settings.json", text);
        std::fs::set_permissions(folder.path().join("state"), modes).unwrap();
    }
    if let Some(text) = project {
        place("shop/.swarm/settings.json", text);
    }
    Stage::again(Arc::new(folder), script).await
}

#[tokio::test]
async fn the_users_denial_refuses_unasked_and_says_which_rule() {
    let user = r#"{"permissions": {"deny": ["Write(secret.txt)"]}}"#;
    let script =
        lead([write("secret.txt"), reply([say("Ok.")]).expect("Not allowed").expect("Write(secret.txt)")]);
    let mut stage = with_settings(Some(user), None, script).await;
    stage.prompt("Go.").await;
    assert_eq!(stage.turn_end("team-lead").await, (TurnEnd::Completed, None));
    assert!(!stage.file("secret.txt").exists());
    stage.close().await;
}

#[tokio::test]
async fn a_projects_own_file_forbids_but_grants_nothing_before_it_is_trusted() {
    let project = r#"{"permissions": {"allow": ["Write(*)"], "deny": ["Write(b.txt)"]}}"#;
    let script = lead([write("a.txt"), write("b.txt"), reply([say("Ok.")]).expect("Not allowed")]);
    let mut stage = with_settings(None, Some(project), script).await;
    stage.prompt("Go.").await;
    assert_eq!(stage.question().await.tool_name, "ProjectRules");
    let request = stage.question().await;
    assert_eq!(request.description, "Create a.txt");
    stage.allow(&request).await;
    assert_eq!(stage.turn_end("team-lead").await, (TurnEnd::Completed, None));
    assert!(!stage.file("b.txt").exists());
    stage.close().await;
}

#[tokio::test]
async fn trusting_a_projects_file_holds_at_once_for_that_content_alone() {
    let project = r#"{"permissions": {"allow": ["Write(a.txt)", "Write(c.txt)"]}}"#;
    let script = lead([write("a.txt"), reply([say("Ok.")]), write("c.txt"), reply([say("Ok.")])]);
    let mut stage = with_settings(None, Some(project), script).await;
    stage.prompt("Go.").await;
    let trust = stage.question().await;
    assert!(trust.description.contains("would allow Write(a.txt), Write(c.txt)"), "{}", trust.description);
    assert_eq!(trust.input["allow"], json!(["Write(a.txt)", "Write(c.txt)"]));
    let edited =
        stage.resolve(&trust, |params| params.updated_input = Some(json!({"allow": ["Bash"]}))).await;
    assert!(edited.unwrap_err().to_string().contains("trusted as they stand"));
    // The call that waits is covered by the user's word.
    assert_eq!(stage.question().await.description, "Create a.txt");
    stage.allow(&trust).await;
    assert_eq!(stage.turn_end("team-lead").await, (TurnEnd::Completed, None));
    assert!(stage.file("a.txt").exists());

    // Another content is another question, and what the first allowed no longer holds.
    let wider = r#"{"permissions": {"allow": ["Write(c.txt)", "Bash(*)"]}}"#;
    std::fs::write(stage.file(".swarm/settings.json"), wider).unwrap();
    stage.prompt("Again.").await;
    let trust = stage.question().await;
    assert_eq!(trust.input["allow"], json!(["Write(c.txt)", "Bash(*)"]));
    let request = stage.question().await;
    assert_eq!(request.description, "Create c.txt");
    stage.resolve(&trust, |params| params.decision = DecisionName::Reject).await.unwrap();
    stage.resolve(&request, |params| params.decision = DecisionName::Reject).await.unwrap();
    assert_eq!(stage.turn_end("team-lead").await, (TurnEnd::Completed, None));
    let folder = Arc::clone(&stage.folder);
    stage.close().await;

    // What was declined is not asked about again.
    let second = Stage::again(folder, lead([])).await;
    second.transcript("team-lead").await;
    assert_eq!(second.leader.snapshot().permissions, []);
    second.close().await;
}

#[tokio::test]
async fn a_denial_that_the_user_writes_down_while_the_server_runs_holds() {
    let script = lead([write("a.txt"), reply([say("Ok.")]).expect("Not allowed")]);
    let mut stage = with_settings(Some("{}"), None, script).await;
    let settings = stage.folder.path().join("state/settings.json");
    std::fs::write(settings, r#"{"permissions": {"deny": ["Write(a.txt)"]}}"#).unwrap();
    stage.prompt("Go.").await;
    assert_eq!(stage.turn_end("team-lead").await, (TurnEnd::Completed, None));
    stage.close().await;
}

#[tokio::test]
async fn what_is_remembered_for_the_user_holds_after_a_restart() {
    let mut first = Stage::new(lead([write("a.txt"), reply([say("Ok.")])])).await;
    first.prompt("Go.").await;
    let request = first.question().await;
    let remember =
        RuleUpdate { rules: vec!["Write(*.txt)".into()], behavior: Behavior::Allow, scope: Scope::User };
    first.resolve(&request, |params| params.remember = Some(remember)).await.unwrap();
    assert_eq!(first.turn_end("team-lead").await, (TurnEnd::Completed, None));
    let folder = Arc::clone(&first.folder);
    first.close().await;

    // Another server's script numbers its calls anew, which no provider does.
    let input = json!({"path": "b.txt", "content": "x"});
    let call = ReplyPart::Call(Call { tool: "Write".into(), input, id: Some("second".into()) });
    let mut second = Stage::again(folder, lead([reply([call]), reply([say("Ok.")])])).await;
    second.prompt("Go.").await;
    assert_eq!(second.turn_end("team-lead").await, (TurnEnd::Completed, None));
    assert_eq!(std::fs::read(second.file("b.txt")).unwrap(), b"x");
    second.close().await;
}

#[tokio::test]
async fn settings_that_cannot_be_read_are_told() {
    let stage = {
        let mut stage = with_settings(None, Some("{{{"), lead([reply([say("Ok.")])])).await;
        stage.prompt("Go.").await;
        let warned = stage.next("warning", |event| match event {
            swarm_wire::lsp::Event::Warning { text } if text.contains("settings") => Some(text),
            _ => None,
        });
        assert!(warned.await.contains("settings.json"));
        stage
    };
    stage.leader.shutdown().await;
}
