//! Everything that can happen to the team. The hub takes these one at a time.

use swarm_agent::Arrival;
use swarm_agent::ports::{InputCheck, SpawnRequest};
use swarm_wire::lsp::Event as ClientEvent;
use swarm_wire::permission::{Answer, Mode, PermissionRequest};
use swarm_wire::{AgentId, RequestId};
use tokio::sync::oneshot;

use crate::command::Refusal;
use crate::hub::{Wanted, Whose};
use crate::worktrees::{Ground, Settled};

/// One thing that happened.
pub(crate) enum Event {
    /// A member in this process has a question for the user.
    Asked { request: Box<PermissionRequest>, check: InputCheck, answer: oneshot::Sender<Answer> },
    /// The turn that asked is over; it ends once the question is taken back.
    Withdrawn { id: RequestId, done: oneshot::Sender<()> },
    /// The leader's model wants a teammate.
    Spawn { request: SpawnRequest, reply: oneshot::Sender<Result<AgentId, String>> },
    /// The leader's model wants to know what mode a kind of teammate has.
    ModeOfType { agent_type: String, reply: oneshot::Sender<Result<Option<Mode>, String>> },
    /// The leader's model wants to know everybody's mode.
    Modes { reply: oneshot::Sender<Vec<(AgentId, Mode)>> },
    /// The leader's model sets modes; the answer is text for the model.
    SetModes { modes: Vec<(AgentId, Mode)>, reply: oneshot::Sender<Result<String, String>> },
    /// The leader's model looked at a plan; the answer is text for the model.
    ReviewPlan {
        name: String,
        approve: bool,
        feedback: Option<String>,
        reply: oneshot::Sender<Result<String, String>>,
    },
    /// The leader's model wants a teammate to end; the answer is text for the model.
    RequestShutdown { name: String, reason: Option<String>, reply: oneshot::Sender<Result<String, String>> },
    /// A member that agreed to end has had its time.
    Overdue(AgentId),
    /// A member that ended was shown long enough.
    Forget(AgentId),
    /// The user said what to make of a project's rules, or the question was taken back.
    TrustAnswered { hash: String, trusted: Option<bool> },
    /// A member wants to make a request to its model.
    Allowance { agent: AgentId, reply: oneshot::Sender<Result<(), String>> },
    /// The user said whether more may be spent, or the question was taken back.
    BudgetAnswered { whose: Whose, allowed: Option<bool> },
    /// Notices of teammates have waited for each other long enough.
    GiveNotices,
    /// It is time to see who is alive, and to say that the team is led.
    Pulse,
    /// What the team file says of who is active may be out of date.
    WriteActive,
    /// Something that clients are to hear of.
    Tell(Box<ClientEvent>),
    /// The team was taken up, with the processes of an earlier leader.
    ProcessesLeft,
    /// A teammate's process runs, in the place with this handle.
    Placed { agent: AgentId, handle: String },
    /// The person at a teammate's own terminal writes to it; the error is for them.
    Typed { agent: AgentId, text: String, reply: oneshot::Sender<Result<(), String>> },
    /// The person at a teammate's own terminal answers one of its questions; the error is for them.
    AnsweredThere {
        agent: AgentId,
        id: RequestId,
        answer: Answer,
        reply: oneshot::Sender<Result<(), String>>,
    },
    /// The worktree of a teammate that is wanted is made, or cannot be.
    WorktreeMade { agent: AgentId, wanted: Box<Wanted>, made: Result<Ground, Refusal> },
    /// It is known what the worktree of a teammate that ended holds; what is left to tell of its end.
    WorktreeSettled { agent: AgentId, ended: Vec<ClientEvent>, settled: Settled },
    /// Another process founded this workspace's team, and leads it.
    LedElsewhere,
    /// Mail for the leader.
    Mail(Arrival),
}
