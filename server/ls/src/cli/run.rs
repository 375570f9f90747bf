//! `swarm-ls run PROMPT`: one piece of work for the team, without an editor.
//!
//! The leader's words go to stdout, everything else to stderr. Nobody is there to be asked, so what would ask is
//! refused at once. Nothing of the team runs any more when this returns.

mod output;
mod progress;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context as _, anyhow, bail};
use swarm_agent::ports::NoEditor;
use swarm_guard::{Rule, RuleError};
use swarm_leader::command::Prompt;
use swarm_leader::{Leader, Options, PROJECT_RULES, Session, TeamEvent};
use swarm_store::Root;
use swarm_wire::lsp::{
    DecisionName, Event, PermissionResolveParams, PlanRequest, PlanResolveParams, TranscriptParams,
    TranscriptResult, TurnEnd,
};
use swarm_wire::permission::{Behavior, Mode, PermissionRequest, RuleUpdate, Scope};
use swarm_wire::settings::{Effort, Provider, Settings};
use swarm_wire::transcript::Entry;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{broadcast, mpsc};
use tokio::task::JoinSet;
use tokio::time::timeout;

use self::output::Output;
use self::progress::Progress;
use crate::environment::{self, Environment};
use crate::exit::{self, DRAIN, Ending, Exit, TEAM_END};
use crate::tasks::Tasks;
use crate::timeline::Timeline;
use crate::words;

/// What the model is told of a call that would have asked.
const NOBODY: &str = "nobody is here to answer: this run has no user interface. Go on without it, or say what \
                      would have to be allowed";
/// The exit code of a run that ended, but was refused something on its way.
const BLOCKED: u8 = 2;

/// Have the team of the current folder do one piece of work, without an editor.
///
/// Exit code: 0 when it is done; 1 when it failed; 2 when it ended but was refused something that only a person
/// could have allowed.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// What is to be done.
    prompt: String,
    /// Print every event of the team, one JSON object a line, as `swarm/event` sends it.
    #[arg(long)]
    json: bool,
    /// The model; else the provider's default.
    #[arg(long)]
    model: Option<String>,
    /// How hard models think: low, medium, high, xhigh or max, as far as the model has it; else the provider's own.
    #[arg(long, value_parser = super::named::<Effort>)]
    effort: Option<Effort>,
    /// What the model's server speaks: anthropic, openai-responses or openai-chat; else told by the environment.
    #[arg(long, value_parser = super::named::<Provider>)]
    provider: Option<Provider>,
    /// The mode of the leader's agent, for this run only: default, acceptEdits, plan, dontAsk or bypassPermissions.
    #[arg(long, value_parser = super::named::<Mode>)]
    mode: Option<Mode>,
    /// A rule that allows, such as `Bash(cargo test)`, for every member and this run only. Can be given often.
    #[arg(long, value_name = "RULE", value_parser = rule)]
    allow: Vec<String>,
    /// A rule that forbids, whatever else allows; as `--allow`.
    #[arg(long, value_name = "RULE", value_parser = rule)]
    deny: Vec<String>,
    /// Write who of the team does what when into this file, for <https://ui.perfetto.dev>.
    #[arg(long, value_name = "FILE")]
    trace_out: Option<PathBuf>,
}

impl Arguments {
    fn session(&self) -> Session {
        let lists = [(Behavior::Deny, &self.deny), (Behavior::Allow, &self.allow)];
        let rules = lists
            .into_iter()
            .filter(|(_, rules)| !rules.is_empty())
            .map(|(behavior, rules)| RuleUpdate { rules: rules.clone(), behavior, scope: Scope::Session });
        Session { mode: self.mode, rules: rules.collect() }
    }
}

/// The text of a rule, once it is one.
fn rule(text: &str) -> Result<String, RuleError> {
    text.parse::<Rule>().map(|_| text.to_owned())
}

/// Runs the prompt to its end; an error says why it failed.
pub(crate) async fn run(arguments: Arguments, environment: &Environment) -> anyhow::Result<ExitCode> {
    let exit = Exit::new();
    exit::watch_signals(exit.clone());
    output::watch(exit.clone());
    let root = Root::from_env().context("no state directory")?;
    root.prepare().context("the state directory cannot be used")?;
    let workspace: PathBuf = environment::directory().context("the current folder")?;
    let settings = Settings {
        model: arguments.model.clone(),
        effort: arguments.effort,
        provider: arguments.provider,
        ..Settings::default()
    };
    let timeline = arguments.trace_out.as_deref().map(Timeline::create).transpose()?;
    let leader = Leader::start(Options {
        root: root.path().to_owned(),
        workspace: Some(workspace),
        settings: environment.complete(settings),
        machine: environment.machine(),
        editor: Arc::new(NoEditor),
        terminals: None,
        session: arguments.session(),
    });
    let recording = Tasks::default();
    timeline.into_iter().for_each(|timeline| recording.spawn("timeline", timeline.follow(&leader)));
    for notice in leader.notices() {
        eprintln!("swarm-ls: {notice}");
    }
    let outcome = tokio::select! {
        outcome = work(&leader, &root, arguments) => outcome,
        ending = exit.begun() => Err(match ending {
            Ending::Closed => anyhow!("nobody reads the output any more"),
            _ => anyhow!("interrupted"),
        }),
    };
    if timeout(TEAM_END, leader.shutdown()).await.is_err() {
        eprintln!("swarm-ls: the team did not end in time");
    }
    let _ = timeout(DRAIN, recording.ended()).await;
    outcome
}

async fn work(leader: &Leader, root: &Root, arguments: Arguments) -> anyhow::Result<ExitCode> {
    let mut output = Output::new(arguments.json);
    let (queue, mut events) = mpsc::unbounded_channel();
    let mut follower = JoinSet::new();
    follower.spawn(follow(leader.events(), queue));
    // What was heard before this run settles nothing of it.
    let (_, start) = history(leader, 0).await?;
    let prompt = Prompt { text: arguments.prompt, ..Prompt::default() };
    let mut progress = Progress::new(leader.prompt(prompt).await?.turn_id);
    let mut refused = false;
    while let Some(event) = events.recv().await {
        let Ok(event) = event else { bail!("more happened at once than could be followed") };
        output.show(&event)?;
        progress.take(&event.event);
        if let Event::PlanRequested { plan } = &event.event {
            refused = true;
            refuse_plan(leader, plan).await?;
        }
        if let Event::PermissionRequested { request } = event.event
            // Nobody waits for that one, and a project's rules grant nothing without it.
            && request.tool_name != PROJECT_RULES
        {
            refused = true;
            refuse(leader, *request).await?;
        }
        if !events.is_empty() || !progress.is_done() {
            continue;
        }
        let quiet = nothing_waits(leader, root, &progress).await?;
        let (heard, _) = history(leader, start).await?;
        if quiet && progress.all_heard(&heard) && events.is_empty() {
            break;
        }
    }
    match progress.lead_end() {
        Some((TurnEnd::Completed, _)) if refused => Ok(ExitCode::from(BLOCKED)),
        Some((TurnEnd::Completed, _)) => Ok(ExitCode::SUCCESS),
        Some((_, detail)) => bail!("the leader's turn failed: {}", detail.unwrap_or("it was interrupted")),
        None => bail!("the team ended before its work was done"),
    }
}

/// Hands events on, so that a slow reader of the output misses none; the last may say that some were missed.
async fn follow(
    mut events: broadcast::Receiver<TeamEvent>,
    queue: mpsc::UnboundedSender<Result<TeamEvent, RecvError>>,
) {
    loop {
        let event = events.recv().await;
        let is_last = event.is_err();
        if matches!(event, Err(RecvError::Closed)) || queue.send(event).is_err() || is_last {
            return;
        }
    }
}

async fn refuse_plan(leader: &Leader, plan: &PlanRequest) -> anyhow::Result<()> {
    eprintln!("swarm-ls: refused, since nobody can answer: {}", words::plan_wish(plan));
    let feedback = Some(NOBODY.to_owned());
    let params = PlanResolveParams { id: plan.id.clone(), approve: false, feedback, mode: None, team: None };
    leader.resolve_plan(params).await?;
    Ok(())
}

async fn refuse(leader: &Leader, request: PermissionRequest) -> anyhow::Result<()> {
    eprintln!("swarm-ls: refused, since nobody can answer: {}: {}", request.worker_name, request.description);
    let params = PermissionResolveParams {
        ids: vec![request.id],
        decision: DecisionName::Reject,
        updated_input: None,
        hunks: Vec::new(),
        feedback: Some(NOBODY.to_owned()),
        remember: None,
    };
    leader.resolve(params).await?;
    Ok(())
}

/// The history of the leader's agent behind `after`, and where it ends now.
async fn history(leader: &Leader, after: u64) -> anyhow::Result<(Vec<Entry>, u64)> {
    let (mut all, mut after) = (Vec::new(), after);
    loop {
        let params = TranscriptParams { after: Some(after), ..TranscriptParams::default() };
        let TranscriptResult { entries, next } = leader.transcript(params).await?;
        if entries.is_empty() {
            return Ok((all, after));
        }
        all.extend(entries);
        after = next;
    }
}

/// Whether no member works and no mail waits for one.
async fn nothing_waits(leader: &Leader, root: &Root, progress: &Progress) -> anyhow::Result<bool> {
    let state = leader.snapshot();
    let members = state.members.iter().filter(|member| !member.asleep && !member.state.has_ended());
    let mailboxes: Vec<_> = members.map(|member| root.team(&member.team).mailbox(&member.agent_id)).collect();
    let unread = tokio::task::spawn_blocking(move || {
        mailboxes.iter().map(|mailbox| Ok(mailbox.reader().unread()?.mail.len())).sum()
    });
    let unread: Result<usize, swarm_store::Error> = unread.await?;
    // Mail leaves its box after the start of its turn was reported, and the hub takes reports before it answers:
    // whoever took mail by now is seen to work once this is answered.
    leader.transcript(TranscriptParams { limit: Some(1), ..TranscriptParams::default() }).await?;
    Ok(unread? == 0 && progress.all_rest(&leader.snapshot()))
}
