//! Which files of a workspace a call does not get to see: secrets that nobody allowed it, and what a rule forbids to read.
//!
//! What a call names is decided by name ([`crate::decide()`]). This is for what it finds by itself: a search through
//! folders, a program that opens whatever it likes.

use std::path::{Path, PathBuf};

use crate::decide::Bounds;
use crate::rules::Rules;
use crate::secrets::Secrets;

/// What is kept from a call.
#[derive(Debug, Clone)]
pub struct Sight {
    secrets: Option<Secrets>,
    rules: Rules,
    workspace: PathBuf,
}

impl Sight {
    /// What holds for a member: secrets and files that a rule forbids to read are not seen.
    pub fn new(bounds: &Bounds) -> Self {
        Self {
            secrets: Some(bounds.secrets.clone()),
            rules: bounds.rules.forbidding_files(),
            workspace: bounds.workspace.clone(),
        }
    }

    /// The same for a call that was allowed to see secrets. What a rule forbids stays unseen.
    #[must_use]
    pub fn with_secrets(mut self) -> Self {
        self.secrets = None;
        self
    }

    /// Whether it hides nothing at all.
    pub fn is_clear(&self) -> bool {
        self.secrets.is_none() && self.rules.is_empty()
    }

    /// Whether a file, by its absolute path, is not seen.
    pub fn hides(&self, file: &Path) -> bool {
        self.secrets.as_ref().is_some_and(|secrets| secrets.holds(&file.to_string_lossy()))
            || self.rules.forbid_file(file, &self.workspace)
    }

    /// Whether a folder is not seen, with all that is in it.
    pub(crate) fn hides_folder(&self, folder: &Path) -> bool {
        self.rules.forbid_folder(folder, &self.workspace)
    }

    /// Whether the two hide the same, as long as the secrets' names stay the same.
    pub fn is_like(&self, other: &Self) -> bool {
        self.secrets.is_some() == other.secrets.is_some()
            && self.rules == other.rules
            && self.workspace == other.workspace
    }
}
