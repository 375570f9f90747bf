//! Files that carry something to another process of the same user, and are gone once read.

use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::hex;
use super::keys::{keys_dir, random};
use crate::atomic::{self, Durability};
use crate::error::Result;
use crate::root::Root;

impl Root {
    /// Writes `value` to a new file that only this user can read, and says where.
    pub fn hand_over<T: Serialize>(&self, value: &T) -> Result<PathBuf> {
        let dir = keys_dir(self).join("handover");
        atomic::create_dir(&dir)?;
        let path = dir.join(hex::encode(&random::<16>()?));
        atomic::replace_json(&path, value, Durability::Buffered)?;
        Ok(path)
    }

    /// Removes what was handed over and not taken.
    pub fn take_back(&self, path: &Path) -> Result<()> {
        atomic::remove(path)
    }

    /// Reads what was handed over, and removes its file.
    pub fn take_over<T: DeserializeOwned>(&self, path: &Path) -> Result<T> {
        let value = atomic::read_json(path);
        atomic::remove(path)?;
        value
    }
}
