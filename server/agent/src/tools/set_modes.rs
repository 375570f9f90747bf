//! SetModes: the leader's agent changes the modes of teammates; what widens one is a question to the user.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use swarm_guard::{Effect, Granted};
use swarm_wire::AgentId;
use swarm_wire::permission::Mode;

use super::ToolContext;
use super::mode_name::{ModeName, width};
use super::tool::{Preview, Tool, ToolError};
use crate::ports::Team;

pub(super) struct SetModes;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Input {
    modes: Vec<Change>,
}

#[derive(Deserialize, JsonSchema)]
struct Change {
    /// The teammate's name.
    member: String,
    mode: ModeName,
}

fn team(context: &ToolContext) -> Result<&dyn Team, ToolError> {
    context.team.as_deref().ok_or_else(|| ToolError::tell("Only the leader can change modes."))
}

#[async_trait]
impl Tool for SetModes {
    const NAME: &'static str = "SetModes";
    const DESCRIPTION: &'static str = include_str!("set_modes.md");
    type Input = Input;
    type Plan = Vec<(AgentId, Mode)>;

    async fn prepare(&self, input: Input, context: &ToolContext) -> Result<(Preview, Self::Plan), ToolError> {
        if input.modes.is_empty() {
            return Err(ToolError::tell("`modes` is empty; name at least one teammate and its mode."));
        }
        let now = team(context)?.modes().await.map_err(ToolError::tell)?;
        let mut changes = Vec::with_capacity(input.modes.len());
        let mut widest: Option<Mode> = None;
        for Change { member, mode } in input.modes {
            let teammates = || now.iter().filter(|(agent, _)| !agent.is_lead());
            let Some((agent, old)) = teammates().find(|(agent, _)| agent.is_called(&member)) else {
                let names: Vec<&str> = teammates().map(|(agent, _)| agent.name.as_str()).collect();
                let names = names.join(", ");
                return Err(ToolError::tell(format!("There is no teammate `{member}`. There are: {names}.")));
            };
            let mode = Mode::from(mode);
            if width(mode) > width(*old) && widest.is_none_or(|widest| width(mode) > width(widest)) {
                widest = Some(mode);
            }
            changes.push((agent.clone(), mode));
        }
        let texts: Vec<String> =
            changes.iter().map(|(agent, mode)| format!("{} to {mode:?}", agent.name)).collect();
        let preview = Preview {
            effect: widest.map_or(Effect::Team, |mode| Effect::Widens { mode }),
            description: format!("Set the mode of {}", texts.join(", ")),
            keys: changes.iter().map(|(agent, _)| agent.name.to_string()).collect(),
            change: None,
        };
        Ok((preview, changes))
    }

    async fn run(&self, call: Granted<Self::Plan>, context: &ToolContext) -> Result<String, ToolError> {
        team(context)?.set_modes(call.into_inner()).await.map_err(ToolError::tell)
    }
}
