//! A member's conversation as a document: what was said above a heading, and the user's next words below it. It is
//! enough to talk with the team from an editor that has no extension of ours.
//!
//! [`page`] is its text; [`mod@follow`] keeps what the editor has open true.

mod follow;
mod page;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use swarm_wire::AgentId;
use swarm_wire::lsp::{MemberParams, PromptParams, PromptResult, TranscriptParams};
use swarm_wire::transcript::{Body, Entry};
use tokio::sync::watch;

use crate::documents::{canonical, uri_of};
use crate::error::Problem;
use crate::handlers::prompt;
use crate::lsp::types::Url;
use crate::session::Session;

pub(crate) use follow::follow;

/// The conversations that were shown in this connection.
pub(crate) struct Conversations {
    shown: Mutex<Vec<Shown>>,
    changes: watch::Sender<u64>,
}

/// One of them.
#[derive(Debug, Clone)]
pub(crate) struct Shown {
    pub(crate) agent: AgentId,
    /// Of the document, with links resolved.
    pub(crate) path: PathBuf,
    /// What the user sent and the transcript does not have yet.
    sent: Vec<String>,
    /// Drafts that were sent, as they stand in the document until it is written anew.
    taken: Vec<String>,
}

impl Shown {
    /// The line above what the user writes, counted from 0.
    pub(crate) fn heading_line(&self, text: &str) -> Option<u32> {
        let above = text.len() - page::draft(text)?.len();
        u32::try_from(text[..above].lines().count()).ok()?.checked_sub(1)
    }

    /// A text is in the transcript, or will never be.
    fn came(&mut self, text: &str) {
        if let Some(at) = self.sent.iter().position(|sent| text.contains(sent.as_str())) {
            self.sent.remove(at);
        }
    }
}

impl Conversations {
    pub(crate) fn new() -> Self {
        Self { shown: Mutex::default(), changes: watch::Sender::new(0) }
    }

    /// The conversation that this document is, if it is one.
    pub(crate) fn of_uri(&self, uri: &Url) -> Option<Shown> {
        let path = canonical(&uri.to_file_path().ok()?);
        self.lock().iter().find(|shown| shown.path == path).cloned()
    }

    fn of_agent(&self, agent: &AgentId) -> Option<Shown> {
        self.lock().iter().find(|shown| shown.agent == *agent).cloned()
    }

    fn all(&self) -> Vec<Shown> {
        self.lock().clone()
    }

    fn add(&self, agent: AgentId, path: &Path) {
        let path = canonical(path);
        let mut shown = self.lock();
        if shown.iter().all(|shown| shown.agent != agent) {
            shown.push(Shown { agent, path, sent: Vec::new(), taken: Vec::new() });
        }
        drop(shown);
        self.changes.send_modify(|tick| *tick += 1);
    }

    fn change(&self, agent: &AgentId, change: impl FnOnce(&mut Shown)) {
        if let Some(shown) = self.lock().iter_mut().find(|shown| shown.agent == *agent) {
            change(shown);
        }
        self.changes.send_modify(|tick| *tick += 1);
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Shown>> {
        // Each change leaves a whole list, whoever panics.
        self.shown.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Makes a member's document true, and gives its address. Without a team there is one afterwards.
pub(crate) async fn open(session: &Session, member: MemberParams) -> Result<(Url, String), Problem> {
    let started = session.started()?;
    if started.leader.snapshot().teams.is_empty() {
        started.leader.create_team(Default::default()).await?;
    }
    // The answer says whom it is about, or who there is.
    let params = TranscriptParams { member: member.member.clone(), team: member.team, ..Default::default() };
    started.leader.transcript(TranscriptParams { limit: Some(1), ..params }).await?;
    let snapshot = started.leader.snapshot();
    let name = member.member.as_deref();
    let found = snapshot.members.iter().find(|member| match name {
        Some(name) => member.agent_id.is_called(name),
        None => member.agent_id.is_lead(),
    });
    let agent = found.map(|member| member.agent_id.clone());
    let agent = agent.ok_or_else(|| Problem::failed("the member has left the team"))?;
    let dir = started.root.team(&agent.team);
    let path = dir.conversation_page(&agent.name);
    session.conversations.add(agent.clone(), &path);
    let text = match session.documents.of_path(&path) {
        Some(document) => document.text.to_string(),
        None => write(session, &agent, &path).await?,
    };
    let uri = uri_of(&canonical(&path)).ok_or_else(|| Problem::failed("the document has no address"))?;
    Ok((uri, text))
}

/// Gives a member what the user wrote in its document; the draft begins anew there.
pub(crate) async fn send(session: Arc<Session>, shown: Option<Shown>) -> Result<PromptResult, Problem> {
    let lead = || session.conversations.all().into_iter().find(|shown| shown.agent.is_lead());
    let nothing = || Problem::failed("no conversation is open; swarm.open shows one");
    let shown = shown.or_else(lead).ok_or_else(nothing)?;
    let text = match session.documents.of_path(&shown.path) {
        Some(document) => document.text.to_string(),
        None => read(shown.path.clone()).await?,
    };
    let draft = page::draft(&text).unwrap_or_default().to_owned();
    if draft.trim().is_empty() {
        return Err(Problem::failed(format!(
            "nothing is written below `{}`; write there, then send",
            page::heading(&shown.agent.name)
        )));
    }
    let text = draft.trim().to_owned();
    let params = PromptParams {
        text: text.clone(),
        member: Some(shown.agent.name.to_string()),
        team: Some(shown.agent.team.to_string()),
        attachments: Vec::new(),
    };
    // Before the prompt, whose entry in the transcript takes it away again.
    session.conversations.change(&shown.agent, |shown| shown.sent.push(text.clone()));
    let prompted = prompt::prompt(session.clone(), params).await;
    session.conversations.change(&shown.agent, |shown| match &prompted {
        Ok(_) => shown.taken.push(draft),
        Err(_) => shown.came(&text),
    });
    if prompted.is_ok()
        && session.documents.of_path(&shown.path).is_none()
        && let Err(problem) = write(&session, &shown.agent, &shown.path).await
    {
        tracing::warn!(%problem, "a conversation on disk keeps a draft that was sent");
    }
    prompted
}

/// Writes a document that is not open; what the user wrote in it stays.
async fn write(session: &Session, agent: &AgentId, path: &Path) -> Result<String, Problem> {
    let before = read(path.to_owned()).await.unwrap_or_default();
    let mut said = Said::of(agent.clone());
    said.read_on(session).await?;
    let taken = session.conversations.of_agent(agent).map(|shown| shown.taken).unwrap_or_default();
    let text = said.page(session, (&[], &taken), &before)?;
    session.conversations.change(agent, |shown| shown.taken.clear());
    let (dir, name, whole) = (session.started()?.root.team(&agent.team), agent.name.clone(), text.clone());
    let written = tokio::task::spawn_blocking(move || dir.write_conversation_page(&name, &whole));
    let written = written.await.map_err(|lost| Problem::failed(lost.to_string()))?;
    written.map_err(|error| Problem::failed(error.to_string()))?;
    Ok(text)
}

async fn read(path: PathBuf) -> Result<String, Problem> {
    let text = tokio::fs::read_to_string(&path).await;
    text.map_err(|error| Problem::failed(format!("{} cannot be read: {error}", path.display())))
}

/// What was said in a conversation, as far as it was read.
struct Said {
    agent: AgentId,
    entries: Vec<Entry>,
    next: u64,
    /// Streamed text that the transcript does not have yet.
    live: String,
}

impl Said {
    fn of(agent: AgentId) -> Self {
        Self { agent, entries: Vec::new(), next: 0, live: String::new() }
    }

    /// Reads what is new in the transcript; an answer that is there is no longer streamed text.
    async fn read_on(&mut self, session: &Session) -> Result<(), Problem> {
        loop {
            let params = TranscriptParams {
                member: Some(self.agent.name.to_string()),
                team: Some(self.agent.team.to_string()),
                after: Some(self.next),
                limit: None,
            };
            let page = session.leader()?.transcript(params).await?;
            let is_last = page.entries.is_empty();
            if page.entries.iter().any(|entry| matches!(entry.body, Body::Assistant { .. })) {
                self.live.clear();
            }
            self.entries.extend(page.entries);
            self.next = page.next;
            if is_last {
                return Ok(());
            }
        }
    }

    /// The document's text, when it is `now`.
    fn page(
        &self,
        session: &Session,
        (sent, taken): (&[String], &[String]),
        now: &str,
    ) -> Result<String, Problem> {
        let snapshot = session.leader()?.snapshot();
        let body = page::body(&self.agent, &self.entries, &self.live, sent, &snapshot);
        Ok(page::page(&self.agent.name, &body, now, taken))
    }
}
