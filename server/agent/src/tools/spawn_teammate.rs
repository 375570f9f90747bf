//! SpawnTeammate: the leader's agent asks for another member.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use swarm_guard::{Effect, Granted};
use swarm_wire::MemberName;
use swarm_wire::permission::Mode;
use swarm_wire::settings::{BackendChoice, Effort};

use super::ToolContext;
use super::mode_name::{ModeName, width};
use super::tool::{Preview, Tool, ToolError};
use crate::ports::{SpawnRequest, Team};

pub(super) struct SpawnTeammate;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Input {
    /// 1 to 64 of A-Z a-z 0-9 . _ -; a taken one gets a number.
    name: String,
    /// The teammate's task, with everything that it must know.
    prompt: String,
    /// Another model than yours.
    model: Option<String>,
    /// How hard it thinks; the user's choice unless you name one.
    effort: Option<EffortName>,
    /// The kind of teammate, where there are kinds: how it works, which tools and which mode it has.
    agent_type: Option<String>,
    /// How much it may do unasked; the user is asked when you name a wider one than `default`.
    mode: Option<ModeName>,
    /// Where it runs, only when the user said so: in-process, hidden, tmux, iterm2, editor-terminal or auto.
    backend: Option<String>,
    /// Give it a git branch and a worktree of its own, made from the last commit, so that it changes files beside others
    /// who change the same ones. It does not see what is not committed; its work stays on its branch until you merge it.
    #[serde(default)]
    worktree: bool,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum EffortName {
    Low,
    Medium,
    High,
    Xhigh,
    Max,
}

impl From<EffortName> for Effort {
    fn from(name: EffortName) -> Self {
        match name {
            EffortName::Low => Self::Low,
            EffortName::Medium => Self::Medium,
            EffortName::High => Self::High,
            EffortName::Xhigh => Self::XHigh,
            EffortName::Max => Self::Max,
        }
    }
}

fn team(context: &ToolContext) -> Result<&dyn Team, ToolError> {
    context.team.as_deref().ok_or_else(|| ToolError::tell("Only the leader can start teammates."))
}

pub(super) struct Plan {
    request: SpawnRequest,
}

#[async_trait]
impl Tool for SpawnTeammate {
    const NAME: &'static str = "SpawnTeammate";
    const DESCRIPTION: &'static str = include_str!("spawn_teammate.md");
    type Input = Input;
    type Plan = Plan;

    async fn prepare(&self, input: Input, context: &ToolContext) -> Result<(Preview, Plan), ToolError> {
        let name =
            MemberName::for_teammate(&input.name).map_err(|error| ToolError::tell(error.to_string()))?;
        if input.prompt.trim().is_empty() {
            return Err(ToolError::tell("`prompt` is empty; a teammate needs a task."));
        }
        let backend: Option<BackendChoice> =
            input.backend.as_deref().map(str::parse).transpose().map_err(ToolError::tell)?;
        let of_type = match &input.agent_type {
            Some(kind) => team(context)?.mode_of_type(kind).await.map_err(ToolError::tell)?,
            None => None,
        };
        let mode = input.mode.map(Mode::from).or(of_type).unwrap_or_default();
        let is_wide = width(mode) > width(Mode::Default);
        let effect = if is_wide { Effect::Widens { mode } } else { Effect::Team };
        let preview = Preview {
            effect,
            description: match (&input.agent_type, is_wide) {
                (Some(kind), false) => format!("Start teammate {name}, a {kind}"),
                (Some(kind), true) => format!("Start teammate {name}, a {kind}, with the mode {mode:?}"),
                (None, _) => format!("Start teammate {name}"),
            },
            keys: vec![name.to_string()],
            change: None,
        };
        let request = SpawnRequest {
            name,
            prompt: input.prompt,
            model: input.model,
            effort: input.effort.map(Effort::from),
            mode: Some(mode),
            agent_type: input.agent_type,
            backend,
            worktree: input.worktree,
        };
        Ok((preview, Plan { request }))
    }

    async fn run(&self, call: Granted<Plan>, context: &ToolContext) -> Result<String, ToolError> {
        let id = team(context)?.spawn(call.into_inner().request).await.map_err(ToolError::tell)?;
        Ok(format!("{id} works on it now, as `{}`. You will hear from it; end your turn.", id.name))
    }
}
