//! Which model each member asks, and how hard it thinks: the member's own choice, else the settings'.

use std::sync::Arc;

use swarm_agent::ModelChoice;
use swarm_model::{ApiKey, Client, Config, Effort, Format};
use swarm_wire::lsp::{ConfigureParams, Event as ClientEvent, MemberView};
use swarm_wire::process::MemberModel;
use swarm_wire::settings::{self, Provider, Secret, Settings};
use swarm_wire::team::MemberEntry;

use super::Hub;
use super::members::blocking;
use crate::command::Refusal;

/// Its provider's model for daily work (December 2026).
const DEFAULT_MODEL: &str = "claude-sonnet-5-5";
/// The longest answer asked of a model, in tokens.
const DEFAULT_MAX_TOKENS: u32 = 8192;

/// What was chosen for one member; what was not is the settings'.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Own {
    pub(crate) model: Option<String>,
    pub(crate) effort: Option<settings::Effort>,
}

impl Own {
    pub(super) fn of(entry: &MemberEntry) -> Self {
        Self { model: entry.model.clone(), effort: entry.effort }
    }
}

impl Hub {
    /// What a member's next request is made with.
    pub(super) fn choice(&self, own: &Own) -> ModelChoice {
        choice_of(&self.member_model(own), self.client.clone())
    }

    /// The same, as a process of the member's own is told it.
    pub(super) fn member_model(&self, own: &Own) -> MemberModel {
        let settings = &self.settings;
        let model = own.model.as_ref().or(settings.model.as_ref()).map_or(DEFAULT_MODEL, String::as_str);
        MemberModel {
            provider: settings.provider,
            base_url: settings.base_url.clone(),
            api_key: settings.api_key.clone(),
            model: model.to_owned(),
            max_tokens: settings.max_tokens.unwrap_or(DEFAULT_MAX_TOKENS),
            effort: own.effort.or(settings.effort),
            context_window: settings.context_window.unwrap_or_else(|| context_window(model)),
            pictures: settings.pictures.unwrap_or_else(|| swarm_model::takes_pictures(model)),
            metered: self.is_metered(),
        }
    }

    /// Lets every member's next request be made as the settings and its own choice now say. Gives what that changed.
    pub(super) fn settle_models(&mut self) -> Vec<ClientEvent> {
        let mut happened = Vec::new();
        let choices: Vec<MemberModel> =
            self.roster.iter().map(|member| self.member_model(&member.own)).collect();
        let effort_of_all = self.settings.effort;
        for (member, choice) in self.roster.iter_mut().zip(choices) {
            let (model, effort) = (Some(choice.model.clone()), member.own.effort.or(effort_of_all));
            if let Some(live) = &member.live {
                // A member that ends in this moment asks nobody any more.
                let _ = live.choice.send(choice_of(&choice, self.client.clone()));
                live.process.iter().for_each(|process| process.model_is(choice.clone()));
            }
            if (&member.view.model, member.view.effort) != (&model, effort) {
                (member.view.model, member.view.effort) = (model, effort);
                happened.push(ClientEvent::MemberChanged { member: Box::new(member.view.clone()) });
            }
        }
        happened
    }

    /// Chooses for one member; holds from its next request on, and in later lives of it.
    pub(super) async fn configure_member(&mut self, params: ConfigureParams) -> Result<MemberView, Refusal> {
        self.check_team(params.team.as_deref())?;
        let agent = self.roster.find(params.member.as_deref())?.view.agent_id.clone();
        let effort = params.effort.as_deref().map(parse_effort).transpose()?;
        let model = params.model.map(|model| Some(model.trim().to_owned()).filter(|model| !model.is_empty()));
        let Some(team) = &mut self.team else { return Err(Refusal::ShuttingDown) };
        let (dir, id) = (team.led.dir.clone(), agent.clone());
        let (file, own) = blocking(move || {
            dir.update(|file| {
                let entry = file.members.iter_mut().find(|entry| entry.agent_id == id);
                let own = entry.map(|entry| {
                    model.into_iter().for_each(|model| entry.model = model);
                    effort.into_iter().for_each(|effort| entry.effort = effort);
                    Own::of(entry)
                });
                (file.clone(), own)
            })
        })
        .await?;
        team.led.file = file;
        if let (Some(member), Some(own)) = (self.roster.get_mut(&agent), own) {
            member.own = own;
        }
        let happened = self.settle_models();
        self.publish(happened);
        Ok(self.roster.find(Some(agent.name.as_str()))?.view.clone())
    }

    /// Takes the settings' provider for all that comes, where it is another one.
    pub(super) fn settle_client(&mut self, before: &Settings) {
        let of =
            |settings: &Settings| (settings.provider, settings.base_url.clone(), settings.api_key.clone());
        if of(before) != of(&self.settings) {
            self.client = Arc::new(client(&self.settings));
        }
    }
}

/// An empty word gives the choice back to the settings.
fn parse_effort(word: &str) -> Result<Option<settings::Effort>, Refusal> {
    if word.is_empty() {
        return Ok(None);
    }
    let found = settings::Effort::ALL.into_iter().find(|effort| effort.as_str() == word);
    found.map(Some).ok_or_else(|| {
        let known = settings::Effort::ALL.map(settings::Effort::as_str).join(", ");
        Refusal::Invalid { field: "effort".into(), problem: format!("`{word}` is none of {known}") }
    })
}

/// How many tokens a model takes, as its provider says (December 2026); what is not known is taken for little.
fn context_window(model: &str) -> u32 {
    match model {
        name if name.starts_with("claude") => 200_000,
        name if name.starts_with("gpt-5") => 272_000,
        name if ["gpt-4o", "o1", "o3", "o4"].iter().any(|start| name.starts_with(start)) => 128_000,
        _ => 32_768,
    }
}

/// Where a provider answers when nothing else is said.
pub fn home_of(provider: Provider) -> &'static str {
    format(provider).home()
}

fn format(provider: Provider) -> Format {
    match provider {
        Provider::Anthropic => Format::Messages,
        Provider::OpenaiResponses => Format::Responses,
        Provider::OpenaiChat => Format::ChatCompletions,
    }
}

fn effort(effort: settings::Effort) -> Effort {
    match effort {
        settings::Effort::Low => Effort::Low,
        settings::Effort::Medium => Effort::Medium,
        settings::Effort::High => Effort::High,
        settings::Effort::XHigh => Effort::XHigh,
        settings::Effort::Max => Effort::Max,
    }
}

/// One for all members, so that they share its connections.
pub(super) fn client(settings: &Settings) -> Client {
    client_of(settings.provider, settings.base_url.clone(), settings.api_key.as_ref())
}

fn client_of(provider: Option<Provider>, base_url: Option<String>, key: Option<&Secret>) -> Client {
    let format = format(provider.unwrap_or(Provider::Anthropic));
    let base_url = base_url.unwrap_or_else(|| format.home().to_owned());
    let key = key.map(|key| ApiKey::new(key.expose()));
    Client::new(Config { format, ..Config::new(base_url, key) })
}

/// What a member's requests are made with that has connections of its own.
pub(crate) fn own_choice(model: &MemberModel) -> ModelChoice {
    let client = client_of(model.provider, model.base_url.clone(), model.api_key.as_ref());
    choice_of(model, Arc::new(client))
}

fn choice_of(model: &MemberModel, client: Arc<Client>) -> ModelChoice {
    ModelChoice {
        client,
        model: model.model.as_str().into(),
        max_tokens: model.max_tokens,
        effort: model.effort.map(effort),
        context_window: model.context_window,
        pictures: model.pictures,
        metered: model.metered,
    }
}
