//! What clients ask, and the questions that members put to the user.

use serde_json::Value;
use swarm_agent::ports::{InputCheck, SpawnRequest};
use swarm_guard::{Rules, Secrets};
use swarm_store::{Draft, Remembered, TranscriptReader};
use swarm_wire::lsp::{
    DecisionName, Event as ClientEvent, Hunk, InterruptResult, MemberParams, MemberView, MessageParams,
    MessageResult, PermissionResolveParams, PermissionResolveResult, PromptResult, ResolveOutcome,
    SpawnParams, TranscriptParams, TranscriptResult,
};
use swarm_wire::mail::Protocol;
use swarm_wire::permission::{Answer, Mode, Outcome, PermissionRequest, ResolvedBy, RuleUpdate, Scope};
use swarm_wire::picture::Picture;
use swarm_wire::settings::Settings;
use swarm_wire::{AgentId, MemberName, MessageId, RequestId};
use tokio::sync::oneshot;

use super::members::{add_rules, blocking, secrets};
use super::worktrees::{Spawner, Wanted};
use super::{Hub, plans};
use crate::command::{AttachedPicture, Command, Prompt, Refusal, Reply};
use crate::hunks::input_with_only;

/// Entries in one answer to `swarm/transcript`, at most.
const PAGE_MAX: u32 = 1000;

impl Hub {
    pub(crate) async fn command(&mut self, command: Command) {
        // A client that went away takes no answer; what it asked for is done all the same.
        match command {
            Command::CreateTeam { params, reply } => drop(reply.send(self.create_team(params).await)),
            Command::DeleteTeam { params, reply } => drop(reply.send(self.delete_team(params).await)),
            Command::Prompt { prompt, reply } => drop(reply.send(self.prompt(prompt).await)),
            Command::Interrupt { member, reply } => drop(reply.send(self.interrupt(&member))),
            Command::Compact { member, reply } => drop(reply.send(self.compact(&member))),
            Command::Converse { member, wish, reply } => self.converse(&member, wish, reply).await,
            Command::Conversations { member, reply } => self.list_conversations(&member, reply),
            Command::RenameConversation { params, reply } => {
                drop(reply.send(self.rename_conversation(params).await))
            }
            Command::Transcript { params, reply } => drop(reply.send(self.transcript(params).await)),
            Command::Message { params, reply } => drop(reply.send(self.message(params).await)),
            Command::Resolve { params, reply } => drop(reply.send(self.resolve(params).await)),
            Command::Spawn { params, reply } => self.spawn_for_user(params, reply).await,
            Command::Stop { params, reply } => drop(reply.send(self.stop(params).await)),
            Command::Tasks { params, reply } => drop(reply.send(self.list_tasks(params).await)),
            Command::CreateTask { params, reply } => drop(reply.send(self.create_task(params).await)),
            Command::UpdateTask { params, reply } => drop(reply.send(self.update_task(params).await)),
            Command::ResolvePlan { params, reply } => drop(reply.send(self.resolve_plan(params).await)),
            Command::Checkpoints { params, reply } => self.list_checkpoints(params, reply),
            Command::RestoreCheckpoint { params, reply } => self.restore_checkpoint(params, reply),
            Command::Restart { params, reply } => drop(reply.send(self.restart(params).await)),
            Command::Show { params, visible, reply } => self.show(&params, visible, reply),
            Command::SetModes { params, reply } => drop(reply.send(self.set_modes(params).await)),
            Command::ConfigureMember { params, reply } => {
                drop(reply.send(self.configure_member(params).await))
            }
            Command::Configure { settings } => self.configure(settings).await,
            // The loop takes this one itself.
            Command::Shutdown { reply } => drop(reply),
        }
    }

    /// New settings; those that decide calls hold from the next one, and decide waiting questions anew.
    async fn configure(&mut self, settings: Settings) {
        let secrets_changed = self.settings.secrets != settings.secrets;
        let before = std::mem::replace(&mut self.settings, settings);
        self.settle_provider();
        self.settle_client(&before);
        let happened = self.settle_models();
        self.publish(happened);
        self.review_budgets().await;
        let secrets = secrets(&self.settings).unwrap_or_else(|text| {
            self.publish(vec![ClientEvent::Warning { text }]);
            Secrets::default()
        });
        for live in self.roster.iter().filter_map(|member| member.live.as_ref()) {
            live.bounds.send_if_modified(|bounds| {
                let changed = bounds.trust != self.settings.trust || secrets_changed;
                bounds.trust = self.settings.trust;
                bounds.secrets = secrets.clone();
                changed
            });
        }
    }

    pub(super) async fn prompt(&mut self, prompt: Prompt) -> Result<PromptResult, Refusal> {
        if prompt.text.trim().is_empty() {
            return Err(Refusal::Invalid {
                field: "text".into(),
                problem: "is empty; say what is to be done".to_owned(),
            });
        }
        self.check_team(prompt.team.as_deref())?;
        self.ensure_provider().await?;
        self.refresh_rules().await;
        let agent = self.reachable(prompt.member.as_deref()).await?;
        let turn_id = swarm_agent::turn_id();
        let text = with_attachments(&prompt);
        let pictures = self.keep_pictures(&agent, prompt.pictures).await?;
        let message = Protocol::UserMessage { request_id: RequestId::new(turn_id.as_str()), text, pictures };
        let draft = Draft::protocol(&message).map_err(|error| Refusal::Failed(error.to_string()))?;
        self.send_as_user(&agent, draft).await?;
        if let Some(live) = self.roster.get_mut(&agent).and_then(|member| member.live.as_mut()) {
            live.promised.insert(turn_id.clone());
        }
        Ok(PromptResult { turn_id })
    }

    /// Puts pictures where the member finds them.
    async fn keep_pictures(
        &self,
        agent: &AgentId,
        attached: Vec<AttachedPicture>,
    ) -> Result<Vec<Picture>, Refusal> {
        let Some(team) = &self.team else { return Err(Refusal::ShuttingDown) };
        let (dir, agent) = (team.led.dir.clone(), agent.clone());
        let keep = move || {
            let outputs = dir.prepare_outputs(&agent)?;
            let kept = attached.into_iter().map(|AttachedPicture { picture, bytes, .. }| {
                swarm_store::keep_picture(&outputs, &picture, &bytes).map(|()| picture)
            });
            kept.collect()
        };
        blocking(keep).await
    }

    /// A teammate at the user's wish. The same call again gives what it made.
    async fn spawn_for_user(&mut self, params: SpawnParams, reply: Reply<MemberView>) {
        let (call_id, color) = (params.call_id.clone(), params.color.clone());
        match self.wanted_by_user(params).await {
            Err(refusal) => drop(reply.send(Err(refusal))),
            Ok(request) => match call_id.as_ref().and_then(|id| self.spawned.get(id)) {
                Some(made) => drop(reply.send(self.view_of(made))),
                None => {
                    let spawner = Spawner::User { call_id, reply };
                    self.begin(Wanted { request, color, spawner }).await;
                }
            },
        }
    }

    async fn wanted_by_user(&mut self, params: SpawnParams) -> Result<SpawnRequest, Refusal> {
        let SpawnParams {
            agent_type,
            name,
            prompt,
            team,
            model,
            effort,
            mode,
            plan_mode_required,
            backend,
            worktree,
            call_id: _,
            color: _,
        } = params;
        let mode = if plan_mode_required { Some(Mode::Plan) } else { mode };
        self.check_team(team.as_deref())?;
        let invalid =
            |field: &'static str, problem: String| Err(Refusal::Invalid { field: field.into(), problem });
        let name = match MemberName::for_teammate(&name) {
            Ok(name) => name,
            Err(error) => return invalid("name", error.to_string()),
        };
        if prompt.trim().is_empty() {
            return invalid("prompt", "is empty; a teammate needs a task".to_owned());
        }
        self.ensure_provider().await?;
        self.ensure_lead().await?;
        Ok(SpawnRequest { name, prompt, model, effort, mode, agent_type, backend, worktree })
    }

    /// A member that can take mail now.
    async fn reachable(&mut self, name: Option<&str>) -> Result<AgentId, Refusal> {
        self.ensure_lead().await?;
        let agent = self.roster.find(name)?.view.agent_id.clone();
        self.wake(&agent).await;
        let member = self.roster.find(name)?;
        if member.live.is_none() {
            let (name, state) = (&member.view.name, member.view.state);
            return Err(Refusal::Failed(format!(
                "`{name}` does not run any more ({state:?}); start another teammate"
            )));
        }
        Ok(member.view.agent_id.clone())
    }

    pub(super) async fn send_as_user(&mut self, to: &AgentId, draft: Draft) -> Result<MessageId, Refusal> {
        let live = self.roster.get(to).and_then(|member| member.live.as_ref());
        if let Some(process) = live.and_then(|live| live.process.as_ref()) {
            process.settled().await;
        }
        let Some(team) = &self.team else { return Err(Refusal::ShuttingDown) };
        let (sender, mailbox) = (team.user.clone(), team.led.dir.mailbox(to));
        blocking(move || sender.send(&mailbox, draft, swarm_store::Durability::Synced)).await
    }

    fn interrupt(&mut self, params: &MemberParams) -> Result<InterruptResult, Refusal> {
        self.check_team(params.team.as_deref())?;
        if self.team.is_none() {
            return Ok(InterruptResult { interrupted: false });
        }
        let member = self.roster.find(params.member.as_deref())?;
        Ok(InterruptResult {
            interrupted: member
                .live
                .as_ref()
                .is_some_and(|live| live.interrupt(member.view.turn_id.is_some())),
        })
    }

    async fn transcript(&mut self, params: TranscriptParams) -> Result<TranscriptResult, Refusal> {
        self.check_team(params.team.as_deref())?;
        let limit = params.limit.unwrap_or(PAGE_MAX);
        if !(1..=PAGE_MAX).contains(&limit) {
            return Err(Refusal::Invalid {
                field: "limit".into(),
                problem: format!("is {limit}; it takes 1 to {PAGE_MAX}"),
            });
        }
        let Some(team) = &self.team else {
            return Ok(TranscriptResult { entries: Vec::new(), next: 0 });
        };
        let agent = self.roster.find(params.member.as_deref())?.view.agent_id.clone();
        let (dir, after) = (team.led.dir.clone(), params.after.unwrap_or(0));
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let page = blocking(move || TranscriptReader::new(&dir, &agent)?.page(after, limit)).await?;
        Ok(TranscriptResult { entries: page.entries, next: page.next })
    }

    async fn message(&mut self, params: MessageParams) -> Result<MessageResult, Refusal> {
        let MessageParams { to, text, team, summary } = params;
        self.check_team(team.as_deref())?;
        if text.trim().is_empty() {
            return Err(Refusal::Invalid {
                field: "text".into(),
                problem: "is empty; a message needs words".to_owned(),
            });
        }
        let receivers = match to.as_str() {
            "*" => {
                self.ensure_lead().await?;
                let there = self.roster.iter().filter(|member| !member.view.state.has_ended());
                let there: Vec<AgentId> = there.map(|member| member.view.agent_id.clone()).collect();
                for agent in &there {
                    self.wake(agent).await;
                }
                there
            }
            name => vec![self.reachable(Some(name)).await?],
        };
        let mut last = None;
        for receiver in &receivers {
            let draft = Draft { summary: summary.clone(), ..Draft::text(text.clone()) };
            let id = self.send_as_user(receiver, draft).await?;
            self.publish(vec![ClientEvent::Message {
                from: swarm_wire::ids::USER.to_owned(),
                to: receiver.clone(),
                id: id.clone(),
                summary: summary.clone(),
                text: text.clone(),
            }]);
            last = Some(id);
        }
        last.map(|id| MessageResult { id })
            .ok_or_else(|| Refusal::Unknown("there is nobody in the team".to_owned()))
    }

    /// A member asks: the question is on disk, then shown.
    pub(super) async fn asked(
        &mut self,
        request: PermissionRequest,
        check: InputCheck,
        answer: oneshot::Sender<Answer>,
    ) {
        let agent = request.worker_id.clone();
        let kept = match self.plan_presented(request).await {
            Ok(request) => match &mut self.team {
                Some(team) => team.queue.add(request, check, answer).await,
                None => return,
            },
            Err(refusal) => Err(refusal.to_string()),
        };
        let shown = match kept {
            Ok(Some(shown)) => shown,
            Ok(None) => return,
            Err(error) => {
                // Dropping the answer's sender tells the member that nobody will answer.
                tracing::error!(%error, "a question could not be kept, so it is not asked");
                let text =
                    format!("a question of {} could not be kept, so it is not asked: {error}", agent.name);
                self.publish(vec![ClientEvent::Warning { text }]);
                return;
            }
        };
        let mut happened = self.settle_waiting(&agent);
        happened.extend(plans::requested(shown));
        self.publish(happened);
    }

    pub(super) async fn withdraw(&mut self, id: &RequestId) {
        let Some(team) = &mut self.team else { return };
        let request = team.queue.get(id).cloned();
        if !team.queue.withdraw(id).await {
            return;
        }
        let agent = request.as_ref().map(|request| request.worker_id.clone());
        let mut happened = agent.map(|agent| self.settle_waiting(&agent)).unwrap_or_default();
        happened.push(plans::taken_back(id, request.as_ref()));
        self.publish(happened);
    }

    async fn resolve(&mut self, params: PermissionResolveParams) -> Result<PermissionResolveResult, Refusal> {
        let PermissionResolveParams { ids, decision, mut updated_input, hunks, feedback, remember } = params;
        if ids.is_empty() {
            return Err(Refusal::Invalid {
                field: "ids".into(),
                problem: "is empty; name the requests to answer".to_owned(),
            });
        }
        if updated_input.is_some() && (ids.len() > 1 || decision == DecisionName::Reject) {
            let problem = "goes with one request that is allowed".to_owned();
            return Err(Refusal::Invalid { field: "updatedInput".into(), problem });
        }
        if let Some(plan) = self.team.as_ref().and_then(|team| ids.iter().find_map(|id| team.queue.plan(id)))
        {
            let problem = format!("`{}` is a plan; decide it with swarm/plan/resolve", plan.id);
            return Err(Refusal::Invalid { field: "ids".into(), problem });
        }
        if !hunks.is_empty() {
            if updated_input.is_some() || ids.len() > 1 || decision == DecisionName::Reject {
                let problem = "goes with one request that is allowed, and without `updatedInput`".to_owned();
                return Err(Refusal::Invalid { field: "hunks".into(), problem });
            }
            updated_input = self.only(&ids, &hunks)?;
        }
        if let Some(input) = &updated_input {
            self.check_input(&ids, input)?;
        }
        if let Some(update) = &remember {
            check_remember(update)?;
        }
        let answer = Answer {
            allow: decision == DecisionName::Allow,
            feedback,
            updated_input,
            permission_updates: remember.iter().cloned().collect(),
        };
        let mut results = Vec::with_capacity(ids.len());
        let mut askers = Vec::new();
        for id in ids {
            let asker = self
                .team
                .as_ref()
                .and_then(|team| team.queue.get(&id))
                .map(|request| request.worker_id.clone());
            let outcome = self.resolve_one(&id, answer.clone(), ResolvedBy::Leader).await?;
            if outcome == Outcome::Resolved {
                askers.extend(asker);
            }
            results.push(ResolveOutcome { id, outcome });
        }
        if let Some(update) = remember {
            self.remember(&update, &askers).await?;
        }
        Ok(PermissionResolveResult { results })
    }

    /// The input that makes only these hunks; none when the question is not open any more.
    fn only(&self, ids: &[RequestId], hunks: &[Hunk]) -> Result<Option<Value>, Refusal> {
        let mut open = ids.iter().filter_map(|id| self.team.as_ref()?.queue.get(id));
        let input = open.next().map(|request| input_with_only(request, hunks));
        input.transpose().map_err(|problem| Refusal::Invalid { field: "hunks".into(), problem })
    }

    /// Refuses an input that the tool would not take, while the question is still open.
    fn check_input(&self, ids: &[RequestId], input: &Value) -> Result<(), Refusal> {
        let checks = ids.iter().filter_map(|id| self.team.as_ref()?.queue.check(id, input));
        match checks.into_iter().next() {
            Some(problem) => Err(Refusal::Invalid { field: "updatedInput".into(), problem }),
            None => Ok(()),
        }
    }

    pub(super) async fn resolve_one(
        &mut self,
        id: &RequestId,
        answer: Answer,
        by: ResolvedBy,
    ) -> Result<Outcome, Refusal> {
        let Some(team) = &mut self.team else { return Ok(Outcome::Unknown) };
        let agent = team.queue.get(id).map(|request| request.worker_id.clone());
        let allowed = answer.allow;
        let outcome = team.queue.resolve(id, answer, by).await.map_err(Refusal::Failed)?;
        if outcome == Outcome::Resolved {
            let mut happened = agent.map(|agent| self.settle_waiting(&agent)).unwrap_or_default();
            happened.push(ClientEvent::PermissionResolved {
                id: id.clone(),
                allowed: Some(allowed),
                resolved_by: Some(by),
            });
            self.publish(happened);
        }
        Ok(outcome)
    }

    /// Keeps a rule.
    async fn remember(&mut self, update: &RuleUpdate, askers: &[AgentId]) -> Result<(), Refusal> {
        let Some(team) = &mut self.team else { return Ok(()) };
        let holders: Vec<AgentId> = match update.scope {
            Scope::Session => askers.to_vec(),
            _ => self.roster.iter().map(|member| member.view.agent_id.clone()).collect(),
        };
        if update.scope == Scope::Team && !askers.is_empty() {
            let (dir, kept) = (team.led.dir.clone(), update.clone());
            team.led.file = blocking(move || {
                dir.update(|file| {
                    file.team_rules.push(kept);
                    file.clone()
                })
            })
            .await?;
        }
        if matches!(update.scope, Scope::Project | Scope::User) && !askers.is_empty() {
            let (settings, kept) = (self.root.settings(team.led.file.workspace.as_ref()), update.clone());
            if blocking(move || settings.remember(&kept)).await? == Remembered::Untrusted {
                let text =
                    "the rule is in the project's settings, which you have not trusted, so it does not hold";
                self.publish(vec![ClientEvent::Warning { text: text.to_owned() }]);
                return Ok(());
            }
        }
        if update.scope != Scope::Session && !askers.is_empty() {
            // Checked before; a refusal here would only leave a later member without it.
            let _ = team.rules.add(update);
        }
        for agent in holders {
            if update.scope == Scope::Session
                && let Some(member) = self.roster.get_mut(&agent)
            {
                member.session_rules.push(update.clone());
            }
            let Some(live) = self.roster.get(&agent).and_then(|member| member.live.as_ref()) else {
                continue;
            };
            // Its waiting questions are decided anew by this.
            add_rules(live, update);
        }
        Ok(())
    }
}

/// Refuses what cannot be kept, before anything is answered with it.
fn check_remember(update: &RuleUpdate) -> Result<(), Refusal> {
    let invalid = |problem: String| Err(Refusal::Invalid { field: "remember".into(), problem });
    if update.rules.is_empty() {
        return invalid("has no rules; name at least one, such as `Bash(make test)`".to_owned());
    }
    Rules::default().add(update).or_else(|error| invalid(error.to_string()))
}

/// The prompt, and behind it the pieces of files that go with it, and what stands for pictures.
fn with_attachments(prompt: &Prompt) -> String {
    let mut text = prompt.text.clone();
    for attached in &prompt.attachments {
        let lines =
            attached.lines.map(|(first, last)| format!(", lines {first} to {last}")).unwrap_or_default();
        text.push_str(&format!("\n\n[From {}{lines}]\n{}", attached.path.display(), attached.text));
    }
    for attached in &prompt.pictures {
        text.push_str(&format!("\n\n[From {}]\n{}", attached.path.display(), attached.picture));
    }
    text
}
