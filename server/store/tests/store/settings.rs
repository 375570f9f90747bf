//! Settings in two layers: what a project may say, and when.

use std::fs;

use swarm_store::{Error, Remembered, SettingsDir};
use swarm_wire::permission::{Behavior, RuleUpdate, Scope, Trust};

use crate::support::team;

fn rule(rule: &str, behavior: Behavior, scope: Scope) -> RuleUpdate {
    RuleUpdate { rules: vec![rule.to_owned()], behavior, scope }
}

fn allowed(settings: &SettingsDir) -> Vec<(Scope, String)> {
    settings.read().unwrap().rules(Behavior::Allow)
}

#[test]
fn a_projects_denials_hold_always_and_its_grants_only_as_trusted() {
    let (home, team) = team();
    let file = home.path().join(".swarm/settings.json");
    fs::create_dir(home.path().join(".swarm")).unwrap();
    let content = r#"{"permissions":{"allow":["Bash(make)"],"deny":["Bash(rm)"]},"trust":"full"}"#;
    fs::write(&file, content).unwrap();
    let settings = team.root().settings(home.path());
    assert!(allowed(&settings).is_empty());
    assert_eq!(settings.read().unwrap().rules(Behavior::Deny), [(Scope::Project, "Bash(rm)".to_owned())]);
    assert_eq!(settings.settings().unwrap().trust, Trust::Ask, "an untrusted project sets nothing");
    let shown = settings.read().unwrap().project_hash.unwrap();
    fs::write(&file, content.replace("make", "curl")).unwrap();
    settings.trust_project(&shown).unwrap();
    assert!(allowed(&settings).is_empty(), "changed between showing and trusting");
    fs::write(&file, content).unwrap();
    assert_eq!(allowed(&settings), [(Scope::Project, "Bash(make)".to_owned())]);
    assert_eq!(settings.settings().unwrap().trust, Trust::Full);
    fs::write(&file, content.replace("make", "curl")).unwrap();
    assert!(allowed(&settings).is_empty(), "another content than was trusted");
}

#[test]
fn a_remembered_rule_goes_to_the_layer_of_its_scope() {
    let (home, team) = team();
    let settings = team.root().settings(home.path());
    let user = rule("Edit", Behavior::Allow, Scope::User);
    let project = rule("Bash(cargo test)", Behavior::Allow, Scope::Project);
    assert_eq!(settings.remember(&user).unwrap(), Remembered::InForce);
    assert_eq!(settings.remember(&project).unwrap(), Remembered::InForce, "no file was there to distrust");
    settings.remember(&project).unwrap();
    let expected = [(Scope::User, "Edit".to_owned()), (Scope::Project, "Bash(cargo test)".to_owned())];
    assert_eq!(allowed(&settings), expected);
    let session = rule("Edit", Behavior::Allow, Scope::Session);
    assert!(matches!(settings.remember(&session), Err(Error::NotInSettings(Scope::Session))));
}

#[test]
fn a_rule_added_to_an_untrusted_project_does_not_bring_its_grants_into_force() {
    let (home, team) = team();
    fs::create_dir(home.path().join(".swarm")).unwrap();
    let content = r#"{"permissions":{"allow":["Bash(evil)"]}}"#;
    fs::write(home.path().join(".swarm/settings.json"), content).unwrap();
    let settings = team.root().settings(home.path());
    let mine = rule("Edit", Behavior::Allow, Scope::Project);
    assert_eq!(settings.remember(&mine).unwrap(), Remembered::Untrusted);
    assert!(allowed(&settings).is_empty());
}

#[test]
fn unknown_fields_survive_and_a_broken_file_is_named_and_left() {
    let (home, team) = team();
    let path = team.root().path().join("settings.json");
    fs::write(&path, r#"{"later":{"a":[1]},"model":"m","permissions":{"rank":3}}"#).unwrap();
    let settings = team.root().settings(home.path());
    settings.remember(&rule("Edit", Behavior::Deny, Scope::User)).unwrap();
    let kept: serde_json::Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    assert_eq!(kept["later"]["a"][0], 1);
    assert_eq!(kept["permissions"]["rank"], 3);
    assert_eq!(settings.settings().unwrap().model.as_deref(), Some("m"));
    fs::write(&path, r#"{"trust":"boundless"}"#).unwrap();
    assert!(settings.settings().unwrap_err().to_string().contains("settings.json"));
    fs::write(&path, "{").unwrap();
    assert!(settings.remember(&rule("Edit", Behavior::Deny, Scope::User)).is_err());
    assert_eq!(fs::read_to_string(&path).unwrap(), "{");
}

#[test]
fn a_project_cannot_lead_us_out_by_a_link() {
    let (home, team) = team();
    let elsewhere = home.path().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, home.path().join(".swarm")).unwrap();
    let settings = team.root().settings(home.path());
    let result = settings.remember(&rule("Edit", Behavior::Allow, Scope::Project));
    assert!(matches!(result, Err(Error::NotPrivate { .. })));
    assert!(fs::read_dir(&elsewhere).unwrap().next().is_none());
}
