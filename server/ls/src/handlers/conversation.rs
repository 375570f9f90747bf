//! `swarm/conversation/*`: a member's conversations, and the summary of the present one, at the user's wish.

use std::sync::Arc;

use swarm_wire::conversation::ConversationWish;
use swarm_wire::lsp::{
    ConversationListResult, ConversationOpenParams, ConversationRenameParams, ConversationView, MemberParams,
};

use crate::error::Problem;
use crate::session::Session;

pub(crate) async fn new(session: Arc<Session>, params: MemberParams) -> Result<ConversationView, Problem> {
    Ok(session.leader()?.converse(params, ConversationWish::New).await?)
}

pub(crate) async fn clear(session: Arc<Session>, params: MemberParams) -> Result<ConversationView, Problem> {
    Ok(session.leader()?.converse(params, ConversationWish::Clear).await?)
}

pub(crate) async fn open(
    session: Arc<Session>,
    params: ConversationOpenParams,
) -> Result<ConversationView, Problem> {
    let ConversationOpenParams { id, member, team } = params;
    Ok(session.leader()?.converse(MemberParams { member, team }, ConversationWish::Open { id }).await?)
}

pub(crate) async fn list(
    session: Arc<Session>,
    params: MemberParams,
) -> Result<ConversationListResult, Problem> {
    Ok(session.leader()?.conversations(params).await?)
}

pub(crate) async fn rename(
    session: Arc<Session>,
    params: ConversationRenameParams,
) -> Result<ConversationView, Problem> {
    Ok(session.leader()?.rename_conversation(params).await?)
}

pub(crate) async fn compact(session: Arc<Session>, params: MemberParams) -> Result<(), Problem> {
    Ok(session.leader()?.compact(params).await?)
}
