//! The team itself, made and deleted at the user's wish.

use swarm_store::Error;
use swarm_wire::ids::{NameError, TeamName};
use swarm_wire::lsp::{Event as ClientEvent, StateResult, TeamCreateParams, TeamDeleteParams, TeamView};

use super::members::blocking;
use super::{Hub, Team};
use crate::command::Refusal;
use crate::roster::Roster;
use crate::team;

impl Hub {
    /// What clients see of the team.
    pub(super) fn team_view(&self, team: &Team) -> TeamView {
        let file = &team.led.file;
        TeamView {
            name: file.name.clone(),
            description: file.description.clone(),
            workspace: file.workspace.clone(),
            lead_agent_id: file.lead_agent_id.clone(),
            cost: self.purse.team.cost,
        }
    }

    /// Makes the workspace's team, under a name of the user's choice where it has one.
    pub(super) async fn create_team(&mut self, params: TeamCreateParams) -> Result<TeamView, Refusal> {
        let TeamCreateParams { name, description } = params;
        let name = name.as_deref().map(name_of).transpose()?;
        if self.team.is_none() {
            let wanted = name.clone();
            self.take_up(move |root, workspace| team::found(root, workspace, wanted, description)).await?;
        }
        match &self.team {
            Some(team) if name.as_ref().is_none_or(|name| team.led.file.name == *name) => {
                Ok(self.team_view(team))
            }
            Some(team) => Err(Refusal::Failed(format!(
                "this project has the team `{}`; a project has one, so delete it before you make another",
                team.led.file.name
            ))),
            None => Err(Refusal::ShuttingDown),
        }
    }

    /// Deletes a team with its histories, mail, tasks and questions.
    pub(super) async fn delete_team(&mut self, params: TeamDeleteParams) -> Result<(), Refusal> {
        let name = name_of(&params.name)?;
        if self.team_name().is_some_and(|ours| ours == name) {
            return self.delete_own().await;
        }
        let root = self.root.clone();
        let deleted = tokio::task::spawn_blocking(move || team::delete(&root, &name));
        deleted.await.map_err(|lost| Refusal::Failed(lost.to_string()))?.map_err(|error| match &error {
            Error::NoSuchTeam { .. } => Refusal::Unknown(error.to_string()),
            _ => Refusal::Failed(error.to_string()),
        })
    }

    async fn delete_own(&mut self) -> Result<(), Refusal> {
        let runs = |member: &&crate::roster::Member| {
            let (view, live) = (&member.view, &member.live);
            live.is_some() && (!view.agent_id.is_lead() || view.turn_id.is_some())
        };
        let running: Vec<&str> =
            self.roster.iter().filter(runs).map(|member| member.view.name.as_str()).collect();
        if !running.is_empty() {
            let names = running.join(", ");
            return Err(Refusal::Failed(format!(
                "the team is not deleted while members run: {names}; stop them first"
            )));
        }
        if let Some(team) = &self.team {
            let dir = team.led.dir.clone();
            blocking(move || dir.check_worktrees()).await?;
        }
        // All that is left to run is the leader's agent, which rests.
        for live in self.roster.iter().filter_map(|member| member.live.as_ref()) {
            live.life.cancel();
        }
        while let Some(ended) = self.lives.join_next_with_id().await {
            self.joined(ended).await;
        }
        let Some(team) = self.team.take() else { return Ok(()) };
        self.roster = Roster::default();
        self.purse = Default::default();
        self.spawned.clear();
        self.notices.clear();
        let gone = ClientEvent::TeamChanged { team: None };
        self.publisher.publish(|state| *state = StateResult::default(), &team.led.file.name, vec![gone]);
        // What mail or questions still stand in its folder goes with it.
        blocking(move || team.led.dir.delete(team.led.lease)).await
    }
}

fn name_of(name: &str) -> Result<TeamName, Refusal> {
    name.parse()
        .map_err(|error: NameError| Refusal::Invalid { field: "name".into(), problem: error.to_string() })
}
