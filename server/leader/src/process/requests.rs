//! What is done for a teammate's process: its questions, the editor, snapshots, its budget.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use swarm_agent::ports::{Ask, Editor, Snapshots, Withdrawn};
use swarm_guard::{Bounds, Effect, Verdict, decide};
use swarm_wire::mail::{AnswerMail, Protocol};
use swarm_wire::permission::{Answer, PermissionRequest};
use swarm_wire::process::{LeaderAnswer, LeaderCall};
use swarm_wire::{AgentId, RequestId};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::convert::answer_of;
use crate::ports::HubPorts;

/// The files that a person let a teammate change.
#[derive(Debug, Default)]
pub(super) struct Granted(Mutex<HashSet<PathBuf>>);

impl Granted {
    fn note(&self, request: &PermissionRequest, answer: &Answer, cwd: &Path) {
        let of_input = answer.updated_input.as_ref().and_then(|input| input.get("path")?.as_str());
        let of_change = request.change.as_ref().map(|change| change.path.as_str());
        let paths = of_input.into_iter().chain(of_change).map(|path| cwd.join(path));
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend(paths);
    }

    fn has(&self, path: &Path) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).contains(path)
    }
}

/// A question of the process.
pub(super) struct Asking {
    pub(super) request: PermissionRequest,
    pub(super) cwd: PathBuf,
    pub(super) granted: Arc<Granted>,
}

impl Asking {
    /// Puts it to the user; what comes of it is told to the process.
    pub(super) async fn run(self, ports: Arc<HubPorts>, needed: CancellationToken) -> Protocol {
        let (id, tool) = (self.request.id.clone(), self.request.tool_name.clone());
        match ports.ask(self.request.clone(), swarm_agent::input_check(&tool), &needed).await {
            Ok(answer) => {
                if answer.allow {
                    self.granted.note(&self.request, &answer, &self.cwd);
                }
                Protocol::PermissionResponse(AnswerMail::new(id, answer))
            }
            Err(Withdrawn) => Protocol::PermissionWithdraw { request_id: id },
        }
    }
}

/// Something that only the leader can do.
pub(super) struct Requested {
    pub(super) agent: AgentId,
    pub(super) request_id: RequestId,
    pub(super) call: LeaderCall,
    pub(super) granted: Arc<Granted>,
    pub(super) bounds: watch::Receiver<Bounds>,
}

impl Requested {
    pub(super) async fn run(
        self,
        ports: Arc<HubPorts>,
        editor: Arc<dyn Editor>,
        snapshots: Arc<dyn Snapshots>,
        life: CancellationToken,
    ) -> Protocol {
        let work = async {
            match &self.call {
                LeaderCall::OpenText { path } => LeaderAnswer::Text { text: editor.open_text(path).await },
                LeaderCall::Edit { path, before, after } if self.may_edit(path) => {
                    answer_of(editor.edit(path, before, after).await)
                }
                LeaderCall::Edit { path, .. } => {
                    let (name, path) = (&self.agent.name, path.display());
                    ports.warn(format!("{name} wanted to change {path}, which nobody allowed")).await;
                    LeaderAnswer::Refused { why: "nobody let this teammate change it".to_owned() }
                }
                LeaderCall::Diagnostics { path } => match editor.diagnostics(path.as_deref()).await {
                    Ok(findings) => LeaderAnswer::Findings { findings },
                    Err(why) => LeaderAnswer::Refused { why },
                },
                LeaderCall::LookUp { what, path, at } => match editor.look_up(*what, path, *at).await {
                    Ok(places) => LeaderAnswer::Places { places },
                    Err(why) => LeaderAnswer::Refused { why },
                },
                LeaderCall::Keep { turn, change } => {
                    snapshots.keep(&self.agent, turn, change).await;
                    LeaderAnswer::Done
                }
                LeaderCall::Allowance => done(ports.allowance(&self.agent).await),
                LeaderCall::Prompt { text } => done(ports.typed(&self.agent, text.clone()).await),
                LeaderCall::Answer { id, allow, feedback } => {
                    done(ports.answered_there(&self.agent, id.clone(), *allow, feedback.clone()).await)
                }
            }
        };
        let ended = || LeaderAnswer::Refused { why: "the server is shutting down".to_owned() };
        let answer = life.run_until_cancelled(work).await.unwrap_or_else(ended);
        Protocol::LeaderResponse { request_id: self.request_id, answer }
    }

    /// Whether a person or the rules let this teammate change the file.
    fn may_edit(&self, path: &Path) -> bool {
        let effect = Effect::Writes { paths: vec![path.to_owned()] };
        let keys = [path.display().to_string()];
        self.granted.has(path)
            || ["Edit", "Write"]
                .iter()
                .any(|tool| matches!(decide(tool, &keys, &effect, &self.bounds.borrow()), Verdict::Allow(_)))
    }
}

fn done(done: Result<(), String>) -> LeaderAnswer {
    match done {
        Ok(()) => LeaderAnswer::Done,
        Err(why) => LeaderAnswer::Refused { why },
    }
}
