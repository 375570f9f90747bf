//! The team's list of tasks: who is free takes the next one, and what a member that is gone had is free again.

use swarm_store::{Draft, TeamDir};
use swarm_wire::AgentId;
use swarm_wire::lsp::{
    Event as ClientEvent, MemberState, TaskCreateParams, TaskListParams, TaskListResult, TaskUpdateParams,
};
use swarm_wire::mail::Protocol;
use swarm_wire::task::{Task, TaskId, TaskStatus};

use super::Hub;
use super::members::blocking;
use crate::command::Refusal;

impl Hub {
    /// The list as an earlier leader left it. Blocks.
    pub(super) fn tasks_left(dir: &TeamDir, members: &[AgentId]) -> (Vec<Task>, Vec<String>) {
        let list = || {
            let tasks = dir.tasks();
            for task in tasks.list()? {
                if let Some(owner) = task.owner.filter(|owner| !members.contains(owner)) {
                    tasks.release(&owner)?;
                }
            }
            tasks.list()
        };
        match list() {
            Ok(tasks) => (tasks, Vec::new()),
            Err(error) => (Vec::new(), vec![format!("the team's tasks cannot be read: {error}")]),
        }
    }

    /// Reads the list again, tells what changed, and lets who is free take what is.
    pub(super) async fn tasks_changed(&mut self) {
        let Some(team) = &mut self.team else { return };
        let tasks = team.led.dir.tasks();
        let now = match blocking(move || tasks.list()).await {
            Ok(now) => now,
            Err(refusal) => return tracing::error!(%refusal, "the tasks were not read"),
        };
        let changed: Vec<ClientEvent> = now
            .iter()
            .filter(|task| !team.tasks.contains(task))
            .map(|task| ClientEvent::TaskChanged { task: Box::new(task.clone()) })
            .collect();
        team.tasks = now;
        if !changed.is_empty() {
            self.publish(changed);
        }
        // Each task that is taken changes the list once more, until nobody is free or nothing is.
        if self.assign().await {
            Box::pin(self.tasks_changed()).await;
        }
    }

    /// Gives every free teammate the next task. Whether anybody got one.
    pub(super) async fn assign(&mut self) -> bool {
        let free: Vec<AgentId> = self
            .roster
            .iter()
            .filter(|member| member.live.is_some() && !member.view.agent_id.is_lead())
            .filter(|member| member.view.state == MemberState::Idle && member.view.turn_id.is_none())
            .map(|member| member.view.agent_id.clone())
            .collect();
        let mut any = false;
        for agent in free {
            let Some(task) = self.claim_for(&agent).await else { continue };
            any = true;
            let sent = match Draft::protocol(&Protocol::TaskAssigned { task }) {
                Ok(draft) => self.send_as_user(&agent, draft).await.map(drop),
                Err(error) => Err(Refusal::Failed(error.to_string())),
            };
            if let Err(refusal) = sent {
                tracing::error!(%agent, %refusal, "a task was not given, so it is free again");
                self.release_tasks(&agent).await;
                return false;
            }
        }
        any
    }

    /// The next task for a member, taken for it.
    pub(super) async fn claim_for(&mut self, agent: &AgentId) -> Option<Task> {
        let team = self.team.as_ref()?;
        if !team.tasks.iter().any(|task| task.status == TaskStatus::Pending) {
            return None;
        }
        let (tasks, claimer) = (team.led.dir.tasks(), agent.clone());
        let claimed = blocking(move || tasks.claim_when_idle(&claimer)).await;
        claimed.unwrap_or_else(|refusal| {
            tracing::error!(%agent, %refusal, "no task was claimed");
            None
        })
    }

    /// Frees what a member that is gone had taken.
    pub(super) async fn release_tasks(&mut self, agent: &AgentId) {
        let Some(team) = &self.team else { return };
        if !team.tasks.iter().any(|task| task.owner.as_ref() == Some(agent)) {
            return;
        }
        let (tasks, gone) = (team.led.dir.tasks(), agent.clone());
        if let Err(refusal) = blocking(move || tasks.release(&gone)).await {
            tracing::error!(%agent, %refusal, "tasks of a member that is gone were not freed");
        }
    }

    pub(super) async fn list_tasks(&mut self, params: TaskListParams) -> Result<TaskListResult, Refusal> {
        self.check_team(params.team.as_deref())?;
        self.tasks_changed().await;
        Ok(TaskListResult { tasks: self.team.as_ref().map(|team| team.tasks.clone()).unwrap_or_default() })
    }

    pub(super) async fn create_task(&mut self, params: TaskCreateParams) -> Result<Task, Refusal> {
        let TaskCreateParams { subject, description, blocked_by, team } = params;
        self.check_team(team.as_deref())?;
        if subject.trim().is_empty() {
            let problem = "is empty; say what is to be done".to_owned();
            return Err(Refusal::Invalid { field: "subject".into(), problem });
        }
        self.ensure_team().await?;
        let Some(team) = &self.team else { return Err(Refusal::ShuttingDown) };
        let tasks = team.led.dir.tasks();
        let task = blocking(move || tasks.create(&subject, &description, &blocked_by)).await?;
        self.tasks_changed().await;
        Ok(self.task(&task.id).unwrap_or(task))
    }

    pub(super) async fn update_task(&mut self, params: TaskUpdateParams) -> Result<Task, Refusal> {
        let TaskUpdateParams { id, status, owner, subject, description, blocked_by, team } = params;
        self.check_team(team.as_deref())?;
        let owner = match owner.as_deref() {
            None => None,
            Some("") => Some(None),
            Some(name) => Some(Some(self.roster.find(Some(name))?.view.agent_id.clone())),
        };
        let Some(team) = &self.team else { return Err(self.no_task(&id)) };
        let (tasks, wanted) = (team.led.dir.tasks(), id.clone());
        let updated = blocking(move || {
            tasks.update(&wanted, |task| {
                if let Some(owner) = owner {
                    // Whose it becomes takes it up when it is free.
                    task.status = TaskStatus::Pending;
                    task.owner = owner;
                }
                task.status = status.unwrap_or(task.status);
                task.subject = subject.unwrap_or_else(|| std::mem::take(&mut task.subject));
                task.description = description.unwrap_or_else(|| std::mem::take(&mut task.description));
                task.blocked_by = blocked_by.unwrap_or_else(|| std::mem::take(&mut task.blocked_by));
            })
        });
        let Some(task) = updated.await? else { return Err(self.no_task(&id)) };
        self.tasks_changed().await;
        Ok(self.task(&id).unwrap_or(task))
    }

    fn task(&self, id: &TaskId) -> Option<Task> {
        self.team.as_ref()?.tasks.iter().find(|task| task.id == *id).cloned()
    }

    fn no_task(&self, id: &TaskId) -> Refusal {
        let tasks = self.team.as_ref().map(|team| team.tasks.as_slice()).unwrap_or_default();
        let there: Vec<&str> = tasks.iter().map(|task| task.id.as_str()).collect();
        let there = if there.is_empty() { "none".to_owned() } else { there.join(", ") };
        Refusal::Unknown(format!("there is no task `{id}`; there are: {there}"))
    }
}
