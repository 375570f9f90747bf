//! What can be asked of the hub. The hub answers each at once; nothing here waits for a person or a model.

use std::borrow::Cow;

use swarm_wire::conversation::ConversationWish;
use swarm_wire::lsp::{
    CheckpointListParams, CheckpointListResult, CheckpointRestoreParams, CheckpointRestoreResult,
    ConfigureParams, ConversationListResult, ConversationRenameParams, ConversationView, InterruptResult,
    MemberParams, MemberView, MessageParams, MessageResult, PermissionResolveParams, PermissionResolveResult,
    PlanResolveParams, PromptResult, SetModesParams, SpawnParams, StopParams, StopResult, TaskCreateParams,
    TaskListParams, TaskListResult, TaskUpdateParams, TeamCreateParams, TeamDeleteParams, TeamView,
    TeammateParams, TranscriptParams, TranscriptResult,
};
pub use swarm_wire::relay::{AttachedPicture, AttachedText, Prompt};
use swarm_wire::settings::Settings;
use swarm_wire::task::Task;
use tokio::sync::oneshot;

/// Why the hub could not do what was asked; the text is for the user.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// No such team, member or task; the text says which exist.
    #[error("{0}")]
    Unknown(String),
    /// A value that cannot be; `field` names the parameter.
    #[error("{field}: {problem}")]
    Invalid { field: Cow<'static, str>, problem: String },
    /// It is what it should be, but cannot be done now; the text says why and what would help.
    #[error("{0}")]
    Failed(String),
    #[error("the server is shutting down")]
    ShuttingDown,
}

/// Where the answer to a command goes.
pub type Reply<T> = oneshot::Sender<Result<T, Refusal>>;

/// One thing that a client, the command line or a test asks of the team.
pub enum Command {
    CreateTeam {
        params: TeamCreateParams,
        reply: Reply<TeamView>,
    },
    DeleteTeam {
        params: TeamDeleteParams,
        reply: Reply<()>,
    },
    Prompt {
        prompt: Prompt,
        reply: Reply<PromptResult>,
    },
    Interrupt {
        member: MemberParams,
        reply: Reply<InterruptResult>,
    },
    Compact {
        member: MemberParams,
        reply: Reply<()>,
    },
    /// Be in another conversation.
    Converse {
        member: MemberParams,
        wish: ConversationWish,
        reply: Reply<ConversationView>,
    },
    Conversations {
        member: MemberParams,
        reply: Reply<ConversationListResult>,
    },
    RenameConversation {
        params: ConversationRenameParams,
        reply: Reply<ConversationView>,
    },
    Transcript {
        params: TranscriptParams,
        reply: Reply<TranscriptResult>,
    },
    Message {
        params: MessageParams,
        reply: Reply<MessageResult>,
    },
    Resolve {
        params: PermissionResolveParams,
        reply: Reply<PermissionResolveResult>,
    },
    Spawn {
        params: SpawnParams,
        reply: Reply<MemberView>,
    },
    Stop {
        params: StopParams,
        reply: Reply<StopResult>,
    },
    Tasks {
        params: TaskListParams,
        reply: Reply<TaskListResult>,
    },
    CreateTask {
        params: TaskCreateParams,
        reply: Reply<Task>,
    },
    UpdateTask {
        params: TaskUpdateParams,
        reply: Reply<Task>,
    },
    ResolvePlan {
        params: PlanResolveParams,
        reply: Reply<PermissionResolveResult>,
    },
    Checkpoints {
        params: CheckpointListParams,
        reply: Reply<CheckpointListResult>,
    },
    RestoreCheckpoint {
        params: CheckpointRestoreParams,
        reply: Reply<CheckpointRestoreResult>,
    },
    Restart {
        params: TeammateParams,
        reply: Reply<()>,
    },
    /// Bring a teammate's terminal into sight, or take it out.
    Show {
        params: TeammateParams,
        visible: bool,
        reply: Reply<()>,
    },
    SetModes {
        params: SetModesParams,
        reply: Reply<Vec<MemberView>>,
    },
    ConfigureMember {
        params: ConfigureParams,
        reply: Reply<MemberView>,
    },
    /// Settings that hold from the next model request or tool call on.
    Configure {
        settings: Settings,
    },
    /// End every turn and member; answered when nothing runs any more.
    Shutdown {
        reply: oneshot::Sender<()>,
    },
}
