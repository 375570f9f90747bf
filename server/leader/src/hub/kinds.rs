//! Kinds of teammates: what their files say, and how far a project's may say it.

use swarm_store::AgentType;
use swarm_wire::lsp::{Event as ClientEvent, MemberView};
use swarm_wire::permission::{Mode, Scope};

use super::Hub;
use super::members::blocking;
use crate::command::Refusal;
use crate::worktrees::Ground;

/// The mode that a member of this kind has when nobody names one. A project's file gives none that is wider than
/// `default`: only a question to the user does.
pub(super) fn mode_of(kind: Option<&AgentType>) -> Mode {
    let Some(kind) = kind else { return Mode::Default };
    match kind.mode {
        Some(mode @ (Mode::Plan | Mode::DontAsk)) => mode,
        Some(mode) if kind.scope == Scope::User => mode,
        _ => Mode::Default,
    }
}

impl Hub {
    async fn kinds(&self) -> Result<Vec<AgentType>, Refusal> {
        let (root, workspace) = (self.root.clone(), self.workspace.clone().ok_or(Refusal::ShuttingDown)?);
        let (kinds, problems) = blocking(move || Ok(root.agent_types(&workspace))).await?;
        self.publish(problems.into_iter().map(|text| ClientEvent::Warning { text }).collect());
        Ok(kinds)
    }

    /// The kind of this name.
    pub(super) async fn kind(&self, name: Option<&str>) -> Result<Option<AgentType>, Refusal> {
        let Some(name) = name else { return Ok(None) };
        let kinds = self.kinds().await?;
        if let Some(kind) = kinds.iter().find(|kind| kind.name == name) {
            return Ok(Some(kind.clone()));
        }
        let names: Vec<&str> = kinds.iter().map(|kind| kind.name.as_str()).collect();
        let there = match names.is_empty() {
            true => "there is none; each is a file in .swarm/agents".to_owned(),
            false => format!("there are: {}", names.join(", ")),
        };
        Err(Refusal::Unknown(format!("there is no agent type `{name}`; {there}")))
    }

    /// The tools of a member, as far as its kind names them, and what its model reads of its kind and its worktree.
    pub(super) async fn about(
        &self,
        view: &MemberView,
        ground: &Ground,
    ) -> Result<(Option<Vec<String>>, String), Refusal> {
        let (tools, about_kind) = self.kind_of_member(view).await?;
        let worktree = ground.worktree.as_ref().map(swarm_agent::about_worktree).unwrap_or_default();
        Ok((tools, about_kind + &worktree))
    }

    /// The tools of a member, as far as its kind names them, and what its model reads of kinds: a teammate of its own,
    /// the leader's agent of all.
    async fn kind_of_member(&self, view: &MemberView) -> Result<(Option<Vec<String>>, String), Refusal> {
        if view.agent_id.is_lead() {
            let kinds = self.kinds().await?;
            let line = |kind: &AgentType| format!("\n- {}: {}", kind.name, kind.description);
            let lines: String = kinds.iter().map(line).collect();
            let text =
                if lines.is_empty() { lines } else { format!("\nAgent types for SpawnTeammate:{lines}\n") };
            return Ok((None, text));
        }
        // Without its file nobody knows what it may not do.
        let kind = self.kind(view.agent_type.as_deref()).await?;
        Ok(match kind {
            Some(kind) => (kind.tools, format!("\n{}\n", kind.prompt)),
            None => (None, String::new()),
        })
    }
}
