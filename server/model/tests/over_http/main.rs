//! The client against the scripted server, over real HTTP, in every wire format.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

/// Makes of each function a test for every wire format.
macro_rules! in_each_format {
    ($($name:ident)*) => {$(
        mod $name {
            use swarm_model::Format;

            #[tokio::test]
            async fn messages() {
                super::$name(Format::Messages).await;
            }

            #[tokio::test]
            async fn responses() {
                super::$name(Format::Responses).await;
            }

            #[tokio::test]
            async fn chat_completions() {
                super::$name(Format::ChatCompletions).await;
            }
        }
    )*};
}

mod broken_streams;
mod calls;
mod certificates;
mod damage;
mod limits;
mod refusals;

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use swarm_model::{
    ApiKey, CallError, Client, Config, Delta, Format, Message, Reply, Request, ToolSpec, UserPart,
};
use swarm_script::{Script, ScriptServer, Step};
use tokio_util::sync::CancellationToken;

const KEY: &str = "sk-secret-0123456789";

/// A server that plays `steps` to whoever comes.
async fn playing(steps: impl IntoIterator<Item = Step>) -> ScriptServer {
    ScriptServer::start(Script::new().agent("*", steps)).await.unwrap()
}

/// Patient enough for any test, quick to try again.
fn config(format: Format, base_url: String) -> Config {
    let mut config = Config::new(base_url, Some(ApiKey::new(KEY)));
    config.format = format;
    config.attempts = 3;
    config.backoff = Duration::from_millis(1);
    config
}

fn client(format: Format, server: &ScriptServer) -> Client {
    Client::new(config(format, server.base_url()))
}

fn request() -> Request {
    let tool = |name: &str| ToolSpec {
        name: name.into(),
        description: format!("Does {name}."),
        input_schema: json!({"type": "object"}),
    };
    Request {
        model: "test-model".into(),
        system: "Your agent id is ada@test.".into(),
        tools: Arc::from([tool("Read"), tool("Edit")]),
        messages: vec![user("Go.")],
        max_tokens: 1000,
        effort: None,
    }
}

fn user(text: &str) -> Message {
    Message::User(vec![UserPart::Text(text.into())])
}

/// A call that nobody cancels, with everything it told on the way.
async fn complete(client: &Client, request: &Request) -> (Result<Reply, CallError>, Vec<Delta>) {
    let mut deltas = Vec::new();
    let outcome = client.complete(request, &mut |delta| deltas.push(delta), &CancellationToken::new()).await;
    (outcome, deltas)
}

/// The text that a reader of the deltas has in front of them at the end.
fn shown(deltas: &[Delta]) -> String {
    let mut shown = String::new();
    for delta in deltas {
        match delta {
            Delta::Text(text) => shown.push_str(text),
            Delta::Restarted { discarded_text, .. } => {
                assert_eq!(&shown, discarded_text, "what is void is what was shown");
                shown.clear();
            }
            Delta::Waiting { .. } | Delta::Resumed | Delta::EffortRefused { .. } => {}
        }
    }
    shown
}

fn restarts(deltas: &[Delta]) -> usize {
    deltas.iter().filter(|delta| matches!(delta, Delta::Restarted { .. })).count()
}
