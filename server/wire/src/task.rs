//! A task of the team's list. Unknown fields survive.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::ids::AgentId;

/// Names one task of a team; given by the store, counted from 1.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct TaskId(String);

impl TaskId {
    pub fn new(id: impl Into<String>) -> Self {
        Self(id.into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum TaskStatus {
    #[default]
    Pending,
    InProgress,
    Completed,
}

/// A task, as `<root>/teams/<team>/tasks/<id>.json` keeps it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Task {
    pub id: TaskId,
    pub subject: String,
    #[serde(default)]
    pub description: String,
    pub status: TaskStatus,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<AgentId>,
    /// Tasks that must be completed before this one is claimed.
    #[serde(default)]
    pub blocked_by: Vec<TaskId>,
    #[serde(flatten)]
    pub unknown: Map<String, Value>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_has_the_documented_fields_and_keeps_unknown_ones() {
        let text = r#"{"id":"3","subject":"s","status":"in_progress","owner":"ada@shop","blockedBy":["1"],"later":7}"#;
        let task: Task = serde_json::from_str(text).unwrap();
        assert_eq!(task.status, TaskStatus::InProgress);
        let json = serde_json::to_value(&task).unwrap();
        assert_eq!(json["blockedBy"][0], "1");
        assert_eq!(json["later"], 7);
    }
}
