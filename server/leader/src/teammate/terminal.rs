//! A teammate's own terminal, as its engine knows it: what is shown there, and what the person types.

use std::sync::Arc;
use std::time::Duration;

use swarm_agent::Report;
use swarm_agent::life::TurnSwitch;
use swarm_wire::permission::PermissionRequest;
use swarm_wire::process::{LeaderAnswer, LeaderCall};
use swarm_wire::{AgentId, RequestId};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::ports::MailPorts;

/// One thing that a terminal shows.
#[derive(Debug)]
pub enum Seen {
    /// The teammate lives from now on.
    Begun {
        agent: AgentId,
        color: Option<String>,
    },
    /// Somebody wrote to it.
    Heard {
        from: String,
        text: String,
    },
    Did(Report),
    /// A call waits for a person.
    Asked(Box<PermissionRequest>),
    /// It waits no more; `None` when the question was taken back.
    Settled {
        id: RequestId,
        allowed: Option<bool>,
    },
    /// What the person wanted was not done.
    Refused(String),
    /// The leader is gone; the teammate ends after this long without one.
    Leaderless(Duration),
    /// There is a leader again.
    LedAgain,
}

/// What the person at a terminal wants.
#[derive(Debug)]
pub enum Typed {
    Message(String),
    Interrupt,
    /// Once; more than that is the leader's to give.
    Answer {
        id: RequestId,
        allow: bool,
        feedback: Option<String>,
    },
    End,
}

/// Both directions of a terminal.
pub struct Terminal {
    pub seen: mpsc::UnboundedSender<Seen>,
    pub typed: mpsc::UnboundedReceiver<Typed>,
}

/// Where things are shown; nowhere without a terminal.
#[derive(Clone)]
pub(super) struct Show(pub(super) Option<mpsc::UnboundedSender<Seen>>);

impl Show {
    pub(super) fn show(&self, seen: impl FnOnce() -> Seen) {
        if let Some(terminal) = &self.0 {
            // A terminal that is gone shows nothing.
            let _ = terminal.send(seen());
        }
    }
}

/// Does what the person at the terminal wants.
pub(super) struct Keyboard {
    pub(super) ports: Arc<MailPorts>,
    pub(super) switch: TurnSwitch,
    pub(super) show: Show,
    /// Whether the walls keep the teammate's commands from typing here.
    pub(super) is_held: bool,
}

impl Keyboard {
    /// Takes what is typed until `life` ends; true when the person ended the teammate.
    pub(super) async fn run(
        self,
        typed: Option<mpsc::UnboundedReceiver<Typed>>,
        life: CancellationToken,
    ) -> bool {
        let Some(mut typed) = typed else { return false };
        while let Some(Some(wish)) = life.run_until_cancelled(typed.recv()).await {
            let call = match wish {
                Typed::Interrupt => {
                    self.switch.interrupt(&Default::default());
                    continue;
                }
                Typed::End => {
                    life.cancel();
                    return true;
                }
                Typed::Message(text) => LeaderCall::Prompt { text },
                Typed::Answer { .. } if !self.is_held => {
                    let why = "this machine does not have all walls for commands, and one could type an answer; \
                               answer in the leader's editor";
                    self.show.show(|| Seen::Refused(why.to_owned()));
                    continue;
                }
                Typed::Answer { id, allow, feedback } => LeaderCall::Answer { id, allow, feedback },
            };
            // The leader may be slow or gone, and the next key may be the one that ends it all.
            let (ports, show) = (self.ports.clone(), self.show.clone());
            tokio::spawn(async move {
                if let LeaderAnswer::Refused { why } = ports.call(call).await {
                    show.show(|| Seen::Refused(why));
                }
            });
        }
        false
    }
}
