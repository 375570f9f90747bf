//! How members end: asked and agreed, killed, or failed. A kill is one transition; a second does nothing.

use std::sync::Arc;
use std::time::Duration;

use swarm_agent::life::LifeEnd;
use swarm_agent::{Class, Input, Receipt};
use swarm_store::Draft;
use swarm_wire::lsp::{Event as ClientEvent, MemberState, StopOutcome, StopParams, StopResult};
use swarm_wire::mail::Protocol;
use swarm_wire::{AgentId, MessageId, RequestId};
use tokio::task::{Id, JoinError};

use super::Hub;
use super::members::blocking;
use crate::command::Refusal;
use crate::event::Event;

/// How long a member that agreed to end may take to do so.
const AGREED_BOUND: Duration = Duration::from_secs(5);
/// How long a member that ended is still shown.
const SHOWN_AFTER_END: Duration = Duration::from_secs(5);

impl Hub {
    /// The user's wish that a teammate ends.
    pub(super) async fn stop(&mut self, params: StopParams) -> Result<StopResult, Refusal> {
        self.check_team(params.team.as_deref())?;
        let member = self.roster.find(Some(&params.member))?;
        let agent = member.view.agent_id.clone();
        if agent.is_lead() {
            let text =
                "the leader's own agent does not end before the server does; interrupt its turn instead";
            return Err(Refusal::Failed(text.to_owned()));
        }
        let outcome = match (&member.live, params.force) {
            (None, _) if !member.view.state.has_ended() => {
                self.end_asleep(&agent).await?;
                StopOutcome::Stopped
            }
            (None, _) => StopOutcome::AlreadyEnded,
            (Some(_), true) => {
                self.kill(&agent);
                StopOutcome::Stopped
            }
            (Some(_), false) => {
                let (request, message) = shutdown_request(params.reason);
                let draft = Draft::protocol(&message).map_err(|error| Refusal::Failed(error.to_string()))?;
                self.send_as_user(&agent, draft).await?;
                self.note_asked(&agent, request);
                StopOutcome::Asked
            }
        };
        Ok(StopResult { outcome })
    }

    /// The leader's model asks a teammate to end; the text is for the model.
    pub(super) async fn request_shutdown(
        &mut self,
        name: &str,
        reason: Option<String>,
    ) -> Result<String, Refusal> {
        let member = self.roster.find(Some(name))?;
        let agent = member.view.agent_id.clone();
        if agent.is_lead() {
            return Err(Refusal::Failed("you cannot ask yourself to end".to_owned()));
        }
        if member.live.is_none() && !member.view.state.has_ended() {
            self.end_asleep(&agent).await?;
            return Ok(format!("{name} did not run, and is no longer in the team."));
        }
        if member.live.is_none() {
            return Ok(format!("{name} has ended already."));
        }
        let Some(post) = self.team.as_ref().and_then(|team| team.lead_post.clone()) else {
            return Err(Refusal::ShuttingDown);
        };
        let (request, message) = shutdown_request(reason);
        post.send_protocol(&agent, &message).await.map_err(|error| Refusal::Failed(error.to_string()))?;
        self.note_asked(&agent, request);
        Ok(format!("{name} is asked to end. You will hear what it answers."))
    }

    /// A teammate answered a request to end.
    pub(super) async fn shutdown_answered(
        &mut self,
        from: &AgentId,
        answer: (RequestId, bool, Option<String>),
        (message, receipt): (MessageId, Receipt),
    ) {
        let (request, approve, reason) = answer;
        let asked = self.roster.get_mut(from).and_then(|member| member.live.as_mut());
        let was_asked = asked.is_some_and(|live| live.asked.remove(&request));
        if was_asked && !approve {
            let reason = reason.unwrap_or_default();
            self.publish(vec![ClientEvent::ShutdownRefused { member: from.clone(), reason: reason.clone() }]);
            let text = swarm_agent::wrap_refusal(from.name.as_str(), &reason);
            let input = Input {
                class: Class::Leader,
                from: Some(from.clone()),
                turn: None,
                shutdown: None,
                text,
                pictures: Vec::new(),
                message,
                receipt,
            };
            return self.give_lead(input).await;
        }
        if was_asked {
            self.after(AGREED_BOUND, Event::Overdue(from.clone()));
        }
        receipt.acknowledge().await;
    }

    /// Ends a member now, with all that it started.
    pub(super) fn kill(&mut self, agent: &AgentId) {
        if let Some(live) = self.roster.get_mut(agent).and_then(|member| member.live.as_mut()) {
            live.killed = true;
            live.life.cancel();
        }
    }

    /// A member's task is over: it is shown as ended, its questions go, and unless it failed it leaves the team.
    pub(super) async fn joined(&mut self, ended: Result<(Id, Result<LifeEnd, String>), JoinError>) {
        let (id, end) = match ended {
            Ok((id, end)) => (id, end),
            Err(error) => (error.id(), Err(why(error))),
        };
        let Some(agent) = self.names.remove(&id) else { return };
        if let (true, Some(team)) = (agent.is_lead(), self.team.as_mut()) {
            team.lead_post = None;
        }
        for id in self.team.as_ref().map(|team| team.queue.of(&agent)).unwrap_or_default() {
            self.withdraw(&id).await;
        }
        let begins = self.roster.get(&agent).is_some_and(|member| member.view.state == MemberState::Starting);
        if let (true, Err(why)) = (begins, &end) {
            self.never_came_up(&agent, &Refusal::Failed(why.clone())).await;
            self.release_tasks(&agent).await;
            return self.tasks_changed().await;
        }
        let killed =
            self.roster.get(&agent).and_then(|member| member.live.as_ref()).is_some_and(|live| live.killed);
        let (outcome, reason): (_, Option<Arc<str>>) = match end {
            Ok(LifeEnd::Agreed) => (MemberState::Completed, None),
            Ok(LifeEnd::Cancelled) if killed => (MemberState::Killed, None),
            Ok(LifeEnd::Cancelled) => (MemberState::Gone, None),
            Err(why) => (MemberState::Failed, Some(why.into())),
        };
        if outcome == MemberState::Gone {
            self.mark_cut_off(&agent).await;
        }
        let happened = self.roster.ended(&agent, outcome, reason);
        self.release_tasks(&agent).await;
        match outcome {
            MemberState::Completed | MemberState::Killed => {
                if let Err(refusal) = self.depart(&agent, happened).await {
                    tracing::error!(%agent, %refusal, "an ended member is still in the team file");
                }
            }
            _ => self.publish(happened),
        }
        self.tasks_changed().await;
    }

    /// Ends a member that does not run.
    async fn end_asleep(&mut self, agent: &AgentId) -> Result<(), Refusal> {
        let happened = self.roster.ended(agent, MemberState::Killed, None);
        self.release_tasks(agent).await;
        self.depart(agent, happened).await
    }

    /// Cleans away a teammate that could not be started.
    pub(super) async fn never_came_up(&mut self, agent: &AgentId, why: &Refusal) {
        self.kill(agent);
        let happened = self.roster.ended(agent, MemberState::Failed, Some(why.to_string().into()));
        if let Err(refusal) = self.depart(agent, happened).await {
            tracing::error!(%agent, %refusal, "a member that never came up is still in the team file");
        }
    }

    /// Takes an ended member out of the team file, and closes its mailbox.
    pub(super) async fn leave(&mut self, agent: &AgentId) -> Result<(), Refusal> {
        let Some(team) = &mut self.team else { return Ok(()) };
        let (dir, gone) = (team.led.dir.clone(), agent.clone());
        team.led.file = blocking(move || {
            let file = dir.update(|file| {
                file.members.retain(|member| member.agent_id != gone);
                file.clone()
            })?;
            dir.mailbox(&gone).close()?;
            Ok(file)
        })
        .await?;
        self.after(SHOWN_AFTER_END, Event::Forget(agent.clone()));
        Ok(())
    }

    fn note_asked(&mut self, agent: &AgentId, request: RequestId) {
        if let Some(live) = self.roster.get_mut(agent).and_then(|member| member.live.as_mut()) {
            live.asked.insert(request);
        }
    }

    /// Lets something happen later, unless the hub ends first.
    pub(super) fn after(&mut self, wait: Duration, event: Event) {
        self.timers.spawn(async move {
            tokio::time::sleep(wait).await;
            event
        });
    }
}

fn shutdown_request(reason: Option<String>) -> (RequestId, Protocol) {
    let request_id = RequestId::new(swarm_agent::turn_id().as_str());
    let message = Protocol::ShutdownRequest { request_id: request_id.clone(), reason };
    (request_id, message)
}

fn why(error: JoinError) -> String {
    if !error.is_panic() {
        return "its task was cancelled".to_owned();
    }
    let panic = error.into_panic();
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
    format!("an internal error: {text}")
}
