//! Who is alive: members that went silent in the middle of work, that this team is led, who is active, and what
//! was spent.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use swarm_store::Lease;
use swarm_wire::AgentId;
use swarm_wire::lsp::{Event as ClientEvent, MemberState};
use swarm_wire::team::Spending;

use super::Hub;
use super::members::blocking;
use crate::event::Event;

/// How often the hub looks.
pub(super) const EVERY: Duration = Duration::from_secs(15);
/// How long a member that works may be silent; it reports every 30 s.
const SILENCE_MAX: Duration = Duration::from_secs(120);
/// How long a change of who is active may wait for the team file.
const ACTIVE_WAIT: Duration = Duration::from_secs(1);

/// The hub's own clock of looks.
#[derive(Debug, Default)]
pub(super) struct Pulse {
    last: Option<Instant>,
    active_is_due: bool,
}

impl Pulse {
    /// Notes a look. False when the last one is so long ago that this process did not run meanwhile, and the silence
    /// of members says nothing.
    fn beat(&mut self, now: Instant) -> bool {
        let regular = self.last.is_none_or(|last| now.saturating_duration_since(last) < 3 * EVERY);
        self.last = Some(now);
        regular
    }
}

/// Whether a member in this state ought to be heard of.
fn ought_to_report(state: MemberState) -> bool {
    matches!(
        state,
        MemberState::Starting
            | MemberState::Working
            | MemberState::Planning
            | MemberState::RateLimited
            | MemberState::Waiting
    )
}

impl Hub {
    /// One look at everybody.
    pub(super) async fn beat(&mut self) {
        let now = Instant::now();
        if self.pulse.beat(now) {
            let silent: Vec<AgentId> = self
                .roster
                .iter()
                .filter(|member| ought_to_report(member.view.state) && member.view.turn_id.is_some())
                .filter(|member| {
                    let heard = member.live.as_ref().map(|live| live.heard);
                    heard.is_some_and(|heard| now.saturating_duration_since(heard) > SILENCE_MAX)
                })
                .map(|member| member.view.agent_id.clone())
                .collect();
            for agent in silent {
                self.stalled(&agent);
            }
        } else {
            self.roster.heard_all(now);
        }
        self.mark_led().await;
        self.after(EVERY, Event::Pulse);
    }

    fn stalled(&mut self, agent: &AgentId) {
        let mut happened = self.roster.set_state(agent, MemberState::Stalled);
        let text = format!(
            "{} has been silent for two minutes in the middle of its work; interrupt its turn, or stop it",
            agent.name
        );
        happened.push(ClientEvent::Warning { text });
        self.publish(happened);
    }

    /// Marks on disk that the team is led now, so that a later start knows how long it was not.
    pub(super) async fn mark_led(&self) {
        let Some(team) = &self.team else { return };
        let dir = team.led.dir.clone();
        if let Err(refusal) = blocking(move || Lease::mark_seen(&dir)).await {
            tracing::warn!(%refusal, "the sign of life was not written");
        }
    }

    /// Somebody began or ended a turn, or spent: the team file says so within a second.
    pub(super) fn active_changed(&mut self) {
        if !self.pulse.active_is_due {
            self.pulse.active_is_due = true;
            self.after(ACTIVE_WAIT, Event::WriteActive);
        }
    }

    pub(super) async fn write_active(&mut self) {
        self.pulse.active_is_due = false;
        let active: Vec<(AgentId, bool)> = self
            .roster
            .iter()
            .map(|member| (member.view.agent_id.clone(), member.view.turn_id.is_some()))
            .collect();
        self.write_activity(active).await;
    }

    /// Nobody works any more.
    pub(super) async fn none_active(&mut self) {
        let idle = self.roster.iter().map(|member| (member.view.agent_id.clone(), false)).collect();
        self.write_activity(idle).await;
    }

    async fn write_activity(&mut self, activity: Vec<(AgentId, bool)>) {
        let Some(team) = &mut self.team else { return };
        let file = &team.led.file;
        let known: HashMap<&AgentId, (bool, Spending)> = file
            .members
            .iter()
            .map(|entry| {
                (&entry.agent_id, (entry.is_active.unwrap_or(false), entry.spent.unwrap_or_default()))
            })
            .collect();
        let spent: HashMap<&AgentId, Spending> =
            self.roster.iter().map(|member| (&member.view.agent_id, member.spent)).collect();
        let mut changed: HashMap<AgentId, (bool, Spending)> = HashMap::new();
        for (agent, active) in activity {
            let Some(known) = known.get(&agent) else { continue };
            let now = (active, spent.get(&agent).copied().unwrap_or(known.1));
            if now != *known {
                changed.insert(agent, now);
            }
        }
        let of_team = Some(self.purse.team).filter(|spent| *spent != file.spent.unwrap_or_default());
        if changed.is_empty() && of_team.is_none() {
            return;
        }
        let dir = team.led.dir.clone();
        let written = blocking(move || {
            dir.update(|file| {
                for entry in &mut file.members {
                    if let Some((active, spent)) = changed.get(&entry.agent_id) {
                        entry.is_active = Some(*active);
                        entry.spent =
                            Some(*spent).filter(|spent| *spent != Spending::default()).or(entry.spent);
                    }
                }
                file.spent = of_team.or(file.spent);
                file.clone()
            })
        });
        match written.await {
            Ok(file) => team.led.file = file,
            Err(refusal) => tracing::warn!(%refusal, "who is active and what was spent was not written"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_was_stopped_does_not_take_its_members_for_stalled() {
        let (mut pulse, start) = (Pulse::default(), Instant::now());
        assert!(pulse.beat(start));
        assert!(pulse.beat(start + EVERY));
        assert!(!pulse.beat(start + EVERY + Duration::from_secs(3600)));
        assert!(pulse.beat(start + EVERY + Duration::from_secs(3615)));
    }
}
