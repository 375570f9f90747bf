//! `swarm/checkpoint/list` and `restore`: the workspace before each turn, and the way back.

use std::sync::Arc;

use swarm_wire::lsp::{
    CheckpointListParams, CheckpointListResult, CheckpointRestoreParams, CheckpointRestoreResult,
};

use crate::error::Problem;
use crate::session::Session;

pub(crate) async fn list(
    session: Arc<Session>,
    params: CheckpointListParams,
) -> Result<CheckpointListResult, Problem> {
    Ok(session.leader()?.checkpoints(params).await?)
}

pub(crate) async fn restore(
    session: Arc<Session>,
    params: CheckpointRestoreParams,
) -> Result<CheckpointRestoreResult, Problem> {
    Ok(session.leader()?.restore_checkpoint(params).await?)
}
