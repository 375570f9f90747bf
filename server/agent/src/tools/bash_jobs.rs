//! BashJobs: a member's background commands, listed, read and ended.

use std::time::Duration;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use swarm_guard::{Effect, Granted};

use super::ToolContext;
use super::bash::{PRINTED_MAX, how_it_ended, printed};
use super::tool::{Preview, Tool, ToolError};
use crate::jobs::State;

/// How long a command that has shown nothing yet is waited for.
const SETTLE: Duration = Duration::from_millis(200);

pub(super) struct BashJobs;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Input {
    /// The number of a background command.
    job: Option<u32>,
    /// End it.
    #[serde(default)]
    end: bool,
}

#[async_trait]
impl Tool for BashJobs {
    const NAME: &'static str = "BashJobs";
    const DESCRIPTION: &'static str = include_str!("bash_jobs.md");
    const RESULT_MAX: usize = PRINTED_MAX;
    type Input = Input;
    type Plan = Input;

    async fn prepare(&self, input: Input, _context: &ToolContext) -> Result<(Preview, Input), ToolError> {
        let description = match (input.job, input.end) {
            (None, true) => return Err(ToolError::tell("`end` needs the number of a `job`.")),
            (None, false) => "List background commands".to_owned(),
            (Some(job), false) => format!("Read background command {job}"),
            (Some(job), true) => format!("End background command {job}"),
        };
        Ok((Preview { effect: Effect::Team, description, keys: Vec::new(), change: None }, input))
    }

    async fn run(&self, call: Granted<Input>, context: &ToolContext) -> Result<String, ToolError> {
        let Input { job, end } = call.into_inner();
        let Some(number) = job else { return Ok(list(context)) };
        let nobody =
            || ToolError::tell(format!("There is no background command {number}. {}", list(context)));
        let mut job = context.jobs.get(number).ok_or_else(nobody)?;
        if end {
            job.end().await;
        }
        if job.output.borrow().total == 0 {
            // What was printed a moment ago is not shown yet.
            let _ = tokio::time::timeout(SETTLE, job.output.changed()).await;
        }
        let state = job.state.borrow().clone();
        let mut text = printed(&job.output.borrow());
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(&told(&state));
        if state != State::Running {
            context.jobs.forget(number);
        }
        Ok(text)
    }
}

fn list(context: &ToolContext) -> String {
    let jobs = context.jobs.list();
    if jobs.is_empty() {
        return "There are no background commands.".to_owned();
    }
    let line = |(number, job): &(u32, crate::jobs::Job)| {
        format!("{number}: {} {}", job.command.lines().next().unwrap_or_default(), told(&job.state.borrow()))
    };
    jobs.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn told(state: &State) -> String {
    match state {
        State::Running => "[still running]".to_owned(),
        State::Ended(exit) => how_it_ended(*exit),
        State::Lost(why) => format!("[its result was lost: {why}]"),
    }
}
