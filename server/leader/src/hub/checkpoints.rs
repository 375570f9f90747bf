//! What clients ask of checkpoints. Git takes its time, so the answers come from tasks of their own.

use std::sync::Arc;

use swarm_wire::lsp::{
    CheckpointListParams, CheckpointListResult, CheckpointRestoreParams, CheckpointRestoreResult,
};

use super::Hub;
use crate::checkpoints::Checkpoints;
use crate::command::{Refusal, Reply};

impl Hub {
    pub(super) fn list_checkpoints(&self, params: CheckpointListParams, reply: Reply<CheckpointListResult>) {
        let asked = || {
            let checkpoints = self.checkpoints(params.team.as_deref())?;
            // A member that is gone has checkpoints all the same, but no name any more.
            let member = params.member.as_deref().map(|name| self.roster.find(Some(name))).transpose()?;
            Ok((checkpoints, member.map(|member| member.view.agent_id.clone())))
        };
        match asked() {
            // A client that went away takes no answer.
            Err(refusal) => drop(reply.send(Err(refusal))),
            Ok((None, _)) => drop(reply.send(Ok(CheckpointListResult { checkpoints: Vec::new() }))),
            Ok((Some(all), member)) => drop(tokio::spawn(async move {
                let listed = all.list(member.as_ref()).await;
                let _ = reply.send(listed.map(|checkpoints| CheckpointListResult { checkpoints }));
            })),
        }
    }

    pub(super) fn restore_checkpoint(
        &self,
        params: CheckpointRestoreParams,
        reply: Reply<CheckpointRestoreResult>,
    ) {
        let asked = || {
            let all = self.checkpoints(params.team.as_deref())?;
            let all =
                all.ok_or_else(|| Refusal::Failed("nothing was done yet that could be undone".to_owned()))?;
            let busy: Vec<&str> = self
                .roster
                .iter()
                .filter(|member| member.view.turn_id.is_some())
                .map(|member| member.view.name.as_str())
                .collect();
            if busy.is_empty() {
                return Ok(all);
            }
            Err(Refusal::Failed(format!("{} at work; interrupt first", busy.join(", "))))
        };
        match asked() {
            Err(refusal) => drop(reply.send(Err(refusal))),
            // It goes on to its end whoever waits for it: half of a restore is worse than none.
            Ok(all) => drop(tokio::spawn(async move {
                let _ = reply.send(all.restore(&params.id).await);
            })),
        }
    }

    fn checkpoints(&self, team: Option<&str>) -> Result<Option<Arc<Checkpoints>>, Refusal> {
        self.check_team(team)?;
        Ok(self.team.as_ref().map(|team| team.checkpoints.clone()))
    }
}
