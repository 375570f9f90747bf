//! Which provider is asked where nothing names one: a model server on this machine, looked for at the first need.

use swarm_model::{LocalServer, local_models};
use swarm_wire::lsp::Event as ClientEvent;
use swarm_wire::settings::{Provider, Settings};

use super::Hub;
use crate::command::Refusal;

/// What was found on this machine.
#[derive(Debug, Clone)]
pub(super) struct Found {
    base_url: String,
    model: String,
}

impl Hub {
    /// Makes sure that there is a model to ask. Takes half a second at most, and most often nothing.
    pub(super) async fn ensure_provider(&mut self) -> Result<(), Refusal> {
        if is_complete(&self.settings) {
            return Ok(());
        }
        let Some((name, found)) = self.look_around().await else {
            return Err(Refusal::Failed(self.what_is_missing()));
        };
        let text =
            format!("no key is set, so {name} at {} is asked, for its model {}", found.base_url, found.model);
        // Without a team there is nobody to tell.
        self.ensure_team().await?;
        self.found = Some(found);
        self.settle_provider();
        let mut happened = self.settle_models();
        happened.push(ClientEvent::Warning { text });
        self.publish(happened);
        Ok(())
    }

    /// Takes what was found for all that comes, as far as the settings name nothing else.
    pub(super) fn settle_provider(&mut self) {
        let before = self.settings.clone();
        if let Some(found) = self.found.clone().filter(|_| !is_complete(&self.settings)) {
            self.settings.provider = Some(Provider::OpenaiChat);
            self.settings.base_url.get_or_insert(found.base_url);
            self.settings.model.get_or_insert(found.model);
        }
        self.settle_client(&before);
    }

    /// A server of this machine with a model, where the settings leave that open.
    async fn look_around(&self) -> Option<(String, Found)> {
        let settings = &self.settings;
        if settings.provider.is_some_and(|provider| provider != Provider::OpenaiChat) {
            return None;
        }
        let named = settings
            .base_url
            .as_deref()
            .map(|base_url| vec![("the server".to_owned(), base_url.trim_end_matches('/').to_owned())]);
        let places = named.unwrap_or_else(|| {
            let places = self.machine.local_servers.iter();
            places
                .map(|LocalServer { name, place }| ((*name).to_owned(), format!("http://{place}/v1")))
                .collect()
        });
        for (name, base_url) in places {
            let Some(place) = place_of(&base_url) else { continue };
            let models = local_models(place).await.unwrap_or_default();
            // An embedding model answers nothing.
            let first = models.into_iter().find(|model| !model.contains("embed"));
            if let Some(model) = first.map(|first| settings.model.clone().unwrap_or(first)) {
                return Some((name, Found { base_url, model }));
            }
        }
        None
    }

    fn what_is_missing(&self) -> String {
        if self.settings.api_key.is_some() || self.settings.base_url.is_some() {
            return "no model is named: set the setting `model` to one that your provider has".to_owned();
        }
        let places = self.machine.local_servers.iter();
        let places: Vec<String> =
            places.map(|LocalServer { name, place }| format!("{name} at {place}")).collect();
        format!(
            "no key for the model: set ANTHROPIC_API_KEY or OPENAI_API_KEY in the server's environment or the setting \
             `apiKey`, point `baseUrl` at a server that wants none, or start one that is found by itself, with a model \
             ({})",
            places.join(", ")
        )
    }
}

/// Whether the settings say whom to ask, and for which model.
fn is_complete(settings: &Settings) -> bool {
    let is_reached = settings.api_key.is_some() || settings.base_url.is_some();
    let has_default = matches!(settings.provider, None | Some(Provider::Anthropic));
    is_reached && (has_default || settings.model.is_some())
}

/// Host and port of a plain address on this machine.
fn place_of(base_url: &str) -> Option<&str> {
    let place = base_url.strip_prefix("http://")?.split('/').next()?;
    let host = place.rsplit_once(':')?.0;
    (host == "localhost" || host == "[::1]" || host.starts_with("127.")).then_some(place)
}
