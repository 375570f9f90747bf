//! Results too long for a model, kept whole beside the transcript, and the pictures that a member was shown.

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use swarm_wire::AgentId;
use swarm_wire::picture::Picture;

use crate::atomic::{self, Durability};
use crate::error::{Error, Result};
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
        write(&self.outputs_dir(agent), name, bytes)
    }
}

/// What a picture's file is known by.
pub fn picture_hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Keeps a picture among the outputs of a member, whose folder is `outputs`.
pub fn keep_picture(outputs: &Path, picture: &Picture, bytes: &[u8]) -> Result<()> {
    write(outputs, &picture.file_name(), bytes).map(drop)
}

/// The bytes of a picture that was kept. What has another hash is an error: it is not what the model was shown.
pub fn read_picture(outputs: &Path, picture: &Picture) -> Result<Vec<u8>> {
    let path = outputs.join(checked_id(&picture.file_name())?);
    let bytes = atomic::read(&path)?;
    if picture_hash(&bytes) == picture.hash { Ok(bytes) } else { Err(Error::AnotherPicture(path)) }
}

fn write(dir: &Path, name: &str, bytes: &[u8]) -> Result<PathBuf> {
    let path = dir.join(checked_id(name)?);
    atomic::create_dir(dir)?;
    lock::locked(&dir.join(".lock"), || atomic::replace(&path, bytes, Durability::Buffered))?;
    Ok(path)
}
