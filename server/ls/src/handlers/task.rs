//! `swarm/task/list`, `create` and `update`: the user's hand on the team's list.

use std::sync::Arc;

use swarm_wire::lsp::{TaskCreateParams, TaskListParams, TaskListResult, TaskUpdateParams};
use swarm_wire::task::Task;

use crate::error::Problem;
use crate::session::Session;

pub(crate) async fn list(session: Arc<Session>, params: TaskListParams) -> Result<TaskListResult, Problem> {
    Ok(session.leader()?.tasks(params).await?)
}

pub(crate) async fn create(session: Arc<Session>, params: TaskCreateParams) -> Result<Task, Problem> {
    Ok(session.leader()?.create_task(params).await?)
}

pub(crate) async fn update(session: Arc<Session>, params: TaskUpdateParams) -> Result<Task, Problem> {
    Ok(session.leader()?.update_task(params).await?)
}
