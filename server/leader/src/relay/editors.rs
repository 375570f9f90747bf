//! The editors of all servers on the team, as one: what is open in any of them wins over the disk.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use swarm_agent::ports::{EditError, Edited, Editor};
use swarm_wire::lsp::Spot;
use swarm_wire::process::{CodePlace, Finding, LeaderAnswer, LeaderCall, LookUp};
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use crate::process::convert;

/// How long a server that joined may take to say what it has open: it looks it up in its memory.
const TEXT_WAIT: Duration = Duration::from_secs(2);
/// How long its editor may take to make an edit; its server is content with less.
const EDIT_WAIT: Duration = Duration::from_secs(90);
/// Calls that may wait for one server.
const BACKLOG: usize = 64;

/// The leader's own editor, and those of servers that joined, in the order in which they came.
pub(crate) struct Editors {
    own: Arc<dyn Editor>,
    joined: Mutex<Vec<Arc<Joined>>>,
}

/// Something that is wanted of a joined server's editor.
pub(super) struct Wanted {
    pub(super) call: LeaderCall,
    pub(super) answer: oneshot::Sender<LeaderAnswer>,
}

struct Joined {
    calls: mpsc::Sender<Wanted>,
    /// It did not answer in time. Agents do not wait for it again before it does.
    is_silent: AtomicBool,
}

/// A joined server's editor among the others, until it is dropped.
pub(super) struct Place {
    editors: Arc<Editors>,
    joined: Arc<Joined>,
}

impl Editors {
    pub(crate) fn new(own: Arc<dyn Editor>) -> Self {
        Self { own, joined: Mutex::default() }
    }

    /// Takes in the editor of a server that joined; what is wanted of it comes out of the queue.
    pub(super) fn join(self: &Arc<Self>) -> (Place, mpsc::Receiver<Wanted>) {
        let (calls, wanted) = mpsc::channel(BACKLOG);
        let joined = Arc::new(Joined { calls, is_silent: AtomicBool::new(false) });
        self.lock().push(joined.clone());
        (Place { editors: self.clone(), joined }, wanted)
    }

    fn others(&self) -> Vec<Arc<Joined>> {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arc<Joined>>> {
        self.joined.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Place {
    /// It answered something.
    pub(super) fn is_heard(&self) {
        self.joined.is_silent.store(false, Ordering::Relaxed);
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.editors.lock().retain(|joined| !Arc::ptr_eq(joined, &self.joined));
    }
}

impl Joined {
    /// `None` when it is gone, or does not answer within `wait`.
    async fn ask(&self, call: LeaderCall, wait: Duration) -> Option<LeaderAnswer> {
        if self.is_silent.load(Ordering::Relaxed) {
            return None;
        }
        let (answer, answered) = oneshot::channel();
        let asked = async {
            self.calls.send(Wanted { call, answer }).await.ok()?;
            answered.await.ok()
        };
        let answer = timeout(wait, asked).await;
        self.is_silent.store(answer.is_err(), Ordering::Relaxed);
        answer.ok().flatten()
    }
}

#[async_trait]
impl Editor for Editors {
    async fn open_text(&self, path: &Path) -> Option<String> {
        if let Some(text) = self.own.open_text(path).await {
            return Some(text);
        }
        for joined in self.others() {
            let call = LeaderCall::OpenText { path: path.to_owned() };
            if let Some(LeaderAnswer::Text { text: Some(text) }) = joined.ask(call, TEXT_WAIT).await {
                return Some(text);
            }
        }
        None
    }

    async fn edit(&self, path: &Path, before: &str, after: &str) -> Result<Edited, EditError> {
        match self.own.edit(path, before, after).await {
            Err(EditError::NotOpen) => {}
            edited => return edited,
        }
        for joined in self.others() {
            let (before, after) = (before.to_owned(), after.to_owned());
            let call = LeaderCall::Edit { path: path.to_owned(), before, after };
            let Some(answer) = joined.ask(call, EDIT_WAIT).await else { continue };
            match convert::edit_of(answer) {
                Err(EditError::NotOpen) => {}
                edited => return edited,
            }
        }
        Err(EditError::NotOpen)
    }

    fn knows(&self) -> bool {
        self.own.knows()
    }

    async fn diagnostics(&self, path: Option<&Path>) -> Result<Vec<Finding>, String> {
        self.own.diagnostics(path).await
    }

    async fn look_up(&self, what: LookUp, path: &Path, at: Spot) -> Result<Vec<CodePlace>, String> {
        self.own.look_up(what, path, at).await
    }
}

/// Does for the leader what it wants of this server's `editor`.
pub(super) async fn answer(editor: &dyn Editor, call: LeaderCall) -> LeaderAnswer {
    match call {
        LeaderCall::OpenText { path } => LeaderAnswer::Text { text: editor.open_text(&path).await },
        LeaderCall::Edit { path, before, after } => {
            convert::answer_of(editor.edit(&path, &before, &after).await)
        }
        _ => LeaderAnswer::Refused { why: "an editor is asked for its open documents alone".to_owned() },
    }
}
