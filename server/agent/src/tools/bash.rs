//! Bash: a confined command, ended with everything that it started.

use std::path::PathBuf;
use std::time::Duration;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use swarm_guard::exec::{self, Exit, Finished, Output, Overflow};
use swarm_guard::proxy::Visit;
use swarm_guard::{Effect, Granted, without_passwords};

use super::ToolContext;
use super::tool::{Preview, Tool, ToolError};
use crate::clock::turn_id;

const TIMEOUT_DEFAULT: u64 = 120;
const TIMEOUT_MAX: u64 = 600;
/// How much of a command's output the model is given, in bytes.
const OUTPUT_MAX: usize = 60_000;
/// The same with what is said of how the command ended.
pub(super) const PRINTED_MAX: usize = OUTPUT_MAX + 10_000;
/// How much of it is kept in a file, in bytes.
const OVERFLOW_MAX: u64 = 64 * 1024 * 1024;

pub(super) struct Bash;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Input {
    /// The command, as bash takes it.
    command: String,
    /// Seconds until it is ended; 120 by default, 600 at most.
    timeout: Option<u64>,
    /// Start it and go on; BashJobs tells what became of it. It has no timeout.
    #[serde(default)]
    background: bool,
}

pub(super) struct Plan {
    command: String,
    /// `None` in the background.
    timeout: Option<Duration>,
}

#[async_trait]
impl Tool for Bash {
    const NAME: &'static str = "Bash";
    const DESCRIPTION: &'static str = include_str!("bash.md");
    const RESULT_MAX: usize = PRINTED_MAX;
    type Input = Input;
    type Plan = Plan;

    async fn prepare(&self, input: Input, _context: &ToolContext) -> Result<(Preview, Plan), ToolError> {
        let Input { command, timeout, background } = input;
        if command.trim().is_empty() {
            return Err(ToolError::tell("`command` is empty."));
        }
        if command.contains('\0') {
            return Err(ToolError::tell("`command` has a NUL, which no command can have."));
        }
        let seconds = timeout.unwrap_or(TIMEOUT_DEFAULT);
        if !(1..=TIMEOUT_MAX).contains(&seconds) {
            return Err(ToolError::tell(format!(
                "`timeout` is {seconds}; it takes 1 to {TIMEOUT_MAX} seconds."
            )));
        }
        let preview = Preview {
            effect: Effect::Runs { command: command.clone() },
            description: format!(
                "Run {}{}",
                one_line(&command),
                if background { " in the background" } else { "" }
            ),
            keys: vec![command.clone()],
            change: None,
        };
        Ok((preview, Plan { command, timeout: (!background).then(|| Duration::from_secs(seconds)) }))
    }

    async fn run(&self, call: Granted<Plan>, context: &ToolContext) -> Result<String, ToolError> {
        let sight = context.sight();
        let sees_secrets = call.sees_secrets();
        let sight = if sees_secrets { sight.with_secrets() } else { sight };
        let Plan { command, timeout } = call.into_inner();
        if timeout.is_none() && !context.jobs.has_room() {
            return Err(ToolError::tell(
                "There are too many background commands; read or end some with BashJobs.",
            ));
        }
        context.shell.ready().await;
        let policy = context.shell.policy_for(sight).await;
        let mut order = exec::Command::bash(command.clone(), policy);
        order.cwd = context.cwd.clone();
        order.env = context.shell.env.clone();
        order.helper = context.shell.helper.clone();
        order.proxy = context.shell.proxy.clone();
        order.timeout = timeout;
        order.output_cap = OUTPUT_MAX;
        let file = context.outputs.join(format!("{}.txt", turn_id().as_str().replacen("turn", "bash", 1)));
        order.overflow = Some(Overflow { file, max_bytes: OVERFLOW_MAX });
        let mut running = exec::spawn(order).await.map_err(|error| ToolError::tell(error.to_string()))?;
        if timeout.is_none() {
            let job = context.jobs.add(command, running);
            return Ok(format!("It runs in the background as job {job}."));
        }
        let finished = tokio::select! {
            finished = running.wait() => finished,
            () = context.turn.cancelled() => {
                running.kill();
                // The whole tree is gone before the turn goes on.
                let _ = running.wait().await;
                return Err(ToolError::Aborted);
            }
        };
        let Finished { exit, output, visits } =
            finished.map_err(|error| ToolError::tell(error.to_string()))?;
        let mut text = printed(&output);
        if !sees_secrets {
            text = without_passwords(&text).into_owned();
        }
        let how = how_it_ended(exit);
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(&how);
        text.push_str(&refused_hosts(&visits));
        text.push_str(&unsaved_note(context.files.still_unsaved().await));
        match exit {
            Exit::Code(0) => Ok(text),
            _ => Err(ToolError::tell(text)),
        }
    }
}

/// How a command ended, behind what it printed.
pub(super) fn how_it_ended(exit: Exit) -> String {
    match exit {
        Exit::Code(code) => format!("[exit code {code}]"),
        Exit::Signal(signal) => format!("[ended by signal {signal}]"),
        Exit::TimedOut => "[ended when its time was up]".to_owned(),
        Exit::Interrupted | Exit::Killed => "[ended from outside]".to_owned(),
        Exit::Tampered => {
            "[ended: it made a file in a repository that would have git, outside, read another configuration]"
                .to_owned()
        }
    }
}

/// What the command printed; where it is too much, its beginning and its end.
pub(super) fn printed(output: &Output) -> String {
    if output.omitted == 0 {
        return output.head.clone();
    }
    let whole = match (&output.file, &output.file_error) {
        (Some(file), _) => format!("; Read {} for the whole", file.display()),
        (None, Some(error)) => format!("; the whole could not be kept: {error}"),
        (None, None) => String::new(),
    };
    format!("{}\n[… {} bytes left out{whole} …]\n{}", output.head, output.omitted, output.tail)
}

/// The first line, for a person's eye; the whole command is in the request's input.
fn one_line(command: &str) -> String {
    let mut lines = command.trim().lines();
    let first = lines.next().unwrap_or_default();
    let more = if lines.next().is_some() { " …" } else { "" };
    format!("`{}{more}`", first.replace(|c: char| c.is_control(), " "))
}

fn refused_hosts(visits: &[Visit]) -> String {
    let refused: Vec<String> = visits
        .iter()
        .filter(|visit| !visit.allowed)
        .map(|visit| format!("{}:{}", visit.host, visit.port))
        .collect();
    match refused.is_empty() {
        true => String::new(),
        false => format!("\n[Not let through by the user: {}]", refused.join(", ")),
    }
}

fn unsaved_note(unsaved: Vec<PathBuf>) -> String {
    if unsaved.is_empty() {
        return String::new();
    }
    let names: Vec<String> = unsaved.iter().map(|path| path.display().to_string()).collect();
    format!("\n[Not saved in the user's editor, so the command saw their old text: {}]", names.join(", "))
}
