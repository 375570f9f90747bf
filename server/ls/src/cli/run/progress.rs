//! How far the team is, told by its events. Knows no files: whether mail waits is asked elsewhere.

use std::collections::HashMap;

use swarm_wire::lsp::{Event, MemberState, StateResult, TurnEnd};
use swarm_wire::transcript::{Body, Entry};
use swarm_wire::{AgentId, TurnId};

/// How often a teammate is shown idle once it rests: with the end of its turn, and when it has no more to do.
const RESTS: u8 = 2;

pub(super) struct Progress {
    prompt: TurnId,
    prompt_ended: bool,
    lead_end: Option<(TurnEnd, Option<String>)>,
    /// Teammates whose turn ended, and how often each was shown idle since.
    resting: HashMap<AgentId, u8>,
    /// How often each teammate came to rest; the leader's agent gets a notice of each.
    rests: HashMap<AgentId, usize>,
}

impl Progress {
    pub(super) fn new(prompt: TurnId) -> Self {
        Self { prompt, prompt_ended: false, lead_end: None, resting: HashMap::new(), rests: HashMap::new() }
    }

    pub(super) fn take(&mut self, event: &Event) {
        match event {
            Event::TurnEnded { member, turn_id, reason, detail } if member.is_lead() => {
                self.prompt_ended |= *turn_id == self.prompt;
                self.lead_end = Some((*reason, detail.clone()));
            }
            Event::TurnEnded { member, .. } => {
                self.resting.insert(member.clone(), 0);
            }
            Event::MemberChanged { member } if member.state == MemberState::Idle => {
                if let Some(shown) = self.resting.get_mut(&member.agent_id) {
                    *shown = shown.saturating_add(1);
                    if *shown == RESTS {
                        *self.rests.entry(member.agent_id.clone()).or_default() += 1;
                    }
                }
            }
            Event::MemberChanged { member }
                if matches!(member.state, MemberState::Working | MemberState::Planning) =>
            {
                self.resting.remove(&member.agent_id);
            }
            Event::MemberEnded { member, .. } => {
                self.resting.remove(member);
                self.rests.remove(member);
            }
            _ => {}
        }
    }

    /// Whether the prompt's turn is over, and every teammate whose turn is over rests.
    pub(super) fn is_done(&self) -> bool {
        self.prompt_ended && self.resting.values().all(|shown| *shown >= RESTS)
    }

    /// Whether every member is idle or has ended, and all events that led there were seen here: a state may be
    /// ahead of them.
    pub(super) fn all_rest(&self, state: &StateResult) -> bool {
        state.members.iter().all(|member| {
            let seen = || self.resting.get(&member.agent_id).is_some_and(|shown| *shown >= RESTS);
            let idle = member.state == MemberState::Idle && (member.agent_id.is_lead() || seen());
            idle || member.asleep || member.state.has_ended()
        })
    }

    /// Whether the leader's agent, to which this was put during the run, has heard of every teammate's rest.
    pub(super) fn all_heard(&self, entries: &[Entry]) -> bool {
        self.rests.iter().all(|(agent, rests)| {
            let notice = format!("<notice about=\"{}\">", agent.name);
            let heard = entries.iter().map(|entry| match &entry.body {
                Body::User { text, .. } => text.matches(&notice).count(),
                _ => 0,
            });
            heard.sum::<usize>() >= *rests
        })
    }

    /// How the leader's last turn ended, and why.
    pub(super) fn lead_end(&self) -> Option<(TurnEnd, Option<&str>)> {
        self.lead_end.as_ref().map(|(end, detail)| (*end, detail.as_deref()))
    }
}
