//! The members: what each is doing, and how to reach the ones that live in this process.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Instant;

use swarm_agent::conversation::Wish;
use swarm_agent::life::TurnSwitch;
use swarm_agent::{Input, ModelChoice, Report, unix_ms};
use swarm_guard::Bounds;
use swarm_wire::lsp::{Event, MemberState, MemberView};
use swarm_wire::permission::{Mode, RuleUpdate};
use swarm_wire::team::Spending;
use swarm_wire::{AgentId, MemberName, RequestId, TurnId};
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;

use crate::command::Refusal;
use crate::hub::Own;
use crate::process::{Link, Word};

/// What the palette gives members in turn.
const COLORS: [&str; 8] = ["blue", "green", "yellow", "magenta", "cyan", "red", "orange", "purple"];

/// A member that runs.
pub(crate) struct Live {
    /// How it is reached when it runs in a process of its own.
    pub(crate) process: Option<Link>,
    pub(crate) inbox: mpsc::UnboundedSender<Input>,
    pub(crate) switch: TurnSwitch,
    /// Wishes for another conversation, when it runs in this process.
    pub(crate) wishes: mpsc::UnboundedSender<Wish>,
    pub(crate) bounds: watch::Sender<Bounds>,
    /// What its next request is made with.
    pub(crate) choice: watch::Sender<ModelChoice>,
    pub(crate) life: CancellationToken,
    /// Requests to end that wait for its answer.
    pub(crate) asked: HashSet<RequestId>,
    pub(crate) killed: bool,
    /// Turns that the user was promised and that have not ended.
    pub(crate) promised: HashSet<TurnId>,
    /// When it last reported anything.
    pub(crate) heard: Instant,
}

impl Live {
    /// Ends the running turn, or those that were promised; false when there are none.
    pub(crate) fn interrupt(&self, works: bool) -> bool {
        match &self.process {
            None => self.switch.interrupt(&self.promised),
            Some(process) => {
                let has_turns = works || !self.promised.is_empty();
                if has_turns {
                    process.interrupt(self.promised.iter().cloned().collect());
                }
                has_turns
            }
        }
    }

    /// Has the history summarised before the next model request.
    pub(crate) fn compact(&self) {
        match &self.process {
            None => self.switch.compact(),
            Some(process) => process.say(Word::Compact),
        }
    }

    /// Has it be in another conversation, once no turn runs.
    pub(crate) fn converse(&self, wish: Wish) {
        match &self.process {
            // One that ends in this moment drops the wish, which answers it.
            None => _ = self.wishes.send(wish),
            Some(process) => process.say(Word::Converse(wish)),
        }
    }
}

pub(crate) struct Member {
    pub(crate) view: MemberView,
    pub(crate) own: Own,
    pub(crate) spent: Spending,
    /// `None` once it ended, or when it never ran under this leader.
    pub(crate) live: Option<Live>,
    /// What the user allowed it for good, which holds when it starts again.
    pub(crate) session_rules: Vec<RuleUpdate>,
}

/// All members of the team, in the order in which they joined.
#[derive(Default)]
pub(crate) struct Roster {
    members: Vec<Member>,
}

impl Roster {
    pub(crate) fn add(&mut self, member: Member) {
        self.members.push(member);
    }

    pub(crate) fn get(&self, agent: &AgentId) -> Option<&Member> {
        self.members.iter().find(|member| member.view.agent_id == *agent)
    }

    pub(crate) fn get_mut(&mut self, agent: &AgentId) -> Option<&mut Member> {
        self.members.iter_mut().find(|member| member.view.agent_id == *agent)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Member> {
        self.members.iter()
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Member> {
        self.members.iter_mut()
    }

    /// Nobody's silence before `now` counts.
    pub(crate) fn heard_all(&mut self, now: Instant) {
        for live in self.members.iter_mut().filter_map(|member| member.live.as_mut()) {
            live.heard = now;
        }
    }

    /// Makes `views` those of the members; what is so already is left.
    pub(crate) fn show_in(&self, views: &mut Vec<MemberView>) {
        views.truncate(self.members.len());
        let (before, new) = self.members.split_at(views.len());
        for (shown, member) in views.iter_mut().zip(before).filter(|(shown, member)| **shown != member.view) {
            shown.clone_from(&member.view);
        }
        views.extend(new.iter().map(|member| member.view.clone()));
    }

    /// The member that a client names, by name or agent id; the leader's agent when it names none.
    pub(crate) fn find(&self, name: Option<&str>) -> Result<&Member, Refusal> {
        let lead = MemberName::team_lead();
        let name = name.unwrap_or(lead.as_str());
        let is_meant = |member: &&Member| member.view.agent_id.is_called(name);
        self.members.iter().find(is_meant).ok_or_else(|| {
            let names: Vec<&str> = self.members.iter().map(|member| member.view.name.as_str()).collect();
            Refusal::Unknown(format!("there is no member `{name}`; there are: {}", names.join(", ")))
        })
    }

    /// No longer shows a member that ended.
    pub(crate) fn forget(&mut self, agent: &AgentId) {
        self.members.retain(|member| member.view.agent_id != *agent || member.live.is_some());
    }

    /// A color for the next member.
    pub(crate) fn next_color(&self) -> &'static str {
        COLORS.get(self.members.len() % COLORS.len()).copied().unwrap_or("blue")
    }

    /// Takes a member's report into its view; gives what clients are told.
    pub(crate) fn apply(&mut self, agent: &AgentId, report: Report) -> Vec<Event> {
        let Some(member) = self.get_mut(agent) else { return Vec::new() };
        if member.view.state.has_ended() {
            return Vec::new();
        }
        if let Some(live) = &mut member.live {
            live.heard = Instant::now();
        }
        let view = &mut member.view;
        view.last_activity = Some(unix_ms());
        if view.state == MemberState::Stalled {
            view.state = MemberState::Working;
        }
        let agent = agent.clone();
        let happened = match report {
            Report::TurnStarted { turn } => {
                view.state = MemberState::Working;
                view.interrupted = false;
                view.turn_id = Some(turn);
                None
            }
            Report::Warned { text } => return vec![Event::Warning { text }],
            Report::Text { turn, text } => return vec![Event::Text { member: agent, turn_id: turn, text }],
            Report::Restarted { turn, attempt, discarded_text } => {
                view.state = MemberState::Working;
                view.tool = None;
                Some(Event::TurnRestarted { member: agent, turn_id: turn, attempt, discarded_text })
            }
            Report::Waiting { reason, seconds, .. } => {
                view.state = MemberState::RateLimited;
                view.tool = Some(format!("waits {seconds:.0} s: {reason}"));
                None
            }
            Report::Used { .. } | Report::Resumed => {
                view.state = MemberState::Working;
                view.tool = None;
                None
            }
            Report::ToolStarted { turn, tool_use_id, name, description } => {
                view.tool = Some(description.clone());
                view.tool_calls += 1;
                view.running.push(tool_use_id.clone());
                Some(Event::ToolStarted { member: agent, turn_id: turn, tool_use_id, name, description })
            }
            Report::ToolFinished { turn, tool_use_id, is_error, content } => {
                view.tool = None;
                view.running.retain(|running| *running != tool_use_id);
                Some(Event::ToolFinished { member: agent, turn_id: turn, tool_use_id, is_error, content })
            }
            Report::TurnEnded { turn, end, detail } => {
                member.live.iter_mut().for_each(|live| _ = live.promised.remove(&turn));
                view.state = MemberState::Idle;
                view.turn_id = None;
                view.tool = None;
                view.running.clear();
                Some(Event::TurnEnded { member: agent, turn_id: turn, reason: end, detail })
            }
            Report::Sent { to, id, summary, text } => {
                return vec![Event::Message { from: agent.to_string(), to, id, summary, text }];
            }
            Report::Compacted { before, after } => Some(Event::Compacted { member: agent, before, after }),
            Report::ConversationChanged { id, title } => {
                view.interrupted = false;
                Some(Event::ConversationChanged { member: agent, id, title })
            }
            Report::TasksChanged => return Vec::new(),
            Report::Alive => None,
            Report::Idle => {
                view.state = MemberState::Idle;
                None
            }
        };
        if view.state == MemberState::Working {
            view.state = at_work(view.mode);
        }
        let changed = Event::MemberChanged { member: Box::new(view.clone()) };
        happened.into_iter().chain([changed]).collect()
    }

    /// Sets a state that the hub knows of, such as waiting for an answer.
    pub(crate) fn set_state(&mut self, agent: &AgentId, state: MemberState) -> Vec<Event> {
        match self.get_mut(agent) {
            Some(member) if !member.view.state.has_ended() && member.view.state != state => {
                member.view.state = state;
                vec![Event::MemberChanged { member: Box::new(member.view.clone()) }]
            }
            _ => Vec::new(),
        }
    }

    /// A member's task is over.
    pub(crate) fn ended(
        &mut self,
        agent: &AgentId,
        outcome: MemberState,
        reason: Option<Arc<str>>,
    ) -> Vec<Event> {
        let Some(member) = self.get_mut(agent) else { return Vec::new() };
        member.live = None;
        member.view.state = outcome;
        member.view.turn_id = None;
        member.view.tool = None;
        member.view.running.clear();
        let ended = Event::MemberEnded {
            member: agent.clone(),
            outcome,
            summary: None,
            reason: reason.map(|reason| reason.to_string()),
        };
        vec![Event::MemberChanged { member: Box::new(member.view.clone()) }, ended]
    }
}
/// What a member is at while its turn runs.
pub(crate) fn at_work(mode: Mode) -> MemberState {
    if mode == Mode::Plan { MemberState::Planning } else { MemberState::Working }
}
