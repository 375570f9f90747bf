//! The handle that everyone outside the hub holds: commands in, snapshots and events out.

use std::path::PathBuf;
use std::sync::Arc;

use swarm_agent::ports::Editor;
use swarm_guard::exec::{Environment, Helper};
use swarm_model::LocalServer;
use swarm_wire::TeamName;
use swarm_wire::conversation::ConversationWish;
use swarm_wire::lsp::{
    CheckpointListParams, CheckpointListResult, CheckpointRestoreParams, CheckpointRestoreResult,
    ConfigureParams, ConversationListResult, ConversationRenameParams, ConversationView, Event,
    InterruptResult, MemberParams, MemberView, MessageParams, MessageResult, PermissionResolveParams,
    PermissionResolveResult, PlanResolveParams, PromptResult, SetModesParams, SpawnParams, StateResult,
    StopParams, StopResult, TaskCreateParams, TaskListParams, TaskListResult, TaskUpdateParams,
    TeamCreateParams, TeamDeleteParams, TeamView, TeammateParams, TranscriptParams, TranscriptResult,
};
use swarm_wire::permission::{Mode, RuleUpdate};
use swarm_wire::settings::Settings;
use swarm_wire::task::Task;
use tokio::sync::{broadcast, mpsc, oneshot, watch};

use crate::backend::StartedIn;
use crate::backend::editor_terminal::Terminals;
use crate::command::{Command, Prompt, Refusal, Reply};

/// How many events a slow reader may fall behind before it sees a gap.
pub const EVENT_BACKLOG: usize = 4096;

/// What the process knows of the machine, read once where it starts.
#[derive(Debug, Clone)]
pub struct Machine {
    /// The user's home, absolute.
    pub home: PathBuf,
    /// What commands find in their environment.
    pub env: Environment,
    /// Where teams keep their tools' caches, one folder a team; none are kept without.
    pub caches: Option<PathBuf>,
    /// Where model servers of this machine's own would answer.
    pub local_servers: Vec<LocalServer>,
    /// The program that runs commands behind walls.
    pub helper: Helper,
    pub started_in: StartedIn,
}

/// What holds as long as this leader lives, and is written nowhere.
#[derive(Debug, Clone, Default)]
pub struct Session {
    /// The mode of the leader's agent in place of the team file's.
    pub mode: Option<Mode>,
    /// Rules for every member; those that are no rules are told and passed over.
    pub rules: Vec<RuleUpdate>,
}

/// What a leader is started with.
#[derive(Clone)]
pub struct Options {
    /// The state root; see `swarm_store`.
    pub root: PathBuf,
    /// The folder that the user has open. Without one, prompts are refused with the reason.
    pub workspace: Option<PathBuf>,
    /// With the environment's key and address taken in.
    pub settings: Settings,
    pub machine: Machine,
    pub editor: Arc<dyn Editor>,
    /// Where the editor opens terminals for teammates.
    pub terminals: Option<Arc<dyn Terminals>>,
    pub session: Session,
}

/// Something that happened in `team`. The snapshot that includes it is published before it is sent.
#[derive(Debug, Clone)]
pub struct TeamEvent {
    pub team: TeamName,
    pub event: Event,
}

/// A handle on the hub; clones speak to the same one.
#[derive(Clone)]
pub struct Leader {
    pub(crate) commands: mpsc::Sender<Command>,
    pub(crate) snapshot: watch::Receiver<Arc<StateResult>>,
    pub(crate) events: broadcast::Sender<TeamEvent>,
    pub(crate) notices: Arc<[String]>,
}

impl Leader {
    /// What the user should hear about how the team was found, such as questions that an earlier server left open.
    pub fn notices(&self) -> &[String] {
        &self.notices
    }

    /// The state as of now; `seq` is the connection's matter and 0 here.
    pub fn snapshot(&self) -> Arc<StateResult> {
        self.snapshot.borrow().clone()
    }

    /// A receiver that wakes whenever the state changed.
    pub fn watch(&self) -> watch::Receiver<Arc<StateResult>> {
        self.snapshot.clone()
    }

    /// All events from now on. A reader that lags by more than [`EVENT_BACKLOG`] is told how many it missed.
    pub fn events(&self) -> broadcast::Receiver<TeamEvent> {
        self.events.subscribe()
    }

    /// Makes this workspace's team, which has none yet.
    pub async fn create_team(&self, params: TeamCreateParams) -> Result<TeamView, Refusal> {
        self.call(|reply| Command::CreateTeam { params, reply }).await
    }

    /// Deletes a team with all it keeps; none of its members may run.
    pub async fn delete_team(&self, params: TeamDeleteParams) -> Result<(), Refusal> {
        self.call(|reply| Command::DeleteTeam { params, reply }).await
    }

    pub async fn prompt(&self, prompt: Prompt) -> Result<PromptResult, Refusal> {
        self.call(|reply| Command::Prompt { prompt, reply }).await
    }

    pub async fn interrupt(&self, member: MemberParams) -> Result<InterruptResult, Refusal> {
        self.call(|reply| Command::Interrupt { member, reply }).await
    }

    /// Has a member's history summarised before its next model request.
    pub async fn compact(&self, member: MemberParams) -> Result<(), Refusal> {
        self.call(|reply| Command::Compact { member, reply }).await
    }

    /// Has a member be in another conversation; refused while it works.
    pub async fn converse(
        &self,
        member: MemberParams,
        wish: ConversationWish,
    ) -> Result<ConversationView, Refusal> {
        self.call(|reply| Command::Converse { member, wish, reply }).await
    }

    /// A member's conversations, newest first.
    pub async fn conversations(&self, member: MemberParams) -> Result<ConversationListResult, Refusal> {
        self.call(|reply| Command::Conversations { member, reply }).await
    }

    /// Gives a conversation a title.
    pub async fn rename_conversation(
        &self,
        params: ConversationRenameParams,
    ) -> Result<ConversationView, Refusal> {
        self.call(|reply| Command::RenameConversation { params, reply }).await
    }

    pub async fn transcript(&self, params: TranscriptParams) -> Result<TranscriptResult, Refusal> {
        self.call(|reply| Command::Transcript { params, reply }).await
    }

    pub async fn message(&self, params: MessageParams) -> Result<MessageResult, Refusal> {
        self.call(|reply| Command::Message { params, reply }).await
    }

    pub async fn resolve(&self, params: PermissionResolveParams) -> Result<PermissionResolveResult, Refusal> {
        self.call(|reply| Command::Resolve { params, reply }).await
    }

    /// Starts a teammate at the user's wish; does not wait for its work.
    pub async fn spawn(&self, params: SpawnParams) -> Result<MemberView, Refusal> {
        self.call(|reply| Command::Spawn { params, reply }).await
    }

    pub async fn stop(&self, params: StopParams) -> Result<StopResult, Refusal> {
        self.call(|reply| Command::Stop { params, reply }).await
    }

    /// The team's list of tasks.
    pub async fn tasks(&self, params: TaskListParams) -> Result<TaskListResult, Refusal> {
        self.call(|reply| Command::Tasks { params, reply }).await
    }

    pub async fn create_task(&self, params: TaskCreateParams) -> Result<Task, Refusal> {
        self.call(|reply| Command::CreateTask { params, reply }).await
    }

    pub async fn update_task(&self, params: TaskUpdateParams) -> Result<Task, Refusal> {
        self.call(|reply| Command::UpdateTask { params, reply }).await
    }

    /// The user's decision about a plan.
    pub async fn resolve_plan(&self, params: PlanResolveParams) -> Result<PermissionResolveResult, Refusal> {
        self.call(|reply| Command::ResolvePlan { params, reply }).await
    }

    /// Snapshots of the workspace, newest first.
    pub async fn checkpoints(&self, params: CheckpointListParams) -> Result<CheckpointListResult, Refusal> {
        self.call(|reply| Command::Checkpoints { params, reply }).await
    }

    /// Makes the workspace what it was at a checkpoint.
    pub async fn restore_checkpoint(
        &self,
        params: CheckpointRestoreParams,
    ) -> Result<CheckpointRestoreResult, Refusal> {
        self.call(|reply| Command::RestoreCheckpoint { params, reply }).await
    }

    /// Starts a member again that does not run, with its history; one that was cut off goes on.
    pub async fn restart(&self, params: TeammateParams) -> Result<(), Refusal> {
        self.call(|reply| Command::Restart { params, reply }).await
    }

    /// Brings a teammate's terminal into sight.
    pub async fn show(&self, params: TeammateParams) -> Result<(), Refusal> {
        self.call(|reply| Command::Show { params, visible: true, reply }).await
    }

    /// Takes a teammate's terminal out of sight; what is in it runs on.
    pub async fn hide(&self, params: TeammateParams) -> Result<(), Refusal> {
        self.call(|reply| Command::Show { params, visible: false, reply }).await
    }

    pub async fn set_modes(&self, params: SetModesParams) -> Result<Vec<MemberView>, Refusal> {
        self.call(|reply| Command::SetModes { params, reply }).await
    }

    /// Chooses the model of one member, and how hard it thinks.
    pub async fn configure_member(&self, params: ConfigureParams) -> Result<MemberView, Refusal> {
        self.call(|reply| Command::ConfigureMember { params, reply }).await
    }

    pub async fn configure(&self, settings: Settings) {
        // A hub that is gone has no settings to change.
        let _ = self.commands.send(Command::Configure { settings }).await;
    }

    /// Ends every turn, member and child process; returns when nothing runs any more.
    pub async fn shutdown(&self) {
        let (reply, done) = oneshot::channel();
        if self.commands.send(Command::Shutdown { reply }).await.is_ok() {
            // An error means that the hub ended, which is what was asked.
            let _ = done.await;
        }
    }

    async fn call<T>(&self, command: impl FnOnce(Reply<T>) -> Command) -> Result<T, Refusal> {
        let (reply, answer) = oneshot::channel();
        self.commands.send(command(reply)).await.map_err(|_| Refusal::ShuttingDown)?;
        answer.await.map_err(|_| Refusal::ShuttingDown)?
    }
}
