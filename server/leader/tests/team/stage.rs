//! What a test plays on: a workspace, a state root, a scripted model, and the leader between them.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use swarm_agent::ports::{Editor, NoEditor};
use swarm_guard::exec::{Environment, Helper};
use swarm_leader::command::Prompt;
use swarm_leader::{Leader, Machine, Options, Refusal, Session, StartedIn, TeamEvent};
use swarm_script::{Script, ScriptServer};
use swarm_wire::TurnId;
use swarm_wire::lsp::{
    DecisionName, Event, PermissionResolveParams, ResolveOutcome, TranscriptParams, TurnEnd,
};
use swarm_wire::permission::{Outcome, PermissionRequest};
use swarm_wire::settings::{Secret, Settings};
use swarm_wire::transcript::Entry;
use tempfile::TempDir;
use tokio::sync::broadcast;

const PATIENCE: Duration = Duration::from_secs(20);

/// One leader on one workspace. [`Stage::close`] checks what the model server thought of it all.
pub(crate) struct Stage {
    pub(crate) leader: Leader,
    pub(crate) model: ScriptServer,
    pub(crate) folder: Arc<TempDir>,
    pub(crate) settings: Settings,
    events: broadcast::Receiver<TeamEvent>,
}

impl Stage {
    pub(crate) async fn new(script: Script) -> Self {
        Self::again(Arc::new(Self::folders()), script).await
    }

    /// An empty workspace, and a home.
    pub(crate) fn folders() -> TempDir {
        let folder = tempfile::tempdir().unwrap();
        for name in ["shop", "home"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        folder
    }

    /// A leader on the folders of an earlier stage, which ended a while ago.
    pub(crate) async fn again(folder: Arc<TempDir>, script: Script) -> Self {
        Self::an_hour_passes(&folder);
        Self::reloaded(folder, script).await
    }

    /// As if the last leader on these folders had ended that long ago.
    pub(crate) fn an_hour_passes(folder: &TempDir) {
        let seen = folder.path().join("state/teams/shop/leader.seen");
        if let Ok(seen) = std::fs::File::options().write(true).open(seen) {
            seen.set_modified(SystemTime::now() - Duration::from_secs(3600)).unwrap();
        }
    }

    /// A leader on the folders of an earlier stage, right behind it.
    pub(crate) async fn reloaded(folder: Arc<TempDir>, script: Script) -> Self {
        Self::with(folder, script, |_| {}).await
    }

    /// A leader on these folders, with settings that `change` makes.
    pub(crate) async fn with(
        folder: Arc<TempDir>,
        script: Script,
        change: impl FnOnce(&mut Settings),
    ) -> Self {
        Self::in_editor(folder, script, change, Arc::new(NoEditor)).await
    }

    /// A leader whose members work in this editor.
    pub(crate) async fn in_editor(
        folder: Arc<TempDir>,
        script: Script,
        change: impl FnOnce(&mut Settings),
        editor: Arc<dyn Editor>,
    ) -> Self {
        let model = ScriptServer::start(script).await.unwrap();
        let mut settings = Settings {
            base_url: Some(model.base_url()),
            api_key: Some(Secret::new("sk-of-the-stage")),
            ..Settings::default()
        };
        change(&mut settings);
        let leader = Leader::start(Options {
            root: folder.path().join("state"),
            workspace: Some(folder.path().join("shop")),
            settings: settings.clone(),
            machine: Machine {
                home: folder.path().join("home"),
                env: Environment::default(),
                caches: None,
                local_servers: Vec::new(),
                helper: Helper::At("/bin/false".into()),
                started_in: StartedIn::default(),
            },
            editor,
            terminals: None,
            session: Session::default(),
        });
        let events = leader.events();
        Self { leader, model, folder, settings, events }
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join("shop").join(name)
    }

    pub(crate) async fn prompt(&self, text: &str) -> TurnId {
        self.leader.prompt(Prompt { text: text.to_owned(), ..Prompt::default() }).await.unwrap().turn_id
    }

    /// The next event that `pick` takes; those before it are passed over.
    pub(crate) async fn next<T>(&mut self, what: &str, mut pick: impl FnMut(Event) -> Option<T>) -> T {
        let mut passed = Vec::new();
        loop {
            let event = match tokio::time::timeout(PATIENCE, self.events.recv()).await {
                Ok(event) => event.unwrap().event,
                Err(_) => panic!("no {what} came; there were: {passed:#?}"),
            };
            passed.push(event.clone());
            if let Some(picked) = pick(event) {
                return picked;
            }
        }
    }

    pub(crate) async fn question(&mut self) -> PermissionRequest {
        let picked = self.next("question", |event| match event {
            Event::PermissionRequested { request } => Some(*request),
            _ => None,
        });
        picked.await
    }

    /// The end of the next turn of `member`.
    pub(crate) async fn turn_end(&mut self, member: &str) -> (TurnEnd, Option<String>) {
        let picked = self.next("turn's end", |event| match event {
            Event::TurnEnded { member: id, reason, detail, .. } if id.name.as_str() == member => {
                Some((reason, detail))
            }
            _ => None,
        });
        picked.await
    }

    pub(crate) async fn allow(&self, request: &PermissionRequest) {
        assert_eq!(self.resolve(request, |_| {}).await, Ok(Outcome::Resolved));
    }

    /// Answers with yes, unless `change` makes it another answer.
    pub(crate) async fn resolve(
        &self,
        request: &PermissionRequest,
        change: impl FnOnce(&mut PermissionResolveParams),
    ) -> Result<Outcome, Refusal> {
        let mut params = PermissionResolveParams {
            ids: vec![request.id.clone()],
            decision: DecisionName::Allow,
            updated_input: None,
            hunks: Vec::new(),
            feedback: None,
            remember: None,
        };
        change(&mut params);
        let mut results: Vec<ResolveOutcome> = self.leader.resolve(params).await?.results;
        Ok(results.pop().unwrap().outcome)
    }

    pub(crate) async fn transcript(&self, member: &str) -> Vec<Entry> {
        let params = TranscriptParams { member: Some(member.to_owned()), ..TranscriptParams::default() };
        self.leader.transcript(params).await.unwrap().entries
    }

    /// Ends the leader. Fails when the model was ever asked something that a real one would refuse.
    pub(crate) async fn close(self) {
        self.leader.shutdown().await;
        assert_eq!(self.model.violations(), [], "the model server refused requests");
        assert_eq!(self.model.prefix_breaks(), [], "a prompt did not begin with the one before it");
    }
}
