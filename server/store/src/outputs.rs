//! Results too long for a model, kept whole beside the transcript.

use std::path::PathBuf;

use swarm_wire::AgentId;

use crate::atomic::{self, Durability};
use crate::error::Result;
use crate::lock;
use crate::team_dir::{TeamDir, checked_id, file_name};

impl TeamDir {
    /// `outputs/<agentId>`; created when first written to.
    pub fn outputs_dir(&self, agent: &AgentId) -> PathBuf {
        self.path().join("outputs").join(file_name(agent))
    }

    /// As [`TeamDir::outputs_dir`], and makes it, for results that are written while they come.
    pub fn prepare_outputs(&self, agent: &AgentId) -> Result<PathBuf> {
        let dir = self.outputs_dir(agent);
        atomic::create_dir(&dir)?;
        Ok(dir)
    }

    /// Keeps `bytes` under `name` and says where; an output of that name is replaced.
    pub fn write_output(&self, agent: &AgentId, name: &str, bytes: &[u8]) -> Result<PathBuf> {
        let dir = self.outputs_dir(agent);
        let path = dir.join(checked_id(name)?);
        atomic::create_dir(&dir)?;
        lock::locked(&dir.join(".lock"), || atomic::replace(&path, bytes, Durability::Buffered))?;
        Ok(path)
    }
}
