//! Modes: many in one step, all or nothing. Only the user's word comes here.

use swarm_wire::AgentId;
use swarm_wire::lsp::{Event as ClientEvent, MemberView, SetModesParams};
use swarm_wire::permission::Mode;

use super::Hub;
use super::members::blocking;
use crate::command::Refusal;

impl Hub {
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
