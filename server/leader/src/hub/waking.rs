//! Members that an earlier server's end left: who was cut off, and when they go on.

use std::time::{Duration, SystemTime};

use swarm_store::{Draft, Lease, TeamDir, TranscriptReader};
use swarm_wire::AgentId;
use swarm_wire::RequestId;
use swarm_wire::lsp::{Event as ClientEvent, MemberState, TeammateParams};
use swarm_wire::mail::Protocol;
use swarm_wire::settings::Resume;
use swarm_wire::transcript::{Block, Body, Entry};

use super::Hub;
use super::members::blocking;
use super::processes::Left;
use crate::command::Refusal;
use crate::team::Led;

/// How long a team may have been without a leader to go on by itself: an editor's reload takes less.
const RELOAD: Duration = Duration::from_secs(60);
const GO_ON: &str = "<notice about=\"restart\">\nThe server ended in the middle of your turn and runs again. Calls without a \
                     result may or may not have had an effect: look before you repeat one. Go on with what you were \
                     doing.\n</notice>";

impl Hub {
    /// Marks whose process lives, and whose was lost with an earlier server. Gives what could not be looked at, in words
    /// for the user.
    pub(super) fn mark_left(&mut self, led: &Led) -> Option<String> {
        match Left::of(led) {
            Ok(left) => self.left = left,
            Err(error) => return Some(format!("whether processes of teammates live is not known: {error}")),
        }
        for member in self.roster.iter_mut() {
            if self.left.alive.contains(&member.view.agent_id) {
                member.view.asleep = false;
            } else if self.left.gone.contains(&member.view.agent_id) {
                member.view.state = MemberState::Gone;
            }
        }
        None
    }

    /// Marks who was cut off by the end of an earlier server. Gives what could not be read, in words for the user.
    pub(super) fn mark_interrupted(&mut self, dir: &TeamDir) -> Vec<String> {
        let mut problems = Vec::new();
        for member in self.roster.iter_mut().filter(|member| member.view.asleep) {
            match TranscriptReader::new(dir, &member.view.agent_id).and_then(|reader| reader.last()) {
                Ok(last) => {
                    member.view.interrupted = last.as_ref().is_some_and(is_unfinished);
                    member.view.last_activity = last.map(|entry| entry.at);
                }
                Err(error) => {
                    problems.push(format!("the history of {} cannot be read: {error}", member.view.name));
                }
            }
        }
        problems
    }

    /// Marks a member whose process is gone, when that cut off its turn.
    pub(super) async fn mark_cut_off(&mut self, agent: &AgentId) {
        let Some(team) = &self.team else { return };
        let (dir, id) = (team.led.dir.clone(), agent.clone());
        match blocking(move || TranscriptReader::new(&dir, &id)?.last()).await {
            Ok(last) => {
                if let Some(member) = self.roster.get_mut(agent) {
                    member.view.interrupted = last.as_ref().is_some_and(is_unfinished);
                }
            }
            Err(error) => tracing::error!(%error, "whether a turn was cut off is not known"),
        }
    }

    /// Lets the team go on, where the user wants that of a restart or hardly noticed one.
    pub(super) async fn go_on(&mut self) {
        let Some(team) = &self.team else { return };
        let dir = team.led.dir.clone();
        let seen = blocking(move || Lease::last_seen(&dir)).await.ok().flatten();
        let away = seen.and_then(|seen| SystemTime::now().duration_since(seen).ok());
        let is_reload = away.is_some_and(|away| away < RELOAD);
        if (self.settings.resume == Resume::Auto || is_reload) && self.ensure_provider().await.is_ok() {
            let asleep = self.roster.iter().filter(|member| member.view.asleep);
            let asleep: Vec<AgentId> = asleep.map(|member| member.view.agent_id.clone()).collect();
            for agent in asleep {
                if self.has_work(&agent).await
                    && let Err(refusal) = self.restart_member(&agent).await
                {
                    let text = format!("{} could not go on: {refusal}", agent.name);
                    self.publish(vec![ClientEvent::Warning { text }]);
                }
            }
        }
        self.mark_led().await;
    }

    /// Whether a member that does not run was cut off, or has mail that it did not see.
    async fn has_work(&self, agent: &AgentId) -> bool {
        let was_cut_off = self.roster.get(agent).is_some_and(|member| member.view.interrupted);
        let Some(team) = &self.team else { return false };
        let mailbox = team.led.dir.mailbox(agent);
        let unread = blocking(move || mailbox.reader().unread()).await;
        was_cut_off || unread.is_ok_and(|unread| !unread.mail.is_empty())
    }

    /// The user wants a member to run again.
    pub(super) async fn restart(&mut self, params: TeammateParams) -> Result<(), Refusal> {
        self.check_team(params.team.as_deref())?;
        let member = self.roster.find(Some(&params.member))?;
        let agent = member.view.agent_id.clone();
        if member.live.is_some() && !member.view.interrupted {
            return Err(Refusal::Failed(format!("`{}` runs; there is nothing to restart", agent.name)));
        }
        self.ensure_provider().await?;
        self.restart_member(&agent).await
    }

    async fn restart_member(&mut self, agent: &AgentId) -> Result<(), Refusal> {
        let was_cut_off = self.roster.get(agent).is_some_and(|member| member.view.interrupted);
        if self.roster.get(agent).is_none_or(|member| member.live.is_none()) {
            self.start_again(agent).await?;
        }
        if was_cut_off {
            let request_id = RequestId::new(swarm_agent::turn_id().as_str());
            let go_on = Protocol::UserMessage { request_id, text: GO_ON.to_owned(), pictures: Vec::new() };
            let draft = Draft::protocol(&go_on).map_err(|error| Refusal::Failed(error.to_string()))?;
            self.send_as_user(agent, draft).await?;
        }
        Ok(())
    }

    /// Starts a member, and the leader's agent with it, which reads what the member has to say.
    async fn start_again(&mut self, agent: &AgentId) -> Result<(), Refusal> {
        let lead = self.ensure_lead().await?;
        if *agent == lead { Ok(()) } else { self.start(agent, None).await }
    }

    /// Mail came for a member: one that does not run starts.
    pub(super) async fn wake(&mut self, agent: &AgentId) {
        if !self.roster.get(agent).is_some_and(|member| member.view.asleep) {
            return;
        }
        if let Err(refusal) = self.start_again(agent).await {
            let text = format!("{} has mail and could not be started: {refusal}", agent.name);
            self.publish(vec![ClientEvent::Warning { text }]);
        }
    }
}

/// Whether a history that ends with this entry ends in the middle of a turn.
fn is_unfinished(last: &Entry) -> bool {
    match &last.body {
        // What belongs to no turn was only taken note of.
        Body::User { .. } | Body::Compacted { .. } => last.turn_id.is_some(),
        Body::Results { .. } | Body::PicturesRefused { .. } => true,
        Body::Assistant { content, .. } => content.iter().any(|block| matches!(block, Block::ToolUse { .. })),
        Body::Ended { unfinished, .. } => *unfinished,
    }
}
