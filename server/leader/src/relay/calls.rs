//! Commands as calls of another server and back: one table, so that none is forgotten.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use swarm_wire::relay::{Answered, Call};
use tokio::sync::{mpsc, oneshot};

use crate::command::{Command, Refusal, Reply};

/// Who waits for what comes of a call.
pub(super) type Asker = Box<dyn FnOnce(Result<Value, Refusal>) + Send>;

/// A command, as one that follows another server takes it.
pub(super) enum Sorted {
    /// For the leader.
    Call(Box<Call>, Asker),
    /// For this server alone.
    Own(Command),
}

macro_rules! calls {
    ($($name:ident { $($field:ident),+ }),+ $(,)?) => {
        /// Makes a call of a command for the leader.
        pub(super) fn sort(command: Command) -> Sorted {
            match command {
                $(Command::$name { $($field,)+ reply } => {
                    Sorted::Call(Box::new(Call::$name { $($field),+ }), asker(reply))
                })+
                own @ (Command::Configure { .. } | Command::Shutdown { .. }) => Sorted::Own(own),
            }
        }

        /// Asks the hub what another server's user wants of it.
        pub(super) async fn ask(commands: &mpsc::Sender<Command>, call: Call) -> Answered {
            match call {
                $(Call::$name { $($field),+ } => {
                    asked(commands, |reply| Command::$name { $($field,)+ reply }).await
                })+
            }
        }
    };
}

calls! {
    CreateTeam { params },
    DeleteTeam { params },
    Prompt { prompt },
    Interrupt { member },
    Compact { member },
    Converse { member, wish },
    Conversations { member },
    RenameConversation { params },
    Transcript { params },
    Message { params },
    Resolve { params },
    Spawn { params },
    Stop { params },
    Tasks { params },
    CreateTask { params },
    UpdateTask { params },
    ResolvePlan { params },
    Checkpoints { params },
    RestoreCheckpoint { params },
    Restart { params },
    Show { params, visible },
    SetModes { params },
    ConfigureMember { params },
}

fn asker<T: DeserializeOwned + Send + 'static>(reply: Reply<T>) -> Asker {
    Box::new(move |answer| {
        let result = answer.and_then(|value| {
            serde_json::from_value(value).map_err(|error| {
                Refusal::Failed(format!("the leading editor's server is of another version: {error}"))
            })
        });
        // A client that went away takes no answer.
        let _ = reply.send(result);
    })
}

async fn asked<T: Serialize>(
    commands: &mpsc::Sender<Command>,
    command: impl FnOnce(Reply<T>) -> Command,
) -> Answered {
    let (reply, answer) = oneshot::channel();
    if commands.send(command(reply)).await.is_err() {
        return Answered::ShuttingDown;
    }
    match answer.await.unwrap_or(Err(Refusal::ShuttingDown)) {
        Ok(result) => match serde_json::to_value(result) {
            Ok(result) => Answered::Done { result },
            Err(error) => Answered::Failed { why: error.to_string() },
        },
        Err(Refusal::Unknown(why)) => Answered::Unknown { why },
        Err(Refusal::Invalid { field, problem }) => Answered::Invalid { field: field.into_owned(), problem },
        Err(Refusal::Failed(why)) => Answered::Failed { why },
        Err(Refusal::ShuttingDown) => Answered::ShuttingDown,
    }
}

/// The same, where it was asked.
pub(super) fn result_of(answer: Answered) -> Result<Value, Refusal> {
    match answer {
        Answered::Done { result } => Ok(result),
        Answered::Unknown { why } => Err(Refusal::Unknown(why)),
        Answered::Invalid { field, problem } => Err(Refusal::Invalid { field: field.into(), problem }),
        Answered::Failed { why } => Err(Refusal::Failed(why)),
        Answered::ShuttingDown => Err(Refusal::ShuttingDown),
    }
}

/// Answers a command with a refusal; gives back one that takes none.
pub(super) fn refuse(command: Command, refusal: Refusal) -> Option<Command> {
    match sort(command) {
        Sorted::Call(_, asker) => {
            asker(Err(refusal));
            None
        }
        Sorted::Own(command) => Some(command),
    }
}
