use super::*;
use crate::shell::understand;

/// How well a rule fits the first part of a command.
fn fit(rule: &str, command: &str) -> Fit {
    let part = understand(command).parts.into_iter().next().unwrap();
    rule.parse::<Rule>().unwrap().fit(Subject::Command(&part))
}

fn fit_path(rule: &str, path: &str) -> Fit {
    let subject = Subject::Path { tool: "Edit", path: Path::new(path), workspace: Path::new("/w") };
    rule.parse::<Rule>().unwrap().fit(subject)
}

#[test]
fn rules_round_trip_and_bad_ones_are_named() {
    for text in
        ["Bash", "Bash(sh -c 'a(b)')", "Edit(src/a b.rs)", "WebFetch(*.example.com)", "Bash(cargo test *)"]
    {
        assert_eq!(text.parse::<Rule>().unwrap().to_string(), text);
    }
    assert!(matches!("".parse::<Rule>(), Err(RuleError::NoTool(_))));
    assert!(matches!("(x)".parse::<Rule>(), Err(RuleError::NoTool(_))));
    assert!(matches!("Bash(x".parse::<Rule>(), Err(RuleError::Unclosed(_))));
    for compound in
        ["Bash(a && b)", "Bash(a | b)", "Bash(a > b)", "Bash()", "Bash((a))", "Bash(a; b)", "Bash(# a)"]
    {
        assert!(matches!(compound.parse::<Rule>(), Err(RuleError::NotOneCommand(_))), "{compound}");
    }
    assert!(matches!("Edit(a[)".parse::<Rule>(), Err(RuleError::BadGlob { .. })));
    assert!(matches!("WebFetch(a/b)".parse::<Rule>(), Err(RuleError::BadHost(_))));
}

#[test]
fn a_command_is_matched_by_its_words_and_never_by_its_beginning() {
    for (rule, command, expected) in [
        ("Bash(cargo test)", "cargo test", Fit::Exact),
        ("Bash(cargo test)", "cargo  'test'", Fit::Exact),
        ("Bash(cargo test)", "/usr/bin/cargo test", Fit::Exact),
        ("Bash(cargo test)", "cargo test --all", Fit::No),
        ("Bash(cargo test)", "cargo tests", Fit::No),
        ("Bash(cargo test)", "./cargo test", Fit::No),
        ("Bash(cargo test *)", "cargo test", Fit::Wide),
        ("Bash(cargo test *)", "cargo test --all x", Fit::Wide),
        ("Bash(cargo test *)", "cargo test $x", Fit::Wide),
        ("Bash(cargo test *)", "cargo testing", Fit::No),
        ("Bash(cargo * --all)", "cargo a b --all", Fit::Wide),
        ("Bash(cargo * --all)", "cargo a --all b", Fit::No),
        ("Bash(git checkout feature-*)", "git checkout feature-x", Fit::Exact),
        ("Bash(git checkout feature-*)", "git checkout feature-x/y", Fit::No),
        ("Bash(cat src/*)", "cat src/../a", Fit::No),
        ("Bash(cargo test)", "RUST_LOG=x cargo test", Fit::Exact),
        ("Bash(cargo test)", "PATH=. cargo test", Fit::Behind),
        ("Bash(PATH=. cargo test)", "PATH=. cargo test", Fit::Exact),
        ("Bash(git push *)", "git $x", Fit::Maybe),
        ("Bash(git push *)", "$x", Fit::Maybe),
        ("Bash(git push *)", "git \"$x\" a", Fit::Maybe),
        ("Bash(git push *)", "git pull $x", Fit::No),
        ("Bash(rm *)", "ls $x", Fit::No),
    ] {
        assert_eq!(fit(rule, command), expected, "{rule} {command}");
    }
}

#[test]
fn a_path_is_matched_by_a_glob_in_the_workspace_or_from_the_root() {
    for (rule, path, expected) in [
        ("Edit(src/*.rs)", "/w/src/a.rs", Fit::Exact),
        ("Edit(src/*.rs)", "/w/src/b/a.rs", Fit::No),
        ("Edit(src/**)", "/w/src/b/a.rs", Fit::Wide),
        ("Write(src/**)", "/w/src/b/a.rs", Fit::Wide),
        ("Read(src/**)", "/w/src/b/a.rs", Fit::No),
        ("Edit(src/**)", "/x/src/a.rs", Fit::No),
        ("Edit(/etc/**)", "/etc/a", Fit::Wide),
        ("Edit(**/.env)", "/w/a/.env", Fit::Exact),
        ("Edit", "/w/a", Fit::Exact),
    ] {
        assert_eq!(fit_path(rule, path), expected, "{rule} {path}");
    }
    let odd = "/w/app/[id]/{a}*?.tsx";
    assert_eq!(fit_path(&Rule::exactly("Edit", odd).unwrap().to_string(), odd), Fit::Exact);
    assert_eq!(fit_path(&Rule::exactly("Edit", odd).unwrap().to_string(), "/w/app/i/a.tsx"), Fit::No);
}

#[test]
fn a_host_is_matched_whole_or_by_its_domain() {
    let fit = |rule: &str, host| rule.parse::<Rule>().unwrap().fit(Subject::Host(host));
    assert_eq!(fit("WebFetch(example.com)", "example.com"), Fit::Exact);
    assert_eq!(fit("WebFetch(example.com)", "a.example.com"), Fit::No);
    assert_eq!(fit("WebFetch(*.example.com)", "a.example.com"), Fit::Exact);
    assert_eq!(fit("WebFetch(*.example.com)", "badexample.com"), Fit::No);
    let key =
        |rule: &str, key| rule.parse::<Rule>().unwrap().fit(Subject::Key { tool: "Network", key: Some(key) });
    assert_eq!(key("Network(example.com:443)", "example.com:443"), Fit::Exact);
    assert_eq!(key("Network(example.com)", "example.com:443"), Fit::Exact);
    assert_eq!(key("Network(*.example.com)", "a.example.com:80"), Fit::Exact);
    assert_eq!(key("Network(example.com:443)", "example.com:80"), Fit::No);
}

#[test]
fn what_is_not_trusted_forbids_but_does_not_grant() {
    let mut rules = Rules::default();
    let update =
        |behavior, rule: &str| RuleUpdate { rules: vec![rule.into()], behavior, scope: Scope::Project };
    rules.add_from(&update(Behavior::Allow, "Bash(make)"), Standing::Untrusted).unwrap();
    rules.add_from(&update(Behavior::Deny, "Bash(rm *)"), Standing::Untrusted).unwrap();
    let parts = understand("make; rm a").parts;
    assert_eq!(rules.grant(Subject::Command(&parts[0]), false), None);
    assert!(rules.untrusted_grant(Subject::Command(&parts[0])).is_some());
    let denial = rules.find(Behavior::Deny, Subject::Command(&parts[1]), Fit::Wide).unwrap();
    assert_eq!(denial.1, Origin { rule: "Bash(rm *)".into(), scope: Scope::Project });
}

#[test]
fn rules_that_went_to_another_process_decide_as_before() {
    let mut rules = Rules::default();
    let update =
        |rule: &str, behavior| RuleUpdate { rules: vec![rule.to_owned()], behavior, scope: Scope::Project };
    rules.add(&update("Bash(make test)", Behavior::Allow)).unwrap();
    rules.add(&update("Edit(src/**)", Behavior::Deny)).unwrap();
    rules.add_from(&update("Read", Behavior::Allow), Standing::Untrusted).unwrap();
    rules.add_unread("Bash(((", Behavior::Deny, Scope::User);
    assert_eq!(Rules::of_held(&rules.held()), rules);
}
