//! The commands `swarm.open` and `swarm.send`: the conversation as a document.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};
use swarm_wire::lsp::{MemberParams, PromptResult};

use crate::conversation;
use crate::error::Problem;
use crate::lsp::types::Url;
use crate::pages;
use crate::session::Session;

#[derive(Deserialize)]
pub(super) struct Written {
    /// The document; the leader's agent's without it.
    uri: Option<Url>,
}

pub(super) async fn open(session: &Session, member: MemberParams) -> Result<Value, Problem> {
    let (uri, text) = conversation::open(session, member).await?;
    match session.started()?.client.shows_documents {
        true => Ok(pages::show(session, uri)),
        false => Ok(json!({ "uri": uri, "text": text })),
    }
}

pub(super) async fn send(session: Arc<Session>, Written { uri }: Written) -> Result<PromptResult, Problem> {
    let shown = match uri {
        Some(uri) => {
            let shown = session.conversations.of_uri(&uri);
            let other = || Problem::field("arguments[0].uri", "is no conversation that swarm.open showed");
            Some(shown.ok_or_else(other)?)
        }
        None => None,
    };
    conversation::send(session, shown).await
}
