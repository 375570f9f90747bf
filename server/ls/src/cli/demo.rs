//! `swarm-ls demo`: the whole system on a throwaway repository, with a scripted model in place of a real one.
//!
//! Everything but the model's words is real: the HTTP, the mailboxes, the confined commands, the questions.

mod board;
mod repo;
mod terminal;

use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context as _, anyhow, bail};
use swarm_agent::ports::NoEditor;
use swarm_leader::command::Prompt;
use swarm_leader::{Leader, Machine, Options, TeamEvent};
use swarm_script::{Script, ScriptServer};
use swarm_wire::lsp::{DecisionName, Event, PermissionResolveParams, TurnEnd};
use swarm_wire::permission::PermissionRequest;
use swarm_wire::settings::Settings;
use tokio::sync::broadcast;
use tokio::time::timeout;

use self::repo::Repo;
use self::terminal::{Choice, Terminal};
use crate::environment::Environment;
use crate::exit::{self, DRAIN, Exit, TEAM_END};
use crate::tasks::Tasks;
use crate::timeline::Timeline;

const PROMPT: &str = "The test in this repository fails. Have it mended.";
/// The teammates, in the order in which the script lets them end, so that the lead hears of one at a time.
const TEAMMATES: [&str; 3] = ["ada", "ben", "cleo"];

/// A leader and three teammates mend a small program with a failing test, in a throwaway repository.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Answer every question with yes.
    #[arg(long)]
    yes: bool,
    /// Keep the repository and the team's state, and say where they are.
    #[arg(long)]
    keep: bool,
    /// Write who of the team does what when into this file, for <https://ui.perfetto.dev>.
    #[arg(long, value_name = "FILE")]
    trace_out: Option<PathBuf>,
}

/// Runs the demo; an error says what went wrong or was not mended.
pub(crate) async fn run(arguments: Arguments, environment: &Environment) -> anyhow::Result<()> {
    if !arguments.yes && !std::io::stdin().is_terminal() {
        bail!("the demo asks questions and there is no terminal to ask them in: run it with `--yes`");
    }
    // A terminal that is closed, or a signal, must not leave the folder behind.
    let exit = Exit::new();
    exit::watch_signals(exit.clone());
    let mut terminal = Terminal::new(arguments.yes, environment.screen);
    let repo = Repo::new().await?;
    terminal.line(&format!("A small program with a failing test is in {}.", repo.path().display()));
    terminal.line(&format!("You: {PROMPT}\n"));

    let timeline = arguments.trace_out.as_deref().map(Timeline::create).transpose()?;
    let outcome = play(&repo, environment, timeline, &exit, &mut terminal).await;
    terminal.close();
    let mended = match outcome {
        Ok(()) => show_result(&repo, &mut terminal).await,
        Err(error) => Err(error),
    };
    if arguments.keep {
        terminal.line(&format!("\nKept: {}", repo.keep().display()));
    }
    mended
}

/// Runs the team to its end. Nothing of it runs any more when this returns.
async fn play(
    repo: &Repo,
    environment: &Environment,
    timeline: Option<Timeline>,
    exit: &Exit,
    terminal: &mut Terminal,
) -> anyhow::Result<()> {
    let script: Script =
        serde_json::from_str(include_str!("demo/script.json")).context("the demo's script")?;
    let model = ScriptServer::start(script).await.context("the scripted model")?;
    let leader = Leader::start(Options {
        root: repo.state(),
        workspace: Some(repo.path()),
        settings: Settings {
            base_url: Some(model.base_url()),
            api_key: Some(repo.key()),
            ..Settings::default()
        },
        // Nothing of the user's is touched.
        machine: Machine { caches: None, ..environment.machine() },
        editor: Arc::new(NoEditor),
        terminals: None,
        session: Default::default(),
    });
    let recording = Tasks::default();
    timeline.into_iter().for_each(|timeline| recording.spawn("timeline", timeline.follow(&leader)));
    let watched = tokio::select! {
        watched = watch(&leader, &model, terminal) => watched,
        _ = exit.begun() => Err(anyhow!("interrupted")),
    };
    // Only then is the folder its own again, to be removed.
    if timeout(TEAM_END, leader.shutdown()).await.is_err() {
        terminal.line("The team did not end in time.");
    }
    let _ = timeout(DRAIN, recording.ended()).await;
    watched?;
    if let Some(violation) = model.violations().first() {
        bail!("the model server refused a request: {violation:?}");
    }
    Ok(())
}

async fn watch(leader: &Leader, model: &ScriptServer, terminal: &mut Terminal) -> anyhow::Result<()> {
    let mut events = leader.events();
    leader.prompt(Prompt { text: PROMPT.to_owned(), ..Prompt::default() }).await?;
    let mut ends = TEAMMATES.iter();
    loop {
        let event = match events.recv().await {
            Ok(TeamEvent { event, .. }) => event,
            Err(broadcast::error::RecvError::Lagged(_)) => continue,
            Err(broadcast::error::RecvError::Closed) => bail!("the team ended before its work was done"),
        };
        terminal.show(&event);
        match event {
            Event::PermissionRequested { request } => answer(leader, *request, terminal).await?,
            Event::TurnEnded { member, reason: TurnEnd::Completed, .. } if member.is_lead() => {
                match ends.next() {
                    Some(teammate) => model.open(teammate),
                    None => return Ok(()),
                }
            }
            Event::TurnEnded { member, reason: TurnEnd::Failed, detail, .. } => {
                bail!("the turn of {} failed: {}", member.name, detail.unwrap_or_default());
            }
            Event::MemberEnded { member, reason: Some(reason), .. } => {
                bail!("{} ended: {reason}", member.name)
            }
            _ => {}
        }
    }
}

async fn answer(leader: &Leader, request: PermissionRequest, terminal: &mut Terminal) -> anyhow::Result<()> {
    let (decision, feedback, remember) = match terminal.ask(&request).await? {
        Choice::Allow => (DecisionName::Allow, None, None),
        Choice::Always => (DecisionName::Allow, None, request.permission_suggestions.first().cloned()),
        Choice::Reject(feedback) => (DecisionName::Reject, feedback, None),
    };
    let ids = vec![request.id];
    leader
        .resolve(PermissionResolveParams {
            ids,
            decision,
            updated_input: None,
            hunks: Vec::new(),
            feedback,
            remember,
        })
        .await?;
    Ok(())
}

/// What the team leaves behind, told by git and by the test itself.
async fn show_result(repo: &Repo, terminal: &mut Terminal) -> anyhow::Result<()> {
    // A new file is part of the difference, too.
    repo.git(&["add", "--intent-to-add", "."]).await?;
    terminal.line("\n$ git diff");
    terminal.diff(&repo.git(&["diff"]).await?);
    let (green, output) = repo.test().await?;
    terminal.line(&format!("\n$ sh test.sh\n{}", output.trim_end()));
    if green { Ok(()) } else { bail!("the test still fails") }
}
