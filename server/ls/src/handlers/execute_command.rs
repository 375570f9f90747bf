//! `workspace/executeCommand`: the command table. A command takes one argument, mostly an object, and answers
//! at once.

mod converse;
mod decide;
mod draft;
mod look;
mod plan;

use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use swarm_wire::lsp::{MemberParams, PromptParams};

use crate::error::{Problem, parse};
use crate::handlers::{conversation, interrupt, prompt, teammate};
use crate::lsp::types::ExecuteCommandParams;
use crate::session::Session;

/// The commands that clients may execute.
pub(crate) const COMMANDS: &[&str] = &[
    "swarm.open",
    "swarm.send",
    "swarm.prompt",
    "swarm.interrupt",
    "swarm.pending",
    "swarm.status",
    "swarm.diff",
    "swarm.permission.allow",
    "swarm.permission.allowAlways",
    "swarm.permission.edit",
    "swarm.permission.reject",
    "swarm.conversation.new",
    "swarm.conversation.list",
    "swarm.conversation.open",
    "swarm.conversation.compact",
    "swarm.teammate.spawn",
    "swarm.teammate.stop",
    "swarm.plan.approve",
    "swarm.plan.reject",
];

pub(crate) async fn execute_command(
    session: Arc<Session>,
    params: ExecuteCommandParams,
) -> Result<Value, Problem> {
    let argument = params.arguments.into_iter().next();
    match params.command.as_str() {
        "swarm.open" => converse::open(&session, object(argument, "member")?).await,
        "swarm.send" => json(converse::send(session, object(argument, "uri")?).await?),
        "swarm.prompt" => {
            let params: PromptParams = object(argument, "text")?;
            json(prompt::prompt(session, params).await?)
        }
        "swarm.interrupt" => {
            let params: MemberParams = object(argument, "member")?;
            json(interrupt::interrupt(session, params).await?)
        }
        "swarm.pending" => look::pending(&session),
        "swarm.status" => look::status(&session),
        "swarm.diff" => look::diff(&session, object(argument, "id")?),
        "swarm.permission.allow" => decide::allow(session, object(argument, "id")?).await,
        "swarm.permission.allowAlways" => decide::allow_always(session, object(argument, "id")?).await,
        "swarm.permission.edit" => decide::edit(session, object(argument, "id")?).await,
        "swarm.permission.reject" => decide::reject(session, object(argument, "id")?).await,
        "swarm.conversation.new" => json(conversation::new(session, object(argument, "member")?).await?),
        "swarm.conversation.list" => look::conversations(&session, object(argument, "member")?).await,
        "swarm.conversation.open" => json(conversation::open(session, object(argument, "id")?).await?),
        "swarm.conversation.compact" => {
            json(conversation::compact(session, object(argument, "member")?).await?)
        }
        "swarm.teammate.spawn" => json(teammate::spawn(session, object(argument, "prompt")?).await?),
        "swarm.teammate.stop" => json(teammate::stop(session, object(argument, "member")?).await?),
        "swarm.plan.approve" => plan::approve(session, object(argument, "id")?).await,
        "swarm.plan.reject" => plan::reject(session, object(argument, "id")?).await,
        other => {
            Err(Problem::field("command", format!("no command `{other}`; there are {}", COMMANDS.join(", "))))
        }
    }
}

/// Reads a command's argument. A plain text stands for the field that one would write by hand.
fn object<T: DeserializeOwned>(argument: Option<Value>, field: &'static str) -> Result<T, Problem> {
    let argument = match argument {
        Some(Value::String(text)) => json!({ field: text }),
        Some(Value::Null) | None => json!({}),
        Some(other) => other,
    };
    parse(argument).map_err(|problem| problem.within("arguments[0]"))
}

fn json(result: impl serde::Serialize) -> Result<Value, Problem> {
    serde_json::to_value(result).map_err(|error| Problem::failed(error.to_string()))
}
