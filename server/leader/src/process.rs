//! The leader's side of a teammate in a process of its own: takes what the process reports and asks, and tells it
//! what changed. All of it goes by signed mail; the process itself is only started, watched and ended.

pub(crate) mod convert;
mod place;
mod requests;

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use swarm_agent::conversation::{ConversationError, Wish};
use swarm_agent::life::LifeEnd;
use swarm_agent::ports::{Editor, Snapshots};
use swarm_agent::{Incoming, Post, Report};
use swarm_guard::Bounds;
use swarm_store::mailbox::Content;
use swarm_store::{Root, TeamDir};
use swarm_wire::conversation::Conversation;
use swarm_wire::mail::Protocol;
use swarm_wire::process::MemberModel;
use swarm_wire::{AgentId, RequestId, TurnId};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::backend::{Backend, Handle, Launch};
use crate::command::{Refusal, Reply};
use crate::ports::HubPorts;
use place::Place;

/// How long what changed may take to be written to a mailbox.
const SETTLE_BOUND: Duration = Duration::from_secs(1);

/// How the hub reaches a teammate's process.
pub(crate) struct Link {
    /// Mail of an earlier start is none of this one's.
    pub(crate) incarnation: u64,
    pub(crate) mail: mpsc::UnboundedSender<Incoming>,
    pub(crate) model: watch::Sender<MemberModel>,
    pub(crate) words: mpsc::UnboundedSender<Word>,
}

/// What the hub wants of a teammate's process.
pub(crate) enum Word {
    /// End the running turn, and these promised ones that did not begin.
    Interrupt(Vec<TurnId>),
    /// Have its history summarised before its next model request.
    Compact,
    /// Be in another conversation.
    Converse(Wish),
    /// Bring its place into sight, or take it out.
    Show { visible: bool, reply: Reply<()> },
    /// Answered once it was told all that changed before.
    Settle(oneshot::Sender<()>),
    /// The leader ends, and it waits for the next one.
    Leave,
}

/// How the leader comes by a process.
#[derive(Clone)]
pub(crate) enum Begins {
    Launch(Launch),
    /// It lives, started by an earlier leader, in the place with this handle.
    Found(Handle),
}

impl Link {
    /// Ends the running turn, and the promised ones that did not begin.
    pub(crate) fn interrupt(&self, promised: Vec<TurnId>) {
        self.say(Word::Interrupt(promised));
    }

    pub(crate) fn say(&self, word: Word) {
        // A process that ends in this moment obeys no more, and drops what waits for its answer.
        let _ = self.words.send(word);
    }

    /// Waits until the process was told all that changed, so that it knows of it before it hears what comes next.
    pub(crate) fn settled(&self) -> impl Future<Output = ()> + use<> {
        let (done, settled) = oneshot::channel();
        let sent = self.words.send(Word::Settle(done));
        async move {
            if sent.is_ok() {
                // One that ends in this moment hears nothing more.
                let _ = tokio::time::timeout(SETTLE_BOUND, settled).await;
            }
        }
    }

    /// Sets what its next request is made with.
    pub(crate) fn model_is(&self, model: MemberModel) {
        self.model.send_if_modified(|now| {
            let changed = *now != model;
            *now = model;
            changed
        });
    }
}

/// One teammate's process, and all that is done for it.
pub(crate) struct Led {
    pub(crate) agent: AgentId,
    pub(crate) color: Option<String>,
    pub(crate) cwd: PathBuf,
    pub(crate) root: Root,
    pub(crate) dir: TeamDir,
    pub(crate) backend: Arc<dyn Backend>,
    pub(crate) begins: Begins,
    /// Writes as the leader.
    pub(crate) post: Arc<Post>,
    pub(crate) ports: Arc<HubPorts>,
    pub(crate) editor: Arc<dyn Editor>,
    pub(crate) snapshots: Arc<dyn Snapshots>,
    pub(crate) reports: mpsc::Sender<(AgentId, Report)>,
    pub(crate) bounds: watch::Receiver<Bounds>,
    pub(crate) model: watch::Receiver<MemberModel>,
    /// Whether there is a model to ask.
    pub(crate) has_model: bool,
    pub(crate) mail: mpsc::UnboundedReceiver<Incoming>,
    pub(crate) words: mpsc::UnboundedReceiver<Word>,
}

/// Starts it, and leads it until it ends, or `life` does; then nothing of it runs any more.
///
/// # Errors
/// When it did not come up.
pub(crate) async fn lead(mut led: Led, life: CancellationToken) -> Result<LifeEnd, String> {
    let mut work = Work {
        open: HashMap::new(),
        called: matches!(led.begins, Begins::Found(_)).then(HashSet::new),
        answers: JoinSet::new(),
        granted: Arc::default(),
        conversing: HashMap::new(),
    };
    if work.called.is_some() {
        led.tell_all().await;
    }
    let (backend, dir, agent) = (led.backend.clone(), led.dir.clone(), led.agent.clone());
    let begins = led.begins.clone();
    let opening = async move {
        match begins {
            Begins::Launch(launch) => Place::open(backend, launch, dir, agent).await,
            Begins::Found(handle) => Ok(Place::found(backend, handle, dir, agent)),
        }
    };
    let (mut opening, mut place) = (Box::pin(opening), None);
    let end = loop {
        // What changed goes out before what was answered, since an answer may rest on it.
        tokio::select! {
            biased;
            () = life.cancelled() => break LifeEnd::Cancelled,
            Ok(()) = led.bounds.changed() => {
                let bounds = convert::bounds_for(&led.bounds.borrow_and_update());
                led.tell(&Protocol::RulesUpdate { bounds }).await;
            }
            Ok(()) = led.model.changed() => led.tell_model().await,
            Some(word) = led.words.recv() => led.obey(word, place.as_ref(), &mut work).await,
            Some(answer) = work.answers.join_next(), if !work.answers.is_empty() => {
                if let Ok(answer) = answer {
                    led.tell(&answer).await;
                }
            }
            Some(incoming) = led.mail.recv() => {
                if led.take(incoming, &mut work, &life).await {
                    break LifeEnd::Agreed;
                }
            }
            opened = &mut opening, if place.is_none() => {
                let opened = opened?;
                led.ports.placed(&led.agent, opened.id()).await;
                place = Some(opened);
            }
            lost = lost(place.as_ref()), if place.is_some() => {
                let text = format!("the process of {} ended by itself ({lost}); restart it, it has its history", led.agent.name);
                led.report(Report::Warned { text }).await;
                break LifeEnd::Cancelled;
            }
        }
    };
    drop(opening);
    let stays = std::iter::from_fn(|| led.words.try_recv().ok()).any(|word| matches!(word, Word::Leave));
    match place {
        Some(place) if stays => place.leave(),
        Some(mut place) => place.end().await,
        None => {}
    }
    // What it asked is taken back.
    life.cancel();
    while work.answers.join_next().await.is_some() {}
    Ok(end)
}

fn new_id() -> RequestId {
    RequestId::new(swarm_agent::turn_id().as_str())
}

/// Waits until the process ended by itself; says how.
async fn lost(place: Option<&Place>) -> String {
    match place {
        Some(place) => place.ended().await,
        None => std::future::pending().await,
    }
}

/// What is being done for a teammate's process.
struct Work {
    /// Its open requests; cancelling one takes it back.
    open: HashMap<RequestId, CancellationToken>,
    /// What a process that was found asked of its leader: it may say it twice.
    called: Option<HashSet<RequestId>>,
    /// Each ends with what the process is told.
    answers: JoinSet<Protocol>,
    granted: Arc<requests::Granted>,
    /// Who waits for it to be in another conversation.
    conversing: HashMap<RequestId, oneshot::Sender<Result<Conversation, ConversationError>>>,
}

impl Led {
    async fn obey(&self, word: Word, place: Option<&Place>, work: &mut Work) {
        match word {
            Word::Interrupt(turns) => {
                self.tell(&Protocol::Interrupt { request_id: new_id(), turns }).await;
            }
            Word::Compact => self.tell(&Protocol::Compact { request_id: new_id() }).await,
            Word::Converse(Wish { wish, done }) => {
                let request_id = new_id();
                work.conversing.insert(request_id.clone(), done);
                self.tell(&Protocol::Converse { request_id, wish }).await;
            }
            Word::Show { visible, reply } => match place {
                Some(place) => place.show(visible, reply),
                None => {
                    let why = format!("the terminal of {} is being opened", self.agent.name);
                    // A client that went away takes no answer.
                    let _ = reply.send(Err(Refusal::Failed(why)));
                }
            },
            Word::Settle(done) => _ = done.send(()),
            // Seen to at the end.
            Word::Leave => {}
        }
    }

    async fn tell(&self, message: &Protocol) {
        if let Err(error) = self.post.send_protocol(&self.agent, message).await {
            tracing::error!(agent = %self.agent, %error, "a teammate's process was not told");
        }
    }

    /// Tells a process that was found what holds now, and hears what it is at.
    async fn tell_all(&mut self) {
        let bounds = convert::bounds_for(&self.bounds.borrow_and_update());
        self.tell(&Protocol::RulesUpdate { bounds }).await;
        if self.has_model {
            self.tell_model().await;
        }
        self.tell(&Protocol::LeaderChanged).await;
    }

    async fn tell_model(&mut self) {
        let (root, model) = (self.root.clone(), self.model.borrow_and_update().clone());
        match tokio::task::spawn_blocking(move || root.hand_over(&model)).await {
            Ok(Ok(path)) => self.tell(&Protocol::ModelUpdate { file: path.display().to_string() }).await,
            Ok(Err(error)) => tracing::error!(%error, "a teammate's process keeps its model"),
            Err(lost) => tracing::error!(%lost, "a teammate's process keeps its model"),
        }
    }

    async fn report(&self, report: Report) {
        // A hub that is gone wants no reports.
        let _ = self.reports.send((self.agent.clone(), report)).await;
    }

    /// Takes one message of the process; true when it was its last.
    async fn take(&self, incoming: Incoming, work: &mut Work, life: &CancellationToken) -> bool {
        let Incoming { content, receipt, .. } = incoming;
        receipt.acknowledge().await;
        let Content::Protocol(message) = content else { return false };
        match *message {
            Protocol::Progress { reports, ended } => {
                for progress in reports {
                    self.report(convert::report_of(progress)).await;
                }
                return ended;
            }
            // It was asked before, and is asked again.
            Protocol::PermissionRequest(ask) if work.open.contains_key(&ask.request_id) => {}
            Protocol::Conversed { request_id, conversation, refused } => {
                if let Some(done) = work.conversing.remove(&request_id) {
                    let refused = || ConversationError::Refused(refused.unwrap_or_default());
                    // A client that went away takes no answer.
                    let _ = done.send(conversation.ok_or_else(refused));
                }
            }
            Protocol::PermissionRequest(ask) => {
                let token = life.child_token();
                work.open.insert(ask.request_id.clone(), token.clone());
                let asking = requests::Asking {
                    request: convert::request_of(&self.agent, self.color.clone(), ask),
                    cwd: self.cwd.clone(),
                    granted: work.granted.clone(),
                };
                work.answers.spawn(asking.run(self.ports.clone(), token));
            }
            Protocol::PermissionWithdraw { request_id } => {
                match work.open.remove(&request_id) {
                    Some(token) => token.cancel(),
                    // An earlier leader's: nobody will answer.
                    None => _ = work.answers.spawn(async { Protocol::PermissionWithdraw { request_id } }),
                }
            }
            Protocol::LeaderRequest { request_id, call } => {
                if work.called.as_mut().is_some_and(|called| !called.insert(request_id.clone())) {
                    return false;
                }
                let request = requests::Requested {
                    agent: self.agent.clone(),
                    request_id,
                    call,
                    granted: work.granted.clone(),
                    bounds: self.bounds.clone(),
                };
                let (ports, editor, snapshots) =
                    (self.ports.clone(), self.editor.clone(), self.snapshots.clone());
                work.answers.spawn(request.run(ports, editor, snapshots, life.child_token()));
            }
            other => {
                tracing::warn!(agent = %self.agent, ?other, "mail that a teammate's process may not send")
            }
        }
        false
    }
}
