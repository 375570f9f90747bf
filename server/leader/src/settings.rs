//! The rules of the settings files, as of one look at them. What cannot be read grants nothing, and asks.

use std::path::{Path, PathBuf};

use swarm_guard::{Rules, Standing};
use swarm_store::Root;
use swarm_wire::permission::{Behavior, RuleUpdate, Scope};
use swarm_wire::settings::Settings;

/// The rules of the user's and the project's settings; a project's file that the user has not trusted forbids and
/// asks, and grants nothing. Blocks.
pub fn settings_rules(root: &Root, workspace: &Path) -> (Rules, Vec<String>) {
    let FromSettings { rules, problems, .. } = from_settings(root, workspace);
    (rules, problems)
}

/// What the user's and the project's settings say of rules, as of one look at them.
#[derive(Default)]
pub(crate) struct FromSettings {
    pub(crate) rules: Rules,
    /// What is wrong with them, in words for the user.
    pub(crate) problems: Vec<String>,
    /// The project's file, when it grants something and the user has not said what to make of it.
    pub(crate) untrusted: Option<Untrusted>,
}

/// Reads both settings files. What cannot be read grants nothing, and what it may forbid is asked. Blocks.
pub(crate) fn from_settings(root: &Root, workspace: &Path) -> FromSettings {
    let settings = root.settings(workspace);
    let layers = match settings.read() {
        Ok(layers) => layers,
        Err(error) => {
            let file = error.path().unwrap_or(settings.project_path());
            let scope = if file == settings.project_path() { Scope::Project } else { Scope::User };
            let mut rules = Rules::default();
            rules.add_unread(&file.display().to_string(), Behavior::Deny, scope);
            let problems = vec![format!(
                "{error}; until it is mended no settings hold, and every call asks that it may forbid"
            )];
            return FromSettings { rules, problems, ..FromSettings::default() };
        }
    };
    let (mut rules, mut problems) = (Rules::default(), Vec::new());
    for (path, file) in
        [(settings.user_path().as_path(), &layers.user), (settings.project_path(), &layers.project)]
    {
        problems.extend(file.unknown_keys().into_iter().map(|key| {
            format!("{} sets `{key}`, which is no setting; there are: {}", path.display(), known_keys())
        }));
    }
    let project = if layers.project_trusted { Standing::Trusted } else { Standing::Untrusted };
    let files = [(&layers.user, Scope::User, Standing::Trusted), (&layers.project, Scope::Project, project)];
    for behavior in [Behavior::Deny, Behavior::Ask, Behavior::Allow] {
        for (settings, scope, standing) in files {
            for rule in settings.permissions.of(behavior) {
                let update = RuleUpdate { rules: vec![rule.clone()], behavior, scope };
                add_rule(&mut rules, &mut problems, &update, standing);
            }
        }
    }
    let undecided = !layers.project_trusted && !layers.project_declined;
    let allow = layers.project.permissions.allow;
    let untrusted = layers.project_hash.filter(|_| undecided && !allow.is_empty()).map(|hash| Untrusted {
        file: settings.project_path().to_owned(),
        hash,
        allow,
    });
    FromSettings { rules, problems, untrusted }
}

fn known_keys() -> String {
    let mut keys = Settings::names();
    keys.extend(["allow", "ask", "deny"].map(|list| format!("permissions.{list}")));
    keys.join(", ")
}

/// A project's file whose grants wait for the user's word.
pub(crate) struct Untrusted {
    pub(crate) file: PathBuf,
    /// SHA-256 of its content.
    pub(crate) hash: String,
    /// What it would allow.
    pub(crate) allow: Vec<String>,
}

/// One that is none grants nothing; what it should forbid or ask about asks.
pub(crate) fn add_rule(
    rules: &mut Rules,
    problems: &mut Vec<String>,
    update: &RuleUpdate,
    standing: Standing,
) {
    let scope = update.scope;
    for text in &update.rules {
        match rules.add_from(&RuleUpdate { rules: vec![text.clone()], ..update.clone() }, standing) {
            Ok(()) => {}
            Err(error) if update.behavior == Behavior::Allow => {
                problems.push(format!("a rule of scope {scope:?} is passed over: {error}"));
            }
            Err(error) => {
                rules.add_unread(text, update.behavior, scope);
                problems.push(format!(
                    "a rule of scope {scope:?} cannot be read, so what it may be about asks: {error}"
                ));
            }
        }
        problems.extend(unknown_tool(text).map(|problem| format!("a rule of scope {scope:?}: {problem}")));
    }
}

/// What is wrong with the tool that a rule or a call names, if no member has it.
pub fn unknown_tool(text: &str) -> Option<String> {
    let name = text.split('(').next().unwrap_or_default();
    let mut tools = swarm_agent::tool_names();
    tools.push("Network".to_owned());
    if name.is_empty() || tools.iter().any(|tool| tool == name) {
        return None;
    }
    let alike = tools.iter().find(|tool| tool.eq_ignore_ascii_case(name));
    Some(match alike {
        Some(tool) => format!("`{text}` names no tool that is there; did you mean `{tool}`?"),
        None => format!("`{text}` names no tool that is there; there are {}", tools.join(", ")),
    })
}
