//! Settings after the handshake: pulled from the client's section `swarm`, or pushed by it.

use std::sync::Arc;

use serde_json::Value;
use swarm_wire::settings::Settings;

use crate::error::parse;
use crate::ingress::proxy::CallError;
use crate::lsp::types::request::WorkspaceConfiguration;
use crate::lsp::types::{ConfigurationItem, ConfigurationParams, MessageType};
use crate::session::Session;

/// The section of `workspace/configuration` that is ours.
const SECTION: &str = "swarm";

/// The client's `workspace/didChangeConfiguration`.
pub(crate) async fn changed(session: &Arc<Session>, settings: Value) {
    match settings.get(SECTION) {
        Some(section) => apply(session, section.clone()).await,
        // Clients that answer questions about their settings send nothing of use here.
        None => pull(session),
    }
}

/// Asks the client for its settings, if it answers that; applied when the answer comes.
pub(crate) fn pull(session: &Arc<Session>) {
    if !session.started().is_ok_and(|started| started.client.answers_configuration) {
        return;
    }
    let own = session.clone();
    session.tasks.spawn("configuration", async move {
        let session = own;
        let item = ConfigurationItem { scope_uri: None, section: Some(SECTION.into()) };
        let params = ConfigurationParams { items: vec![item] };
        match session.proxy.request::<WorkspaceConfiguration>(params).await {
            Ok(sections) => apply(&session, sections.into_iter().next().unwrap_or_default()).await,
            Err(CallError::Closed) => {}
            Err(error) => tracing::warn!(%error, "the editor gave no settings"),
        }
    });
}

/// Reads `initializationOptions`; what cannot be is told to the user, and the defaults are used.
pub(crate) fn read(session: &Session, options: Value) -> Settings {
    if options.is_null() {
        return Settings::default();
    }
    parse(options).unwrap_or_else(|problem| {
        let text = format!("swarm: the settings are not used, but the defaults: {problem}");
        session.proxy.show(MessageType::ERROR, text);
        Settings::default()
    })
}

async fn apply(session: &Session, section: Value) {
    let Ok(started) = session.started() else { return };
    match parse::<Settings>(overlay(started.options.clone(), section)) {
        Ok(settings) => started.leader.configure(session.environment.complete(settings)).await,
        Err(problem) => {
            let text = format!("swarm: the changed settings are not used, but those before: {problem}");
            session.proxy.show(MessageType::ERROR, text);
        }
    }
}

/// The section over the options that the client started with; a null is no setting.
fn overlay(options: Value, section: Value) -> Value {
    let mut fields = match options {
        Value::Object(fields) => fields,
        _ => serde_json::Map::new(),
    };
    if let Value::Object(section) = section {
        fields.extend(section.into_iter().filter(|(_, value)| !value.is_null()));
    }
    Value::Object(fields)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_section_lies_over_the_options_and_a_null_is_no_setting() {
        let over = |section| overlay(json!({ "model": "a", "trust": "ask" }), section);
        assert_eq!(over(json!({ "model": "b", "trust": null })), json!({ "model": "b", "trust": "ask" }));
        assert_eq!(over(Value::Null), json!({ "model": "a", "trust": "ask" }));
        assert_eq!(overlay(Value::Null, json!({ "model": "b" })), json!({ "model": "b" }));
    }
}
