//! What the task tools have in common: the list itself, how a task is written, and what was completed.

use std::sync::{Mutex, PoisonError};

use swarm_guard::Effect;
use swarm_store::Tasks;
use swarm_wire::task::{Task, TaskId, TaskStatus};

use super::ToolContext;
use super::tool::{Preview, ToolError};
use crate::event::Report;

/// The task that a member completed last and has not told its leader of.
#[derive(Debug, Default)]
pub(crate) struct Completed(Mutex<Option<TaskId>>);

impl Completed {
    pub(super) fn note(&self, task: TaskId) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(task);
    }

    pub(crate) fn take(&self) -> Option<TaskId> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl ToolContext {
    /// Tells the leader that the list is another one.
    pub(super) async fn tasks_changed(&self) {
        self.reporter.send(Report::TasksChanged).await;
    }
}

pub(super) fn of_team(description: String, key: &str) -> Preview {
    Preview { effect: Effect::Team, description, keys: vec![key.to_owned()], change: None }
}

/// Works on the list off the async threads.
pub(super) async fn with_tasks<T: Send + 'static>(
    context: &ToolContext,
    work: impl FnOnce(&Tasks) -> Result<T, swarm_store::Error> + Send + 'static,
) -> Result<T, ToolError> {
    let tasks = context.tasks.clone();
    let done = tokio::task::spawn_blocking(move || work(&tasks)).await;
    done.map_err(|lost| ToolError::tell(lost.to_string()))?
        .map_err(|error| ToolError::tell(error.to_string()))
}

/// There is no such task; says which there are.
pub(super) async fn no_task(context: &ToolContext, id: &TaskId) -> ToolError {
    let tasks = with_tasks(context, |tasks| tasks.list()).await.unwrap_or_default();
    let there: Vec<&str> = tasks.iter().map(|task| task.id.as_str()).collect();
    let there = if there.is_empty() { "none".to_owned() } else { there.join(", ") };
    ToolError::tell(format!("There is no task {id}. There are: {there}."))
}

/// A task in a line.
pub(crate) fn shown(task: &Task) -> String {
    let state = match task.status {
        TaskStatus::Pending => "free",
        TaskStatus::InProgress => "in progress",
        TaskStatus::Completed => "completed",
    };
    let owner = task.owner.as_ref().map(|owner| format!(", {}", owner.name)).unwrap_or_default();
    let waits: Vec<&str> = task.blocked_by.iter().map(TaskId::as_str).collect();
    let waits = if waits.is_empty() { String::new() } else { format!(", after {}", waits.join(", ")) };
    format!("{} [{state}{owner}{waits}] {}", task.id, task.subject)
}
