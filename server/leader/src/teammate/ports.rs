//! What a teammate's process reaches of its leader: a message each way.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use swarm_agent::conversation::ConversationError;
use swarm_agent::ports::{Ask, EditError, Edited, Editor, InputCheck, Snapshots, Withdrawn};
use swarm_wire::conversation::Conversation;
use swarm_wire::lsp::Spot;
use swarm_wire::mail::{AnswerMail, Protocol};
use swarm_wire::permission::{Answer, PermissionRequest};
use swarm_wire::process::{CodePlace, Finding, LeaderAnswer, LeaderCall, LookUp, Progress};
use swarm_wire::{AgentId, RequestId, TurnId};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use super::terminal::{Seen, Show};
use crate::process::convert;

const GONE: &str = "the leader cannot be reached";

/// What came back for a request.
enum Reply {
    Answer(Answer),
    TakenBack,
    Done(LeaderAnswer),
}

/// What goes to the leader.
pub(super) enum Outgoing {
    Message(Box<Protocol>),
    /// The same once more, for a leader that knows nothing yet: first what the teammate is at, then these.
    Again(Vec<Protocol>),
}

/// A request without a reply.
struct Waiting {
    id: RequestId,
    /// What another leader is told of it.
    request: Protocol,
    reply: oneshot::Sender<Reply>,
}

/// The ports of a teammate whose leader is elsewhere.
pub(super) struct MailPorts {
    outgoing: mpsc::Sender<Outgoing>,
    /// Oldest first; `None` once no mail is read any more.
    waiting: Mutex<Option<Vec<Waiting>>>,
    show: Show,
    /// Whether the leader's editor answers what it knows of the code.
    editor_knows: bool,
}

impl MailPorts {
    pub(super) fn new(outgoing: mpsc::Sender<Outgoing>, show: Show, editor_knows: bool) -> Self {
        Self { outgoing, waiting: Mutex::new(Some(Vec::new())), show, editor_knows }
    }

    /// Tells the user something.
    pub(super) async fn warn(&self, text: String) {
        let reports = vec![Progress::Warned { text }];
        // A process that ends in this moment says no more.
        let _ = self.send(Protocol::Progress { reports, ended: false }).await;
    }

    /// Tells another leader all that waits for a reply.
    pub(super) async fn again(&self) {
        let waiting = self.waiting().iter().flatten().map(|waiting| waiting.request.clone()).collect();
        // A process that ends in this moment wants no more.
        let _ = self.outgoing.send(Outgoing::Again(waiting)).await;
    }

    async fn send(&self, message: Protocol) -> Result<(), Withdrawn> {
        self.outgoing.send(Outgoing::Message(Box::new(message))).await.map_err(|_| Withdrawn)
    }

    /// Tells the leader which conversation it is in now, or why it is in no other.
    pub(super) async fn conversed(
        &self,
        request_id: RequestId,
        outcome: Result<Conversation, ConversationError>,
    ) {
        let (conversation, refused) = match outcome {
            Ok(conversation) => (Some(conversation), None),
            Err(error) => (None, Some(error.to_string())),
        };
        // A process that ends in this moment says no more.
        let _ = self.send(Protocol::Conversed { request_id, conversation, refused }).await;
    }

    pub(super) fn answered(&self, answer: AnswerMail) {
        let id = answer.request_id.clone();
        self.reply(&id, Reply::Answer(answer.into_answer()));
    }

    pub(super) fn taken_back(&self, id: &RequestId) {
        self.reply(id, Reply::TakenBack);
    }

    pub(super) fn done(&self, id: &RequestId, answer: LeaderAnswer) {
        self.reply(id, Reply::Done(answer));
    }

    fn reply(&self, id: &RequestId, reply: Reply) {
        let mut all = self.waiting();
        let Some(waiting) = all.as_mut() else { return };
        if let Some(at) = waiting.iter().position(|waiting| waiting.id == *id) {
            // Whoever gave up on it meanwhile wants no reply.
            let _ = waiting.remove(at).reply.send(reply);
        }
    }

    /// Gives up on every request.
    pub(super) fn close(&self) {
        *self.waiting() = None;
    }

    /// Where the reply to a request comes; at once nothing, when no mail is read any more.
    fn reply_to(&self, id: &RequestId, request: &Protocol) -> oneshot::Receiver<Reply> {
        let (reply, replied) = oneshot::channel();
        let waiting = Waiting { id: id.clone(), request: request.clone(), reply };
        self.waiting().iter_mut().for_each(|all| all.retain(|old| !old.reply.is_closed()));
        if let Some(all) = self.waiting().as_mut() {
            all.push(waiting);
        }
        replied
    }

    /// What was asked is not wanted any more.
    fn unwanted(&self, id: &RequestId, withdraw: &Protocol) {
        let mut all = self.waiting();
        let its = all.iter_mut().flatten().find(|waiting| waiting.id == *id);
        its.into_iter().for_each(|waiting| waiting.request.clone_from(withdraw));
    }

    fn waiting(&self) -> MutexGuard<'_, Option<Vec<Waiting>>> {
        // Each change leaves a whole list, whoever panics.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) async fn call(&self, call: LeaderCall) -> LeaderAnswer {
        let request_id = RequestId::new(swarm_agent::turn_id().as_str());
        let request = Protocol::LeaderRequest { request_id: request_id.clone(), call };
        let answer = self.reply_to(&request_id, &request);
        let gone = || LeaderAnswer::Refused { why: GONE.to_owned() };
        if self.send(request).await.is_err() {
            return gone();
        }
        match answer.await {
            Ok(Reply::Done(answer)) => answer,
            _ => gone(),
        }
    }
}

#[async_trait]
impl Ask for MailPorts {
    async fn ask(
        &self,
        request: PermissionRequest,
        _check: InputCheck,
        turn: &CancellationToken,
    ) -> Result<Answer, Withdrawn> {
        let id = request.id.clone();
        let asked = Protocol::PermissionRequest(convert::ask_of(request));
        let mut answer = self.reply_to(&id, &asked);
        self.send(asked).await?;
        let reply = match turn.run_until_cancelled(&mut answer).await {
            Some(reply) => reply,
            None => {
                let withdraw = Protocol::PermissionWithdraw { request_id: id.clone() };
                self.unwanted(&id, &withdraw);
                self.send(withdraw).await?;
                // What was answered before the leader read this counts.
                answer.await
            }
        };
        let answer = match reply {
            Ok(Reply::Answer(answer)) => Ok(answer),
            _ => Err(Withdrawn),
        };
        self.show.show(|| Seen::Settled { id, allowed: answer.as_ref().ok().map(|answer| answer.allow) });
        answer
    }

    async fn allowance(&self, _agent: &AgentId) -> Result<(), String> {
        match self.call(LeaderCall::Allowance).await {
            LeaderAnswer::Done => Ok(()),
            LeaderAnswer::Refused { why } => Err(why),
            _ => Err(GONE.to_owned()),
        }
    }
}

#[async_trait]
impl Editor for MailPorts {
    async fn open_text(&self, path: &Path) -> Option<String> {
        match self.call(LeaderCall::OpenText { path: path.to_owned() }).await {
            LeaderAnswer::Text { text } => text,
            _ => None,
        }
    }

    async fn edit(&self, path: &Path, before: &str, after: &str) -> Result<Edited, EditError> {
        let (path, before, after) = (path.to_owned(), before.to_owned(), after.to_owned());
        convert::edit_of(self.call(LeaderCall::Edit { path, before, after }).await)
    }

    fn knows(&self) -> bool {
        self.editor_knows
    }

    async fn diagnostics(&self, path: Option<&Path>) -> Result<Vec<Finding>, String> {
        match self.call(LeaderCall::Diagnostics { path: path.map(Path::to_owned) }).await {
            LeaderAnswer::Findings { findings } => Ok(findings),
            LeaderAnswer::Refused { why } => Err(why),
            _ => Err(GONE.to_owned()),
        }
    }

    async fn look_up(&self, what: LookUp, path: &Path, at: Spot) -> Result<Vec<CodePlace>, String> {
        match self.call(LeaderCall::LookUp { what, path: path.to_owned(), at }).await {
            LeaderAnswer::Places { places } => Ok(places),
            LeaderAnswer::Refused { why } => Err(why),
            _ => Err(GONE.to_owned()),
        }
    }
}

#[async_trait]
impl Snapshots for MailPorts {
    async fn keep(&self, _member: &AgentId, turn: &TurnId, change: &str) {
        self.call(LeaderCall::Keep { turn: turn.clone(), change: change.to_owned() }).await;
    }
}
