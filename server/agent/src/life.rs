//! A member's life: turn → idle → next, until it is cancelled. The same for the leader's agent and a teammate.

use std::collections::HashSet;
use std::convert::Infallible;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use swarm_guard::Bounds;
use swarm_guard::exec::Network;
use swarm_guard::proxy::Proxy;
use swarm_store::{Conversations, Transcript};
use swarm_wire::lsp::TurnEnd;
use swarm_wire::mail::{CompletedStatus, IdleNotification, IdleReason, Protocol};
use swarm_wire::permission::Mode;
use swarm_wire::transcript::Entry;
use swarm_wire::{AgentId, TurnId};
use tokio::sync::{OnceCell, mpsc, watch};
use tokio_util::sync::CancellationToken;

use crate::before_change::BeforeChange;
use crate::chatter::Chatter;
use crate::choice::ModelChoice;
use crate::clock::turn_id;
use crate::context::{History, PLANNING, system_text};
use crate::conversation::{self, ConversationError, Wish};
use crate::event::{Report, Reporter};
use crate::files::Files;
use crate::gate::Gate;
use crate::hosts::HostAsker;
use crate::inbox::{Class, Inbox, Input};
use crate::jobs::Jobs;
use crate::ports::{Ask, Editor, Snapshots, Team};
use crate::post::Post;
use crate::shell::Shell;
use crate::tools::{Completed, ToolContext, Tools};
use crate::turn::{Engine, TurnResult};

/// How often a member that works says so.
const HEARTBEAT: Duration = Duration::from_secs(30);
/// The longest summary in an idle notification, in characters.
const SUMMARY_MAX: usize = 400;

/// Everything that makes a member. Its identity, directory, rules and files are its own values.
pub struct Setup {
    pub agent: AgentId,
    pub color: Option<String>,
    /// Absolute, with symbolic links resolved.
    pub cwd: PathBuf,
    /// What the project tells its agents; part of the system text.
    pub instructions: String,
    pub shell: Shell,
    /// Where results go that are too long for a model; absolute, with symbolic links resolved.
    pub outputs: PathBuf,
    pub transcript: Transcript,
    /// What the transcript holds already.
    pub entries: Vec<Entry>,
    pub conversations: Conversations,
    /// Wishes for another conversation; refused while a turn runs.
    pub wishes: mpsc::UnboundedReceiver<Wish>,
    /// What its next request is made with.
    pub choice: watch::Receiver<ModelChoice>,
    pub bounds: watch::Receiver<Bounds>,
    pub inbox: Inbox,
    pub post: Arc<Post>,
    pub reporter: Reporter,
    pub ask: Arc<dyn Ask>,
    pub editor: Arc<dyn Editor>,
    pub snapshots: Arc<dyn Snapshots>,
    /// The tools that it has besides those of the team; all of them without.
    pub tools: Option<Vec<String>>,
    /// For the leader's agent alone.
    pub team: Option<Arc<dyn Team>>,
    pub switch: TurnSwitch,
}

/// Interrupts the running turn of one member, from outside.
#[derive(Debug, Clone, Default)]
pub struct TurnSwitch(Arc<Mutex<Switch>>);

#[derive(Debug, Default)]
struct Switch {
    running: Option<CancellationToken>,
    /// Turns that were interrupted before they began.
    doomed: HashSet<TurnId>,
    /// The history is to be summarised before the next model request.
    compact: bool,
}

impl TurnSwitch {
    /// Ends the running turn; when none runs, the `promised` ones end as soon as they begin. False when there
    /// is nothing to end.
    pub fn interrupt(&self, promised: &HashSet<TurnId>) -> bool {
        let mut switch = self.lock();
        match &switch.running {
            Some(turn) if turn.is_cancelled() => false,
            Some(turn) => {
                turn.cancel();
                true
            }
            None => {
                switch.doomed.extend(promised.iter().cloned());
                !promised.is_empty()
            }
        }
    }

    /// Has the history summarised before the next model request.
    pub fn compact(&self) {
        self.lock().compact = true;
    }

    /// Whether that is wanted; it is then done once.
    pub(crate) fn take_compact(&self) -> bool {
        std::mem::take(&mut self.lock().compact)
    }

    /// A turn begins, which answers these promises.
    fn begin<'a>(&self, turn: CancellationToken, promises: impl Iterator<Item = &'a TurnId>) {
        let mut switch = self.lock();
        for promise in promises {
            if switch.doomed.remove(promise) {
                turn.cancel();
            }
        }
        switch.running = Some(turn);
    }

    fn end(&self) {
        self.lock().running = None;
    }

    fn lock(&self) -> MutexGuard<'_, Switch> {
        // Each change leaves a whole state, whoever panics.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How a life ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LifeEnd {
    /// From outside.
    Cancelled,
    /// The member was asked to end and agreed.
    Agreed,
}

/// Lives until `life` is cancelled, the member agrees to end, or no input can come any more.
pub async fn run(setup: Setup, life: CancellationToken) -> LifeEnd {
    let mut member = Member::new(setup, &life);
    let end = member.live(&life).await;
    // Agreed or cancelled, what it left running ends with it.
    life.cancel();
    member.jobs.ended().await;
    end
}

impl Member {
    /// Turn after turn, to the end.
    async fn live(&mut self, life: &CancellationToken) -> LifeEnd {
        while let Some(Some(next)) = life.run_until_cancelled(self.next()).await {
            let inputs = match next {
                Next::Inputs(inputs) => inputs,
                Next::Wish(wish) => {
                    self.converse(wish).await;
                    continue;
                }
            };
            let is_note = inputs.iter().all(|input| input.class == Class::Notice);
            if is_note || self.chatter.covers(&inputs) {
                if let Err(error) = self.engine.take_note(inputs).await {
                    tracing::error!(agent = %self.agent, %error, "a notice was not kept");
                }
                self.engine.reporter.send(Report::Idle).await;
                continue;
            }
            let mut result = self.turn(inputs, life).await;
            if self.engine.ending.is_agreed() {
                return LifeEnd::Agreed;
            }
            if let Some(peer) = self.chatter.turn(std::mem::take(&mut result.exchange)) {
                let text = format!(
                    "{} and {} only exchange courtesies; such mail is noted and starts no more turns",
                    self.agent.name, peer.name
                );
                self.engine.reporter.send(Report::Warned { text }).await;
            }
            if life.is_cancelled() {
                break;
            }
            if self.engine.inbox.is_empty() {
                self.idle(result).await;
            }
        }
        LifeEnd::Cancelled
    }
}

/// What a member does next.
enum Next {
    Inputs(Vec<Input>),
    Wish(Wish),
}

struct Member {
    engine: Engine,
    agent: AgentId,
    cwd: PathBuf,
    files: Arc<Files>,
    editor: Arc<dyn Editor>,
    shell: Arc<Shell>,
    outputs: PathBuf,
    conversations: Conversations,
    wishes: mpsc::UnboundedReceiver<Wish>,
    jobs: Arc<Jobs>,
    post: Arc<Post>,
    team: Option<Arc<dyn Team>>,
    snapshots: Arc<dyn Snapshots>,
    switch: TurnSwitch,
    chatter: Chatter,
    /// What the leader was last told of this member's work.
    told: Option<String>,
    completed: Arc<Completed>,
}

impl Member {
    fn new(setup: Setup, life: &CancellationToken) -> Self {
        let editor = setup.editor;
        let tools = match setup.team {
            Some(_) => Tools::of_leader(editor.knows()),
            None => Tools::of_teammate(editor.knows()),
        };
        let tools = match &setup.tools {
            Some(named) => tools.only(named),
            None => tools,
        };
        let gate = Arc::new(Gate { tools, bounds: setup.bounds, ask: setup.ask, color: setup.color });
        let mut shell = setup.shell;
        if shell.policy.network == Network::Proxy {
            let asker = HostAsker { gate: gate.clone(), agent: setup.agent.clone(), life: life.clone() };
            shell.proxy = Some(Proxy::new(Arc::new(asker)));
        }
        let engine = Engine {
            choice: setup.choice,
            asked: None,
            measured: None,
            system: system_text(&setup.agent, &setup.cwd, &setup.instructions),
            gate,
            history: History::new(setup.transcript, setup.entries, setup.outputs.clone()),
            inbox: setup.inbox,
            reporter: setup.reporter,
            ending: Arc::default(),
            switch: setup.switch.clone(),
        };
        let files = Arc::new(Files::new(setup.cwd.clone(), editor.clone()));
        Self {
            engine,
            agent: setup.agent,
            cwd: setup.cwd,
            files,
            editor,
            shell: Arc::new(shell),
            outputs: setup.outputs,
            conversations: setup.conversations,
            wishes: setup.wishes,
            jobs: Arc::new(Jobs::new(life.clone())),
            post: setup.post,
            team: setup.team,
            snapshots: setup.snapshots,
            switch: setup.switch,
            chatter: Chatter::default(),
            told: None,
            completed: Arc::default(),
        }
    }

    /// Waits for something to do; `None` when no inputs can come any more. Cancel safe.
    async fn next(&mut self) -> Option<Next> {
        tokio::select! {
            // What comes next belongs to the conversation that was wished for before.
            biased;
            Some(wish) = self.wishes.recv() => Some(Next::Wish(wish)),
            inputs = self.engine.inbox.next() => inputs.map(Next::Inputs),
        }
    }

    /// Is in another conversation from now on.
    async fn converse(&mut self, Wish { wish, done }: Wish) {
        let of = self.conversations.clone();
        let changed = tokio::task::spawn_blocking(move || conversation::change(&of, &wish)).await;
        let changed = changed.map_err(|lost| ConversationError::Lost(lost.to_string()));
        let outcome = match changed.and_then(|changed| Ok(changed?)) {
            Ok(changed) => {
                let conversation = changed.conversation;
                if let Some((transcript, entries)) = changed.opened {
                    self.engine.take_up(transcript, entries);
                    // The model knows nothing of what it saw and did in the other.
                    self.files.forget_seen();
                    self.chatter = Chatter::default();
                    self.told = None;
                    let (id, title) = (conversation.id.clone(), conversation.title.clone());
                    self.engine.reporter.send(Report::ConversationChanged { id, title }).await;
                }
                Ok(conversation)
            }
            Err(error) => Err(error),
        };
        // Who went away takes no answer.
        let _ = done.send(outcome);
    }

    async fn turn(&mut self, mut inputs: Vec<Input>, life: &CancellationToken) -> TurnResult {
        if self.engine.gate.bounds.borrow().mode == Mode::Plan
            && let Some(last) = inputs.last_mut()
        {
            last.text.push_str(&format!("\n\n{PLANNING}"));
        }
        let turn: TurnId = inputs.iter().find_map(|input| input.turn.clone()).unwrap_or_else(turn_id);
        let cancel = life.child_token();
        self.switch.begin(cancel.clone(), inputs.iter().filter_map(|input| input.turn.as_ref()));
        self.engine.reporter.send(Report::TurnStarted { turn: turn.clone() }).await;
        let context = ToolContext {
            agent: self.agent.clone(),
            cwd: self.cwd.clone(),
            files: self.files.clone(),
            editor: self.editor.clone(),
            post: self.post.clone(),
            reporter: self.engine.reporter.clone(),
            shell: self.shell.clone(),
            outputs: self.outputs.clone(),
            choice: self.engine.choice.clone(),
            bounds: self.engine.gate.bounds.clone(),
            jobs: self.jobs.clone(),
            tasks: self.post.tasks(),
            completed: self.completed.clone(),
            ending: self.engine.ending.clone(),
            team: self.team.clone(),
            before_change: BeforeChange {
                snapshots: self.snapshots.clone(),
                agent: self.agent.clone(),
                turn: turn.clone(),
                kept: OnceCell::new(),
            },
            life: life.clone(),
            turn: cancel,
        };
        let heart = beat(self.engine.reporter.clone());
        let result = tokio::select! {
            result = self.engine.run_turn(&turn, inputs, &context) => result,
            never = heart => match never {},
            never = refuse(&mut self.wishes) => match never {},
        };
        self.switch.end();
        // Whoever was promised a turn hears of its end, also when its prompt joined another.
        for turn in std::iter::once(&turn).chain(&result.joined) {
            let ended =
                Report::TurnEnded { turn: turn.clone(), end: result.end, detail: result.detail.clone() };
            self.engine.reporter.send(ended).await;
        }
        result
    }

    /// Tells the leader that nothing waits; the leader's own agent has nobody to tell.
    async fn idle(&mut self, result: TurnResult) {
        if !self.agent.is_lead() {
            self.notify(result).await;
        }
        self.engine.reporter.send(Report::Idle).await;
    }

    async fn notify(&mut self, result: TurnResult) {
        // What the leader has heard already is not told again.
        let summary = result.last_text.map(|text| head(&text)).filter(|_| !result.told_lead);
        let summary = summary.filter(|summary| self.told.as_ref() != Some(summary));
        self.told = summary.clone().or_else(|| self.told.take());
        let completed = self.completed.take();
        let notice = IdleNotification {
            idle_reason: match result.end {
                TurnEnd::Completed => IdleReason::Available,
                TurnEnd::Interrupted => IdleReason::Interrupted,
                TurnEnd::Failed => IdleReason::Failed,
            },
            summary,
            completed_status: completed.as_ref().map(|_| CompletedStatus::Resolved),
            completed_task_id: completed.map(|task| task.to_string()),
            failure_reason: if result.end == TurnEnd::Failed { result.detail } else { None },
        };
        let lead = AgentId::lead_of(self.agent.team.clone());
        if let Err(error) = self.post.send_protocol(&lead, &Protocol::IdleNotification(notice)).await {
            tracing::error!(agent = %self.agent, %error, "the idle notification was not sent");
        }
    }
}

/// Says now and then that the member's loop goes round.
async fn beat(reporter: Reporter) -> Infallible {
    loop {
        tokio::time::sleep(HEARTBEAT).await;
        reporter.send(Report::Alive).await;
    }
}

/// A running turn stays in its conversation.
async fn refuse(wishes: &mut mpsc::UnboundedReceiver<Wish>) -> Infallible {
    while let Some(wish) = wishes.recv().await {
        // Who went away takes no answer.
        let _ = wish.done.send(Err(ConversationError::Works));
    }
    std::future::pending().await
}

fn head(text: &str) -> String {
    match text.char_indices().nth(SUMMARY_MAX) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}
