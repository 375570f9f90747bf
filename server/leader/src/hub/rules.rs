//! The rules of the settings files: read again when they change, and a project's asked about before they grant.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde_json::json;
use swarm_agent::permission_id;
use swarm_guard::Rules;
use swarm_store::Root;
use swarm_wire::RequestId;
use swarm_wire::lsp::Event as ClientEvent;
use swarm_wire::permission::{Answer, PermissionRequest, Scope};
use tokio::sync::oneshot;

use super::Hub;
use super::members::blocking;
use crate::event::Event;
use crate::settings::{self, FromSettings, Untrusted};

/// The tool that a question about a project's rules names; no model has it.
pub const PROJECT_RULES: &str = "ProjectRules";

/// The settings files as they were when their rules were read, and what was asked about them.
#[derive(Debug, Default)]
pub(super) struct Sources {
    seen: Vec<Option<(SystemTime, u64)>>,
    /// The question that is open, and the content that it is about.
    asked: Option<(RequestId, String)>,
}

fn stamps(root: &Root, workspace: &Path) -> Vec<Option<(SystemTime, u64)>> {
    let files: [PathBuf; 2] = [root.path().join("settings.json"), workspace.join(".swarm/settings.json")];
    let stamp = |path: &PathBuf| {
        let meta = std::fs::metadata(path).ok()?;
        Some((meta.modified().ok()?, meta.len()))
    };
    files.iter().map(stamp).collect()
}

impl Hub {
    /// Reads the settings files when they changed since; questions that wait are decided anew by what they say.
    pub(super) async fn refresh_rules(&mut self) {
        let Some(team) = &self.team else { return };
        let (root, workspace) = (self.root.clone(), PathBuf::from(&team.led.file.workspace));
        let seen = self.sources.seen.clone();
        let read = blocking(move || {
            let now = stamps(&root, &workspace);
            if now == seen {
                return Ok(None);
            }
            Ok(Some((now, settings::from_settings(&root, &workspace))))
        });
        let (now, FromSettings { rules, problems, untrusted }) = match read.await {
            Ok(Some(read)) => read,
            Ok(None) => return,
            Err(refusal) => return tracing::warn!(%refusal, "the settings were not read"),
        };
        let is_first = self.sources.seen.is_empty();
        self.sources.seen = now;
        if !is_first {
            self.hold(&rules);
            self.publish(problems.into_iter().map(|text| ClientEvent::Warning { text }).collect());
        }
        self.ask_trust(untrusted).await;
    }

    /// Puts rules of the settings in place of those that held.
    fn hold(&mut self, rules: &Rules) {
        const OF_SETTINGS: [Scope; 2] = [Scope::Project, Scope::User];
        if let Some(team) = &mut self.team {
            team.rules.replace(&OF_SETTINGS, rules);
        }
        for live in self.roster.iter().filter_map(|member| member.live.as_ref()) {
            live.bounds.send_if_modified(|bounds| bounds.rules.replace(&OF_SETTINGS, rules));
        }
    }

    /// Asks whether a project's rules may grant, once for each content of its file.
    async fn ask_trust(&mut self, untrusted: Option<Untrusted>) {
        if let Some((id, hash)) = self.sources.asked.take() {
            if untrusted.as_ref().is_some_and(|now| now.hash == hash) {
                self.sources.asked = Some((id, hash));
                return;
            }
            self.withdraw(&id).await;
        }
        let (Some(untrusted), Some(team)) = (untrusted, &self.team) else { return };
        let lead = team.led.file.lead_agent_id.clone();
        let Untrusted { file, hash, allow } = untrusted;
        let input = json!({ "file": file, "allow": allow, "sha256": hash });
        let request = PermissionRequest {
            description: format!(
                "Trust this project's {}, which would allow {}",
                file.display(),
                allow.join(", ")
            ),
            why: "a project's rules grant nothing before you trust them".to_owned(),
            created_at: swarm_agent::unix_ms(),
            ..PermissionRequest::open(permission_id(), &lead, PROJECT_RULES, &hash, input)
        };
        let (answer, answered) = oneshot::channel::<Answer>();
        self.sources.asked = Some((request.id.clone(), hash.clone()));
        self.timers.spawn(async move {
            // Without an answer it was taken back.
            Event::TrustAnswered { hash, trusted: answered.await.ok().map(|answer| answer.allow) }
        });
        let as_it_stands = |_: &serde_json::Value| {
            Err("a project's rules are trusted as they stand; change its file instead".to_owned())
        };
        self.asked(request, std::sync::Arc::new(as_it_stands), answer).await;
    }

    /// The user said what to make of a project's rules.
    pub(super) async fn trust_answered(&mut self, hash: String, trusted: Option<bool>) {
        self.sources.asked.take_if(|(_, asked)| *asked == hash);
        let (Some(team), Some(trusted)) = (&self.team, trusted) else { return };
        let settings = self.root.settings(team.led.file.workspace.as_ref());
        let kept = blocking(move || match trusted {
            true => settings.trust_project(&hash),
            false => settings.decline_project(&hash),
        });
        if let Err(refusal) = kept.await {
            let text = format!("your word on this project's rules could not be kept: {refusal}");
            self.publish(vec![ClientEvent::Warning { text }]);
        }
        self.sources.seen = vec![None];
        self.refresh_rules().await;
    }
}
