//! The side of a server that joined: it shows what the leader shows, and passes on what its user wants.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::sync::Arc;
use std::time::Duration;

use swarm_agent::ports::Editor;
use swarm_store::{Door, TeamDir};
use swarm_wire::TeamName;
use swarm_wire::lsp::{Event, StateResult};
use swarm_wire::relay::{FromLeader, Hello, LINE_MAX, ToLeader, VERSION};
use tokio::net::UnixStream;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};

use super::calls::{self, Asker, Sorted};
use super::lead::PATIENCE;
use super::{Outgoing, editors, ways};
use crate::command::{Command, Refusal};
use crate::handle::Options;
use crate::publish::Publisher;

/// How long the leader may take for its first word.
const FIRST_WAIT: Duration = Duration::from_secs(2);

/// What a user is told whose call was with a leader that went away.
const LEFT: &str =
    "the editor that led the team went away before it answered; see whether it was done, and try again";

const SILENT: &str = "the editor that leads the team does not answer; close it, and this one leads";

/// A connection to the server that leads the team.
pub(super) struct Link {
    stream: UnixStream,
    /// What was read beyond the first message.
    read: Vec<u8>,
    pub(super) team: TeamName,
    pub(super) state: StateResult,
}

/// Why a link ended.
pub(super) enum Left {
    /// The leader is gone.
    Alone,
    /// This server is to end; who waits for that.
    Over(Option<oneshot::Sender<()>>),
}

impl Link {
    /// Joins the leader of a team. Blocks, [`FIRST_WAIT`] at most; the error is for the user.
    pub(super) fn open(team: &TeamDir) -> Result<Self, String> {
        let (stream, token) = Door::knock(team).map_err(|error| error.to_string())?;
        let hello =
            serde_json::to_string(&Hello { version: VERSION, token }).map_err(|error| error.to_string())?;
        let mut line = String::new();
        let mut talk = || {
            stream.set_read_timeout(Some(FIRST_WAIT))?;
            (&stream).write_all(format!("{hello}\n").as_bytes())?;
            let mut reader = BufReader::new(&stream);
            reader.by_ref().take(LINE_MAX as u64).read_line(&mut line)?;
            let read = reader.buffer().to_vec();
            stream.set_nonblocking(true)?;
            Ok(read)
        };
        let read = talk().map_err(|error: std::io::Error| format!("it does not answer ({error})"))?;
        let state = match serde_json::from_str(&line) {
            Ok(FromLeader::State { state }) => *state,
            Ok(FromLeader::Refused { why }) => return Err(why),
            Ok(_) => return Err("its first word was not the team's state".to_owned()),
            Err(error) => return Err(format!("its first word was not understood ({error})")),
        };
        let stream = UnixStream::from_std(stream).map_err(|error| error.to_string())?;
        Ok(Self { stream, read, team: team.name().clone(), state })
    }

    /// Follows the leader until it is gone, or this server is to end. `first` is passed on before all else.
    pub(super) async fn follow(
        self,
        commands: &mut mpsc::Receiver<Command>,
        first: Vec<Command>,
        publisher: &Publisher,
        options: &mut Options,
    ) -> Left {
        let Self { stream, read, team, state } = self;
        let (mut incoming, outgoing) = ways(stream, &read);
        let (messages, queue) = mpsc::unbounded_channel();
        // Beside the reading, so that two servers never wait for each other to read.
        let mut beside = JoinSet::new();
        beside.spawn(write(outgoing, queue));
        let mut following = Following { publisher, team, messages, asked: HashMap::new(), last: 0 };
        following.shows(state);
        publisher.changed_wholly(&following.team);
        for command in first {
            following.pass_on(command, options);
        }
        let (mut heard, mut was_told) = (Instant::now(), false);
        loop {
            tokio::select! {
                message = incoming.next::<FromLeader>() => match message {
                    Ok(message) => {
                        (heard, was_told) = (Instant::now(), false);
                        following.hear(message, &options.editor, &mut beside);
                    }
                    Err(why) => {
                        tracing::info!(why, "the leader is gone");
                        return Left::Alone;
                    }
                },
                command = commands.recv() => match command {
                    Some(Command::Shutdown { reply }) => return Left::Over(Some(reply)),
                    Some(command) => {
                        if following.asked.is_empty() {
                            heard = Instant::now();
                        }
                        following.pass_on(command, options);
                    }
                    None => return Left::Over(None),
                },
                () = sleep_until(heard + PATIENCE), if !following.asked.is_empty() && !was_told => {
                    was_told = true;
                    following.warn(SILENT);
                }
            }
        }
    }
}

async fn write(mut outgoing: Outgoing, mut queue: mpsc::UnboundedReceiver<ToLeader>) {
    while let Some(message) = queue.recv().await {
        // That the leader is gone is seen where it is read.
        if outgoing.send(&message).await.is_err() {
            return;
        }
    }
}

/// What is shown, and who waits for the leader.
struct Following<'a> {
    publisher: &'a Publisher,
    team: TeamName,
    messages: mpsc::UnboundedSender<ToLeader>,
    asked: HashMap<u64, Asker>,
    last: u64,
}

impl Following<'_> {
    fn hear(&mut self, message: FromLeader, editor: &Arc<dyn Editor>, beside: &mut JoinSet<()>) {
        match message {
            FromLeader::State { state } => self.shows(*state),
            FromLeader::Event { team, event } => self.publisher.tell(&team, vec![*event]),
            FromLeader::Missed { .. } => self.publisher.changed_wholly(&self.team),
            FromLeader::Answer { id, answer } => {
                if let Some(asker) = self.asked.remove(&id) {
                    asker(calls::result_of(answer));
                }
            }
            FromLeader::Editor { id, call } => {
                while beside.try_join_next().is_some() {}
                let (editor, messages) = (editor.clone(), self.messages.clone());
                beside.spawn(async move {
                    let answer = editors::answer(&*editor, call).await;
                    // A leader that is gone wants nothing.
                    let _ = messages.send(ToLeader::Editor { id, answer });
                });
            }
            FromLeader::Refused { why } => tracing::warn!(why, "the leader refuses what it took before"),
        }
    }

    fn shows(&self, state: StateResult) {
        self.publisher.publish(|shown| *shown = state, &self.team, Vec::new());
    }

    fn warn(&self, text: &str) {
        self.publisher.tell(&self.team, vec![Event::Warning { text: text.to_owned() }]);
    }

    fn pass_on(&mut self, command: Command, options: &mut Options) {
        match calls::sort(command) {
            Sorted::Call(call, asker) => {
                self.last += 1;
                self.asked.insert(self.last, asker);
                // One that cannot be sent is answered when the connection ends.
                let _ = self.messages.send(ToLeader::Call { id: self.last, call });
            }
            // They hold once this server leads.
            Sorted::Own(Command::Configure { settings }) => options.settings = settings,
            Sorted::Own(_) => {}
        }
    }
}

impl Drop for Following<'_> {
    fn drop(&mut self) {
        for (_, asker) in self.asked.drain() {
            asker(Err(Refusal::Failed(LEFT.to_owned())));
        }
    }
}
