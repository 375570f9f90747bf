//! The system text: the same bytes for a member's whole life.

use std::path::Path;
use std::sync::Arc;

use swarm_guard::Worktree;
use swarm_wire::AgentId;

/// What a member is told of its own git worktree, for its instructions.
pub fn about_worktree(worktree: &Worktree) -> String {
    include_str!("worktree.md")
        .replace("{path}", &worktree.path.display().to_string())
        .replace("{branch}", &worktree.branch)
        .replace("{checkout}", &worktree.checkout.display().to_string())
}

/// The system text of a member.
pub(crate) fn system_text(id: &AgentId, cwd: &Path, instructions: &str) -> Arc<str> {
    let template = if id.is_lead() { include_str!("leader.md") } else { include_str!("teammate.md") };
    let text = template
        .replace("{id}", &id.to_string())
        .replace("{name}", id.name.as_str())
        .replace("{team}", id.team.as_str())
        .replace("{cwd}", &cwd.display().to_string());
    if instructions.is_empty() {
        return text.into();
    }
    format!("{text}\nThe project has these instructions for you; the nearest go first:\n{instructions}")
        .into()
}
