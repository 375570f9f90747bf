//! What clients ask of members' conversations. A member that lives changes its own, one that does not is changed here.

use swarm_agent::conversation::{self, Wish};
use swarm_store::Conversations;
use swarm_wire::conversation::ConversationWish;
use swarm_wire::lsp::{
    ConversationListResult, ConversationRenameParams, ConversationView, Event as ClientEvent, MemberParams,
};
use swarm_wire::{AgentId, ConversationId};
use tokio::sync::oneshot;

use super::Hub;
use super::members::blocking;
use crate::command::{Refusal, Reply};
use crate::roster::Member;

impl Hub {
    /// Has a member's history summarised before its next model request.
    pub(super) fn compact(&mut self, params: &MemberParams) -> Result<(), Refusal> {
        self.check_team(params.team.as_deref())?;
        let member = self.roster.find(params.member.as_deref())?;
        let Some(live) = &member.live else {
            let name = &member.view.name;
            return Err(Refusal::Failed(format!(
                "{name} does not run, so it has no next request; write to it first"
            )));
        };
        live.compact();
        Ok(())
    }

    /// Has a member be in another conversation.
    pub(super) async fn converse(
        &mut self,
        params: &MemberParams,
        wish: ConversationWish,
        reply: Reply<ConversationView>,
    ) {
        // A client that went away takes no answer.
        match self.idle_member(params, &wish).await {
            Err(refusal) => drop(reply.send(Err(refusal))),
            Ok(agent) => match self.roster.get(&agent).and_then(|member| member.live.as_ref()) {
                Some(live) => {
                    let (done, outcome) = oneshot::channel();
                    live.converse(Wish { wish, done });
                    tokio::spawn(async move {
                        let outcome = match outcome.await {
                            Ok(Ok(conversation)) => Ok(ConversationView { conversation, current: true }),
                            Ok(Err(why)) => Err(Refusal::Failed(format!("`{}`: {why}", agent.name))),
                            Err(_) => Err(Refusal::Failed(format!("`{}` ended meanwhile", agent.name))),
                        };
                        let _ = reply.send(outcome);
                    });
                }
                None => drop(reply.send(self.change_for(&agent, wish).await)),
            },
        }
    }

    /// The member that is meant, which has no turn, and has the conversation that is to be opened.
    async fn idle_member(&self, params: &MemberParams, wish: &ConversationWish) -> Result<AgentId, Refusal> {
        let (agent, of) = self.conversations_of(params)?;
        let works = |member: &Member| {
            let is_promised = member.live.as_ref().is_some_and(|live| !live.promised.is_empty());
            is_promised || member.view.turn_id.is_some()
        };
        if self.roster.get(&agent).is_some_and(works) {
            return Err(Refusal::Failed(format!("`{}` works; interrupt it first", agent.name)));
        }
        if let ConversationWish::Open { id } = wish {
            let index = blocking(move || of.index()).await?;
            if *id != index.current && index.get(id).is_none() {
                return Err(no_such(id));
            }
        }
        Ok(agent)
    }

    /// Nobody writes the transcript of a member that does not run, so it is changed here.
    async fn change_for(
        &mut self,
        agent: &AgentId,
        wish: ConversationWish,
    ) -> Result<ConversationView, Refusal> {
        let Some(team) = &self.team else { return Err(Refusal::ShuttingDown) };
        let of = Conversations::new(&team.led.dir, agent);
        let changed = blocking(move || conversation::change(&of, &wish)).await?;
        let conversation = changed.conversation;
        if changed.opened.is_some() {
            let mut happened = Vec::new();
            if let Some(member) = self.roster.get_mut(agent) {
                member.view.interrupted = false;
                happened.push(ClientEvent::MemberChanged { member: Box::new(member.view.clone()) });
            }
            happened.push(ClientEvent::ConversationChanged {
                member: agent.clone(),
                id: conversation.id.clone(),
                title: conversation.title.clone(),
            });
            self.publish(happened);
        }
        Ok(ConversationView { conversation, current: true })
    }

    /// A long history takes its time to be counted, so the answer comes from a task of its own.
    pub(super) fn list_conversations(&self, params: &MemberParams, reply: Reply<ConversationListResult>) {
        if self.team.is_none() && params.member.is_none() && params.team.is_none() {
            let none = ConversationListResult { conversations: Vec::new(), context_window: 0 };
            // A client that went away takes no answer.
            return drop(reply.send(Ok(none)));
        }
        let asked = || {
            let (agent, of) = self.conversations_of(params)?;
            let member = self.roster.get(&agent).ok_or(Refusal::ShuttingDown)?;
            Ok((of, self.choice(&member.own).context_window))
        };
        match asked() {
            Err(refusal) => drop(reply.send(Err(refusal))),
            Ok((of, context_window)) => drop(tokio::spawn(async move {
                let listed = blocking(move || conversation::list(&of)).await;
                let _ = reply.send(
                    listed.map(|conversations| ConversationListResult { conversations, context_window }),
                );
            })),
        }
    }

    pub(super) async fn rename_conversation(
        &mut self,
        params: ConversationRenameParams,
    ) -> Result<ConversationView, Refusal> {
        let ConversationRenameParams { id, title, member, team } = params;
        let title = title.trim().to_owned();
        if title.is_empty() || title.contains(char::is_control) {
            let problem = "is empty or has line ends in it; a title is a few words".to_owned();
            return Err(Refusal::Invalid { field: "title".into(), problem });
        }
        let (agent, of) = self.conversations_of(&MemberParams { member, team })?;
        let index = of.clone();
        let index = blocking(move || index.index()).await?;
        if let Some(id) = &id
            && *id != index.current
            && index.get(id).is_none()
        {
            return Err(no_such(id));
        }
        let renamed = blocking(move || conversation::rename(&of, id.as_ref(), &title)).await?;
        if renamed.current {
            let (id, title) = (renamed.conversation.id.clone(), renamed.conversation.title.clone());
            self.publish(vec![ClientEvent::ConversationChanged { member: agent, id, title }]);
        }
        Ok(renamed)
    }

    fn conversations_of(&self, params: &MemberParams) -> Result<(AgentId, Conversations), Refusal> {
        self.check_team(params.team.as_deref())?;
        let agent = self.roster.find(params.member.as_deref())?.view.agent_id.clone();
        let team = self.team.as_ref().ok_or(Refusal::ShuttingDown)?;
        let of = Conversations::new(&team.led.dir, &agent);
        Ok((agent, of))
    }
}

fn no_such(id: &ConversationId) -> Refusal {
    Refusal::Unknown(swarm_store::Error::NoSuchConversation(id.clone()).to_string())
}
