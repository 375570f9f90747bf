//! SendMessage: free text into another member's mailbox.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use swarm_guard::{Effect, Granted};

use super::ToolContext;
use super::tool::{Preview, Tool, ToolError};
use crate::event::Report;
use crate::post::Letter;

pub(super) struct SendMessage;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Input {
    /// A member's name, or `*` for everybody else.
    to: String,
    /// The message.
    text: String,
    /// A few words on what it is about.
    summary: Option<String>,
}

#[async_trait]
impl Tool for SendMessage {
    const NAME: &'static str = "SendMessage";
    const DESCRIPTION: &'static str = include_str!("send_message.md");
    type Input = Input;
    type Plan = Input;

    async fn prepare(&self, input: Input, _context: &ToolContext) -> Result<(Preview, Input), ToolError> {
        if input.text.trim().is_empty() {
            return Err(ToolError::tell("`text` is empty; a message needs words."));
        }
        let preview = Preview {
            effect: Effect::Team,
            description: format!("Message {}", input.to),
            keys: vec![input.to.clone()],
            change: None,
        };
        Ok((preview, input))
    }

    async fn run(&self, call: Granted<Input>, context: &ToolContext) -> Result<String, ToolError> {
        let Input { to, text, summary } = call.into_inner();
        let letter = Letter { text: text.clone(), summary: summary.clone() };
        let reached =
            context.post.send_text(&to, letter).await.map_err(|error| ToolError::tell(error.to_string()))?;
        let names: Vec<String> = reached.iter().map(|(to, _)| to.name.to_string()).collect();
        for (to, id) in reached {
            context
                .reporter
                .send(Report::Sent { to, id, summary: summary.clone(), text: text.clone() })
                .await;
        }
        Ok(format!("Sent to {}.", names.join(", ")))
    }
}
