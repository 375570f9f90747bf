//! What a teammate's process tells its leader, in order: streamed text is joined, so that it costs few messages.

use std::sync::Arc;
use std::time::Duration;

use swarm_agent::{Post, Report};
use swarm_wire::AgentId;
use swarm_wire::mail::Protocol;
use swarm_wire::process::Progress;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};

use super::ports::Outgoing;
use super::terminal::{Seen, Show};
use crate::process::convert;

/// How long streamed text may wait for more.
const TEXT_WAIT: Duration = Duration::from_millis(60);

/// What the teammate is at, for a leader that knows nothing yet.
#[derive(Default)]
struct Now {
    turn: Option<Progress>,
    calls: Vec<Progress>,
}

impl Now {
    fn note(&mut self, progress: &Progress) {
        match progress {
            Progress::TurnStarted { .. } => self.turn = Some(progress.clone()),
            Progress::TurnEnded { .. } => *self = Self::default(),
            Progress::ToolStarted { .. } => self.calls.push(progress.clone()),
            Progress::ToolFinished { tool_use_id: ended, .. } => self.calls.retain(
                |call| !matches!(call, Progress::ToolStarted { tool_use_id, .. } if tool_use_id == ended),
            ),
            _ => {}
        }
    }

    fn told(&self) -> impl Iterator<Item = Progress> {
        let turn = self.turn.clone().unwrap_or(Progress::Idle);
        std::iter::once(turn).chain(self.calls.iter().cloned())
    }
}

/// The one who sends.
pub(super) struct Outbox {
    post: Arc<Post>,
    agent: AgentId,
    lead: AgentId,
    held: Vec<Progress>,
    now: Now,
    show: Show,
}

impl Outbox {
    pub(super) fn new(post: Arc<Post>, agent: AgentId, show: Show) -> Self {
        let lead = AgentId::lead_of(agent.team.clone());
        Self { post, agent, lead, held: Vec::new(), now: Now::default(), show }
    }

    /// Sends until nobody reports any more.
    pub(super) async fn run(
        mut self,
        mut reports: mpsc::Receiver<(AgentId, Report)>,
        mut outgoing: mpsc::Receiver<Outgoing>,
    ) -> Self {
        let mut due: Option<Instant> = None;
        loop {
            let wait = due;
            let is_due = async {
                match wait {
                    Some(due) => sleep_until(due).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                // What was reported before a request is told before it.
                biased;
                report = reports.recv() => match report {
                    Some((_, report)) => {
                        self.show.show(|| Seen::Did(report.clone()));
                        let is_text = matches!(report, Report::Text { .. });
                        self.hold(convert::progress_of(report));
                        let wait = if is_text { TEXT_WAIT } else { Duration::ZERO };
                        let soon = Instant::now() + wait;
                        due = Some(due.map_or(soon, |due| due.min(soon)));
                    }
                    None => break,
                },
                Some(outgoing) = outgoing.recv() => {
                    let request = match outgoing {
                        Outgoing::Message(request) => *request,
                        Outgoing::Again(open) => {
                            self.held.extend(self.now.told());
                            self.flush(false).await;
                            for request in open {
                                self.send(&request).await;
                            }
                            continue;
                        }
                    };
                    self.flush(false).await;
                    due = None;
                    if let Protocol::PermissionRequest(ask) = &request {
                        let asked = || convert::request_of(&self.agent, None, ask.clone());
                        self.show.show(|| Seen::Asked(Box::new(asked())));
                    }
                    self.send(&request).await;
                }
                () = is_due => {
                    self.flush(false).await;
                    due = None;
                }
            }
        }
        self.flush(false).await;
        self
    }

    /// The last word of one that agreed to end.
    pub(super) async fn farewell(mut self) {
        self.flush(true).await;
    }

    /// Keeps a report until it is sent; text of one turn is joined.
    fn hold(&mut self, progress: Progress) {
        self.now.note(&progress);
        match (self.held.last_mut(), progress) {
            (Some(Progress::Text { turn: last, text }), Progress::Text { turn, text: more })
                if *last == turn =>
            {
                text.push_str(&more)
            }
            (_, progress) => self.held.push(progress),
        }
    }

    async fn flush(&mut self, ended: bool) {
        if ended || !self.held.is_empty() {
            let reports = std::mem::take(&mut self.held);
            self.send(&Protocol::Progress { reports, ended }).await;
        }
    }

    async fn send(&self, message: &Protocol) {
        let sent = match message {
            Protocol::Progress { ended: false, .. } => self.post.send_news(&self.lead, message).await,
            _ => self.post.send_protocol(&self.lead, message).await,
        };
        if let Err(error) = sent {
            tracing::error!(%error, "the leader was not told");
        }
    }
}
