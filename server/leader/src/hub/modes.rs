//! Modes: many in one step, all or nothing. What a model wants comes here once a person allowed what widens.

use swarm_wire::AgentId;
use swarm_wire::lsp::{Event as ClientEvent, MemberMode, MemberView, SetModesParams};
use swarm_wire::permission::Mode;

use super::Hub;
use super::members::blocking;
use crate::command::Refusal;

impl Hub {
    /// What the leader's model was granted; the text is for the model. It never reaches the leader's own mode.
    pub(super) async fn set_modes_for_model(
        &mut self,
        modes: Vec<(AgentId, Mode)>,
    ) -> Result<String, Refusal> {
        if modes.iter().any(|(agent, _)| agent.is_lead()) {
            return Err(Refusal::Failed("your own mode is the user's alone".to_owned()));
        }
        let modes = modes.into_iter().map(|(agent, mode)| MemberMode { member: agent.to_string(), mode });
        let changed = self.set_modes(SetModesParams { team: None, modes: modes.collect() }).await?;
        let names: Vec<&str> = changed.iter().map(|member| member.name.as_str()).collect();
        Ok(if names.is_empty() {
            "Nothing changed.".to_owned()
        } else {
            format!("Changed: {}.", names.join(", "))
        })
    }

    /// Sets the modes of members; gives those that changed. A name that is unknown changes nothing at all.
    pub(super) async fn set_modes(&mut self, params: SetModesParams) -> Result<Vec<MemberView>, Refusal> {
        self.check_team(params.team.as_deref())?;
        let mut wanted: Vec<(AgentId, Mode)> = Vec::with_capacity(params.modes.len());
        for change in &params.modes {
            let member = self.roster.find(Some(&change.member))?;
            wanted.push((member.view.agent_id.clone(), change.mode));
        }
        let Some(team) = &mut self.team else {
            return Err(Refusal::Unknown("there is no team yet; the first prompt makes one".to_owned()));
        };
        let (dir, modes) = (team.led.dir.clone(), wanted.clone());
        team.led.file = blocking(move || {
            dir.update(|file| {
                for (agent, mode) in &modes {
                    let member = file.members.iter_mut().find(|member| member.agent_id == *agent);
                    member.into_iter().for_each(|member| member.mode = Some(*mode));
                }
                file.clone()
            })
        })
        .await?;
        let mut changed = Vec::new();
        for (agent, mode) in wanted {
            let Some(member) = self.roster.get_mut(&agent) else { continue };
            if member.view.mode == mode {
                continue;
            }
            member.view.mode = mode;
            if let Some(live) = &member.live {
                // Its waiting questions are decided anew by this.
                live.bounds.send_modify(|bounds| bounds.mode = mode);
            }
            changed.push(member.view.clone());
        }
        let happened =
            changed.iter().map(|view| ClientEvent::MemberChanged { member: Box::new(view.clone()) });
        self.publish(happened.collect());
        Ok(changed)
    }
}
