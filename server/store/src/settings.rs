//! Settings and rules in two layers: the user's file under the root, the project's in its workspace.
//!
//! A project's denials always hold. What it grants, and its other settings, hold only while its file is byte
//! for byte what the user trusted; the hash of that is kept in the user's file, which no project can write.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use swarm_wire::permission::{Behavior, RuleUpdate, Scope};
use swarm_wire::settings::Settings;

use crate::atomic::{self, Durability};
use crate::error::{Error, Result};
use crate::lock;
use crate::root::Root;

/// One settings file. Unknown fields survive a rewrite.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SettingsFile {
    #[serde(default, skip_serializing_if = "RuleLists::is_empty")]
    pub permissions: RuleLists,
    /// SHA-256 of the project files that the user trusts, by the file's path. Only the user's file has any say.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub trusted_projects: BTreeMap<String, String>,
    /// SHA-256 of the project files that the user does not want to trust, by the file's path.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub declined_projects: BTreeMap<String, String>,
    /// The settings themselves, and what a later version put there.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// Rules as text, `Tool` or `Tool(pattern)`, by what they do.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RuleLists {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allow: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ask: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deny: Vec<String>,
    #[serde(flatten)]
    pub unknown: Map<String, Value>,
}

/// Both layers of one workspace.
#[derive(Debug, Clone)]
pub struct SettingsDir {
    root: Root,
    project: PathBuf,
}

/// What both files say.
#[derive(Debug, Clone, PartialEq)]
pub struct Layers {
    pub user: SettingsFile,
    pub project: SettingsFile,
    /// Whether the project's file is what the user trusted; true where there is none.
    pub project_trusted: bool,
    /// Whether the project's file is what the user does not want to trust.
    pub project_declined: bool,
    /// SHA-256 of the project's file, for [`SettingsDir::trust_project`]; `None` where there is none.
    pub project_hash: Option<String>,
}

/// Whether a remembered rule is in force.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Remembered {
    InForce,
    /// Written, but the project's file is not trusted, so what it grants does not count.
    Untrusted,
}

impl Root {
    /// The settings that hold in `workspace`.
    pub fn settings(&self, workspace: &Path) -> SettingsDir {
        SettingsDir { root: self.clone(), project: workspace.join(".swarm").join("settings.json") }
    }
}

impl RuleLists {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The rules that do `behavior`.
    pub fn of(&self, behavior: Behavior) -> &[String] {
        match behavior {
            Behavior::Allow => &self.allow,
            Behavior::Ask => &self.ask,
            Behavior::Deny => &self.deny,
        }
    }

    fn add(&mut self, update: &RuleUpdate) {
        let list = match update.behavior {
            Behavior::Allow => &mut self.allow,
            Behavior::Ask => &mut self.ask,
            Behavior::Deny => &mut self.deny,
        };
        for rule in &update.rules {
            if !list.contains(rule) {
                list.push(rule.clone());
            }
        }
    }
}

impl SettingsFile {
    /// Keys that are no setting of this version: misspelt, or of a later one.
    pub fn unknown_keys(&self) -> Vec<String> {
        let known = Settings::names();
        let settings = self.rest.keys().filter(|key| !known.contains(key)).cloned();
        let lists = self.permissions.unknown.keys().map(|key| format!("permissions.{key}"));
        settings.chain(lists).collect()
    }
}

impl Layers {
    /// The rules in force that do `behavior`, each with where it stands.
    pub fn rules(&self, behavior: Behavior) -> Vec<(Scope, String)> {
        let in_force = self.project_trusted || behavior != Behavior::Allow;
        let project = self.project.permissions.of(behavior).iter().filter(|_| in_force);
        let user = self.user.permissions.of(behavior).iter();
        let user = user.map(|rule| (Scope::User, rule.clone()));
        user.chain(project.map(|rule| (Scope::Project, rule.clone()))).collect()
    }
}

impl SettingsDir {
    /// Both files; a missing one is empty, one that does not parse is an error with its path.
    pub fn read(&self) -> Result<Layers> {
        let user = atomic::read_json_if_there::<SettingsFile>(&self.user_path())?.unwrap_or_default();
        let text = self.project_text()?;
        let project_hash = text.as_deref().map(hash);
        let trusted = user.trusted_projects.get(&self.project_key());
        let project_trusted = project_hash.is_none() || project_hash.as_ref() == trusted;
        let declined = user.declined_projects.get(&self.project_key());
        let project_declined = project_hash.is_some() && project_hash.as_ref() == declined;
        let project = match &text {
            Some(text) => serde_json::from_slice(text)
                .map_err(|source| Error::Json { path: self.project.clone(), source })?,
            None => SettingsFile::default(),
        };
        Ok(Layers { user, project, project_trusted, project_declined, project_hash })
    }

    /// The settings in force: the user's, and over them a trusted project's.
    pub fn settings(&self) -> Result<Settings> {
        let Layers { user, project, project_trusted, .. } = self.read()?;
        let parse = |path: PathBuf, fields: Map<String, Value>| {
            serde_json::from_value(Value::Object(fields)).map_err(|source| Error::Json { path, source })
        };
        // Each alone first, so that a wrong value is blamed on its own file.
        let settings: Settings = parse(self.user_path(), user.rest.clone())?;
        if !project_trusted {
            return Ok(settings);
        }
        parse(self.project.clone(), project.rest.clone()).map(|_: Settings| ())?;
        let mut merged = user.rest;
        merged.extend(project.rest);
        parse(self.project.clone(), merged)
    }

    /// Writes a rule down in the layer of its scope, which is the project's or the user's.
    ///
    /// A project's file that was trusted, or granted nothing before, is trusted with the new rule in it.
    pub fn remember(&self, update: &RuleUpdate) -> Result<Remembered> {
        let project = match update.scope {
            Scope::User => false,
            Scope::Project => true,
            Scope::Session | Scope::Team => return Err(Error::NotInSettings(update.scope)),
        };
        self.locked(|| {
            let mut layers = self.read()?;
            if !project {
                layers.user.permissions.add(update);
                self.write_user(&layers.user)?;
                return Ok(Remembered::InForce);
            }
            let trusted = layers.project_trusted
                || (layers.project.permissions.allow.is_empty() && layers.project.rest.is_empty());
            layers.project.permissions.add(update);
            let written = self.write_project(&layers.project)?;
            if trusted {
                // The hash of what we wrote, not of what may lie there by now.
                self.trust(&mut layers.user, written)?;
                return Ok(Remembered::InForce);
            }
            let granted = update.behavior == Behavior::Allow;
            Ok(if granted { Remembered::Untrusted } else { Remembered::InForce })
        })
    }

    /// Trusts the project's content that was shown to the user, by [`Layers::project_hash`]; any other content
    /// that the file has now or later is not trusted.
    pub fn trust_project(&self, shown: &str) -> Result<()> {
        self.locked(|| {
            let mut user = self.read()?.user;
            self.trust(&mut user, shown.to_owned())
        })
    }

    /// Keeps that the user does not want to trust this content, so that nobody asks about it again.
    pub fn decline_project(&self, shown: &str) -> Result<()> {
        self.locked(|| {
            let mut user = self.read()?.user;
            user.declined_projects.insert(self.project_key(), shown.to_owned());
            self.write_user(&user)
        })
    }

    /// The user's file.
    pub fn user_path(&self) -> PathBuf {
        self.root.path().join("settings.json")
    }

    /// The project's file.
    pub fn project_path(&self) -> &Path {
        &self.project
    }

    fn trust(&self, user: &mut SettingsFile, hash: String) -> Result<()> {
        let before = user.trusted_projects.insert(self.project_key(), hash.clone());
        if before == Some(hash) { Ok(()) } else { self.write_user(user) }
    }

    fn project_key(&self) -> String {
        self.project.display().to_string()
    }

    fn project_text(&self) -> Result<Option<Vec<u8>>> {
        match atomic::read(&self.project) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.is_not_found() => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn write_user(&self, file: &SettingsFile) -> Result<()> {
        atomic::replace_json(&self.user_path(), file, Durability::Synced)
    }

    /// Writes the project's file and gives the hash of what was written.
    fn write_project(&self, file: &SettingsFile) -> Result<String> {
        let dir = self.project.parent().unwrap_or(&self.project);
        atomic::create_dir(dir)?;
        // A project could make its folder a link and have us write elsewhere.
        if fs::symlink_metadata(dir).map_err(Error::io("look at", dir))?.is_symlink() {
            let why = "it is a link, which could lead out of the project".to_owned();
            return Err(Error::NotPrivate { path: dir.to_owned(), why });
        }
        let text = atomic::json_text(&self.project, file)?;
        atomic::replace(&self.project, &text, Durability::Synced)?;
        Ok(hash(&text))
    }

    /// One lock for every settings file that this user's servers write; it lies where no project is.
    fn locked<R>(&self, work: impl FnOnce() -> Result<R>) -> Result<R> {
        lock::locked(&self.root.path().join("settings.lock"), work)
    }
}

fn hash(text: &[u8]) -> String {
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}
