//! Teammates with a git worktree of their own: it is made before one starts, and looked at when it ended. Git takes its
//! time, so it works in tasks of its own, and the hub hears of what came of it.

use std::path::PathBuf;

use swarm_agent::ports::SpawnRequest;
use swarm_agent::{Class, Input, Receipt};
use swarm_wire::lsp::{Event as ClientEvent, MemberState, MemberView};
use swarm_wire::team::MemberEntry;
use swarm_wire::{AgentId, MessageId};
use tokio::sync::oneshot;

use super::Hub;
use super::members::blocking;
use crate::command::{Refusal, Reply};
use crate::event::Event;
use crate::team;
use crate::worktrees::{self, Ground, Settled};

/// Who wants a teammate, and hears what came of it.
pub(crate) enum Spawner {
    Agent(oneshot::Sender<Result<AgentId, String>>),
    User { call_id: Option<String>, reply: Reply<MemberView> },
}

/// A teammate that is wanted.
pub(crate) struct Wanted {
    pub(super) request: SpawnRequest,
    pub(super) color: Option<String>,
    pub(super) spawner: Spawner,
}

impl Hub {
    /// Starts a teammate, after its worktree was made where it is to have one; who wants it is told.
    pub(super) async fn begin(&mut self, wanted: Wanted) {
        if wanted.request.worktree {
            return self.begin_worktree(wanted).await;
        }
        let Wanted { request, color, spawner } = wanted;
        let spawned = self.spawn(request, color, None).await;
        self.answer_spawner(spawned, spawner);
    }

    async fn begin_worktree(&mut self, mut wanted: Wanted) {
        let (agent, folder) = match self.name_and_folder(&wanted.request).await {
            Ok(found) => found,
            Err(refusal) => return self.answer_spawner(Err(refusal), wanted.spawner),
        };
        let Some(workspace) = self.workspace.clone() else {
            return self.answer_spawner(Err(Refusal::ShuttingDown), wanted.spawner);
        };
        wanted.request.name = agent.name.clone();
        if let Spawner::User { call_id: Some(id), .. } = &wanted.spawner {
            self.spawned.insert(id.clone(), agent.clone());
        }
        self.making.insert(agent.clone());
        self.timers.spawn(async move {
            let made = worktrees::make(&workspace, &folder, &agent).await;
            let made = made.map_err(|error| Refusal::Failed(format!("a worktree cannot be made: {error}")));
            Event::WorktreeMade { agent, wanted: Box::new(wanted), made }
        });
    }

    /// The name that it will have, and where worktrees are.
    async fn name_and_folder(&self, request: &SpawnRequest) -> Result<(AgentId, PathBuf), Refusal> {
        let Some(team) = &self.team else { return Err(Refusal::ShuttingDown) };
        let (dir, file, making) = (team.led.dir.clone(), team.led.file.clone(), self.making.clone());
        let wanted = request.name.clone();
        blocking(move || {
            let folder = dir.prepare_worktrees()?;
            let folder = folder.canonicalize().unwrap_or(folder);
            let name = team::free_name(&dir, &file, &wanted, &making)?;
            Ok((AgentId::new(name, file.name), folder))
        })
        .await
    }

    /// A worktree is made, or cannot be.
    pub(super) async fn worktree_made(
        &mut self,
        agent: AgentId,
        wanted: Wanted,
        made: Result<Ground, Refusal>,
    ) {
        self.making.remove(&agent);
        let Wanted { request, color, spawner } = wanted;
        if let Spawner::User { call_id: Some(id), .. } = &spawner {
            self.spawned.remove(id);
        }
        let spawned = match made {
            Ok(ground) => {
                let worktree = ground.worktree.clone();
                let spawned = self.spawn(request, color, Some(ground)).await;
                // One that was a member is looked at as it leaves.
                if let (Err(_), Some(worktree), None) = (&spawned, worktree, self.roster.get(&agent)) {
                    self.timers.spawn(async move {
                        let settled = worktrees::settle(&worktree).await;
                        Event::WorktreeSettled { agent, ended: Vec::new(), settled }
                    });
                }
                spawned
            }
            Err(refusal) => Err(refusal),
        };
        self.answer_spawner(spawned, spawner);
    }

    fn answer_spawner(&mut self, spawned: Result<AgentId, Refusal>, spawner: Spawner) {
        // Who was interrupted or went away meanwhile does not wait; the teammate lives all the same.
        match spawner {
            Spawner::Agent(reply) => drop(reply.send(spawned.map_err(|refusal| refusal.to_string()))),
            Spawner::User { call_id, reply } => {
                let view = spawned.and_then(|agent| {
                    self.spawned.extend(call_id.map(|id| (id, agent.clone())));
                    self.view_of(&agent)
                });
                drop(reply.send(view));
            }
        }
    }

    /// A teammate as the one who started it sees it.
    pub(super) fn view_of(&self, agent: &AgentId) -> Result<MemberView, Refusal> {
        if self.making.contains(agent) {
            return Err(Refusal::Failed(format!("`{}` is being started; ask again in a moment", agent.name)));
        }
        let view = self.roster.get(agent).map(|member| member.view.clone());
        view.ok_or_else(|| Refusal::Unknown(format!("`{}` has ended", agent.name)))
    }

    /// Where a member works.
    ///
    /// # Errors
    /// When it has a worktree that is gone.
    pub(super) fn ground_of(&self, agent: &AgentId) -> Result<Ground, Refusal> {
        let workspace = self.workspace.clone().ok_or(Refusal::ShuttingDown)?;
        let ground = worktrees::ground(self.entry_of(agent), &workspace);
        match &ground.worktree {
            Some(worktree) if !worktree.path.is_dir() => Err(Refusal::Failed(format!(
                "the worktree {path} is gone; make it again with `git worktree add -f {path} {branch}`, or stop the teammate",
                path = worktree.path.display(),
                branch = worktree.branch
            ))),
            _ => Ok(ground),
        }
    }

    fn entry_of(&self, agent: &AgentId) -> Option<&MemberEntry> {
        self.team.as_ref()?.led.file.members.iter().find(|member| member.agent_id == *agent)
    }

    /// A teammate that ended leaves the team, once it is known what its worktree holds. `ended` is told then.
    pub(super) async fn depart(
        &mut self,
        agent: &AgentId,
        mut ended: Vec<ClientEvent>,
    ) -> Result<(), Refusal> {
        let worktree =
            self.workspace.as_ref().and_then(|at| worktrees::ground(self.entry_of(agent), at).worktree);
        let Some(worktree) = worktree else {
            let left = self.leave(agent).await;
            self.publish(ended);
            return left;
        };
        let last = ended.split_off(ended.len().min(1));
        self.publish(ended);
        let agent = agent.clone();
        self.timers.spawn(async move {
            let settled = worktrees::settle(&worktree).await;
            Event::WorktreeSettled { agent, ended: last, settled }
        });
        Ok(())
    }

    /// It is known what the worktree of a teammate that ended holds.
    pub(super) async fn worktree_settled(
        &mut self,
        agent: &AgentId,
        mut ended: Vec<ClientEvent>,
        settled: Settled,
    ) {
        let view = self.entry_of(agent).and_then(worktrees::view);
        let Some(worktree) = view else { return };
        let is_completed = |event: &ClientEvent| {
            matches!(event, ClientEvent::MemberEnded { outcome: MemberState::Completed, .. })
        };
        let agreed = ended.iter().any(is_completed);
        let told = match settled {
            Settled::Removed => "Its worktree held no work and is removed with its branch.".to_owned(),
            Settled::Kept(what) => {
                let told = format!(
                    "The worktree of {} is kept: {}, branch `{}` ({what}).",
                    agent.name, worktree.path, worktree.branch
                );
                ended.push(ClientEvent::Warning { text: told.clone() });
                self.give_lead(news(agent, &told, agreed)).await;
                told
            }
        };
        for event in &mut ended {
            if let ClientEvent::MemberEnded { summary, .. } = event {
                *summary = Some(told.clone());
            }
        }
        if let Err(refusal) = self.leave(agent).await {
            tracing::error!(%agent, %refusal, "an ended member is still in the team file");
        }
        self.publish(ended);
    }
}

/// What the leader's agent is told: of a teammate that agreed to end at once, of one that the user ended with whatever
/// comes next.
fn news(agent: &AgentId, text: &str, agreed: bool) -> Input {
    Input {
        class: if agreed { Class::Leader } else { Class::Notice },
        from: None,
        turn: None,
        shutdown: None,
        text: swarm_agent::wrap_news(agent.name.as_str(), text),
        pictures: Vec::new(),
        message: MessageId::new(swarm_agent::turn_id().as_str()),
        receipt: Receipt::new(|| {}),
    }
}
