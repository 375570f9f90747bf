//! Keeps the conversations that are open in the editor as they are: streamed text, calls, questions.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use swarm_agent::ports::{EditError, Editor};
use swarm_leader::TeamEvent;
use swarm_wire::AgentId;
use swarm_wire::lsp::Event;
use swarm_wire::transcript::Body;
use tokio::sync::broadcast::error::RecvError;
use tokio::time::Instant;

use super::{Said, Shown};
use crate::error::Problem;
use crate::session::Session;

/// Each edit is a step of the editor's undo, so what streams is gathered for so long.
const GATHER: Duration = Duration::from_millis(400);
/// After an edit that the editor did not take.
const AGAIN: Duration = Duration::from_secs(2);

/// A conversation that is open in the editor.
struct Thread {
    said: Said,
    /// The transcript has something new.
    grew: bool,
    /// When it is to be written.
    due: Option<Instant>,
}

/// Writes after each change, until the leader ends.
pub(crate) async fn follow(session: Arc<Session>) {
    let Ok(started) = session.started() else { return };
    let mut events = started.leader.events();
    let mut documents = session.documents.watch();
    let mut shown = session.conversations.changes.subscribe();
    let mut threads: HashMap<AgentId, Thread> = HashMap::new();
    loop {
        let due = threads.values().filter_map(|thread| thread.due).min();
        let wait = async {
            match due {
                Some(due) => tokio::time::sleep_until(due).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            event = events.recv() => match event {
                Ok(TeamEvent { event, .. }) => hear(&mut threads, &event),
                Err(RecvError::Lagged(_)) => threads.values_mut().for_each(Thread::changed),
                Err(RecvError::Closed) => return,
            },
            changed = documents.changed() => match changed {
                Ok(()) => look(&session, &mut threads),
                Err(_) => return,
            },
            changed = shown.changed() => match changed {
                Ok(()) => {
                    look(&session, &mut threads);
                    threads.values_mut().for_each(Thread::soon);
                }
                Err(_) => return,
            },
            () = wait => {
                let now = Instant::now();
                for thread in threads.values_mut().filter(|thread| thread.due.is_some_and(|due| due <= now)) {
                    thread.write(&session).await;
                }
            }
        }
    }
}

/// Takes up what was opened, and leaves what was closed.
fn look(session: &Session, threads: &mut HashMap<AgentId, Thread>) {
    for Shown { agent, path, .. } in session.conversations.all() {
        let is_open = session.documents.version_of_path(&path).is_some();
        if !is_open {
            threads.remove(&agent);
            continue;
        }
        threads.entry(agent).or_insert_with_key(|agent| {
            let said = Said::of(agent.clone());
            Thread { said, grew: true, due: Some(Instant::now()) }
        });
    }
}

fn hear(threads: &mut HashMap<AgentId, Thread>, event: &Event) {
    match event {
        Event::Text { member, text, .. } => {
            if let Some(thread) = threads.get_mut(member) {
                thread.said.live.push_str(text);
                thread.soon();
            }
        }
        Event::TurnRestarted { member, discarded_text, .. } => {
            if let Some(thread) = threads.get_mut(member) {
                let kept = thread.said.live.strip_suffix(discarded_text.as_str()).map(str::len);
                thread.said.live.truncate(kept.unwrap_or_default());
                thread.soon();
            }
        }
        Event::ToolStarted { member, .. }
        | Event::ToolFinished { member, .. }
        | Event::Compacted { member, .. } => {
            if let Some(thread) = threads.get_mut(member) {
                thread.changed();
            }
        }
        Event::TurnEnded { member, .. } => {
            if let Some(thread) = threads.get_mut(member) {
                // As far as it counts, it is in the transcript.
                thread.said.live.clear();
                thread.changed();
            }
        }
        Event::ConversationChanged { member, .. } => {
            if let Some(thread) = threads.get_mut(member) {
                // What was said is another's.
                thread.said = Said::of(member.clone());
                thread.changed();
            }
        }
        // An input of a member is in its transcript once its turn begins.
        Event::MemberChanged { member } => {
            if let Some(thread) = threads.get_mut(&member.agent_id).filter(|_| member.turn_id.is_some()) {
                thread.changed();
            }
        }
        Event::PermissionRequested { .. }
        | Event::PermissionResolved { .. }
        | Event::PlanRequested { .. }
        | Event::PlanResolved { .. } => threads.values_mut().for_each(Thread::soon),
        _ => {}
    }
}

impl Thread {
    fn soon(&mut self) {
        self.due.get_or_insert_with(|| Instant::now() + GATHER);
    }

    fn changed(&mut self) {
        self.grew = true;
        self.soon();
    }

    /// Writes the document as it is to be. One that the user changed meanwhile is written a moment later.
    async fn write(&mut self, session: &Session) {
        self.due = None;
        let agent = self.said.agent.clone();
        if std::mem::take(&mut self.grew)
            && let Err(problem) = self.read_on(session).await
        {
            tracing::warn!(%problem, %agent, "a conversation is not read");
        }
        let Ok(started) = session.started() else { return };
        let Some(shown) = session.conversations.of_agent(&agent) else { return };
        let Some(document) = session.documents.of_path(&shown.path) else { return };
        let Ok(page) = self.said.page(session, (&shown.sent, &shown.taken), &document.text) else { return };
        if page == *document.text {
            return;
        }
        match started.editor.edit(&shown.path, &document.text, &page).await {
            Ok(_) if shown.taken.is_empty() => {}
            Ok(_) => session.conversations.change(&agent, |now| {
                now.taken.drain(..shown.taken.len().min(now.taken.len()));
            }),
            Err(EditError::NotOpen) => {}
            Err(EditError::Changed) => self.soon(),
            Err(error) => {
                tracing::warn!(%error, %agent, "a conversation is not written");
                self.due = Some(Instant::now() + AGAIN);
            }
        }
    }

    /// What was sent and is in the transcript now is no longer shown apart.
    async fn read_on(&mut self, session: &Session) -> Result<(), Problem> {
        let before = self.said.entries.len();
        self.said.read_on(session).await?;
        for entry in self.said.entries.iter().skip(before) {
            if let Body::User { text, .. } = &entry.body {
                session.conversations.change(&self.said.agent, |shown| shown.came(text));
            }
        }
        Ok(())
    }
}
