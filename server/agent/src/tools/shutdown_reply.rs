//! ShutdownReply: a teammate agrees to end, or refuses with a reason.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use swarm_guard::{Effect, Granted};
use swarm_wire::{AgentId, RequestId};

use super::ToolContext;
use super::tool::{Preview, Tool, ToolError};

pub(super) struct ShutdownReply;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Input {
    /// As it stands in the request.
    request_id: String,
    /// Whether you end now.
    approve: bool,
    /// Why you go on; needed when you refuse.
    reason: Option<String>,
}

#[async_trait]
impl Tool for ShutdownReply {
    const NAME: &'static str = "ShutdownReply";
    const DESCRIPTION: &'static str = include_str!("shutdown_reply.md");
    type Input = Input;
    type Plan = Input;

    async fn prepare(&self, input: Input, context: &ToolContext) -> Result<(Preview, Input), ToolError> {
        if !context.ending.was_asked(&RequestId::new(&*input.request_id)) {
            return Err(ToolError::tell(format!(
                "Nobody asked you to end with the id `{}`.",
                input.request_id
            )));
        }
        if !input.approve && input.reason.as_ref().is_none_or(|reason| reason.trim().is_empty()) {
            return Err(ToolError::tell("A refusal needs a `reason`."));
        }
        let verb = if input.approve { "Agree" } else { "Refuse" };
        let description = format!("{verb} to end");
        Ok((Preview { effect: Effect::Team, description, keys: Vec::new(), change: None }, input))
    }

    async fn run(&self, call: Granted<Input>, context: &ToolContext) -> Result<String, ToolError> {
        let Input { request_id, approve, reason } = call.into_inner();
        let lead = AgentId::lead_of(context.agent.team.clone());
        let answer = (RequestId::new(request_id), approve, reason);
        let answered = context.ending.answer(&context.post, &lead, answer).await;
        answered.map_err(|error| ToolError::tell(error.to_string()))?;
        Ok(if approve { "You end now." } else { "You go on; they are told why." }.to_owned())
    }
}
