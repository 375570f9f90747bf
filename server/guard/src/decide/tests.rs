use swarm_wire::permission::Scope;

use super::*;

fn bounds(mode: Mode, trust: Trust) -> Bounds {
    Bounds { trust, ..Bounds::new(mode, Rules::default(), "/w") }
}

fn with_rules(mode: Mode, list: &[(Behavior, &str)]) -> Bounds {
    let mut bounds = bounds(mode, Trust::Ask);
    for (behavior, rule) in list {
        let update = RuleUpdate { rules: vec![(*rule).into()], behavior: *behavior, scope: Scope::User };
        bounds.rules.add(&update).unwrap();
    }
    bounds
}

fn short(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Allow(_) => "allow",
        Verdict::Ask(_) => "ask",
        Verdict::Deny { .. } => "deny",
    }
}

fn bash(command: &str, bounds: &Bounds) -> Verdict {
    decide("Bash", &[command.to_owned()], &Effect::Runs { command: command.into() }, bounds)
}

const MODES: [Mode; 5] =
    [Mode::Default, Mode::AcceptEdits, Mode::Plan, Mode::DontAsk, Mode::BypassPermissions];

#[test]
fn every_effect_meets_every_mode() {
    let reads = |path: &str| Effect::Reads { paths: vec![path.into()] };
    let writes = |path: &str| Effect::Writes { paths: vec![path.into()] };
    let runs = |command: &str| Effect::Runs { command: command.into() };
    for (effect, expected) in [
        (reads("/w/a"), ["allow", "allow", "allow", "allow", "allow"]),
        (reads("/etc/passwd"), ["ask", "ask", "deny", "deny", "allow"]),
        (reads("/w/.env"), ["ask", "ask", "deny", "deny", "allow"]),
        (writes("/w/a"), ["ask", "allow", "deny", "deny", "allow"]),
        (writes("/w2/a"), ["ask", "ask", "deny", "deny", "allow"]),
        (writes("/w/.git/hooks/pre-commit"), ["ask", "ask", "deny", "deny", "allow"]),
        (writes("/w/sub/.GIT/config"), ["ask", "ask", "deny", "deny", "allow"]),
        (runs("ls"), ["allow", "allow", "allow", "allow", "allow"]),
        (runs("cat /etc/passwd"), ["ask", "ask", "deny", "deny", "allow"]),
        (runs("cat ../a"), ["ask", "ask", "deny", "deny", "allow"]),
        (runs("cat ~/a"), ["ask", "ask", "deny", "deny", "allow"]),
        (runs("cat $x"), ["ask", "ask", "deny", "deny", "allow"]),
        (runs("cat .env"), ["ask", "ask", "deny", "deny", "allow"]),
        (runs("cat .e*"), ["ask", "ask", "deny", "deny", "allow"]),
        (runs("cat < .env"), ["ask", "ask", "deny", "deny", "allow"]),
        (runs("cd src && cat a"), ["allow", "allow", "allow", "allow", "allow"]),
        (runs("cd .. && cat a"), ["ask", "ask", "deny", "deny", "allow"]),
        (runs("touch a"), ["ask", "allow", "deny", "deny", "allow"]),
        (runs("cd src; echo x > a"), ["ask", "allow", "deny", "deny", "allow"]),
        (runs("cd .git; echo x > config"), ["ask", "ask", "deny", "deny", "allow"]),
        (runs("echo x > .git/config"), ["ask", "ask", "deny", "deny", "allow"]),
        (runs("touch /etc/a"), ["ask", "ask", "deny", "deny", "allow"]),
        (runs("make"), ["ask", "ask", "deny", "deny", "allow"]),
        (runs("curl example.com"), ["ask", "ask", "deny", "deny", "allow"]),
        (runs("rm a"), ["ask", "ask", "deny", "deny", "ask"]),
        (Effect::Leaves { hosts: vec!["example.com".into()] }, ["ask", "ask", "deny", "deny", "allow"]),
        (Effect::Destroys { what: "x".into() }, ["ask", "ask", "deny", "deny", "ask"]),
        (Effect::Team, ["allow", "allow", "allow", "allow", "allow"]),
        (Effect::Widens { mode: Mode::AcceptEdits }, ["ask", "ask", "deny", "deny", "allow"]),
    ] {
        let found =
            MODES.map(|mode| short(&decide("T", &["k".to_owned()], &effect, &bounds(mode, Trust::Ask))));
        assert_eq!(found, expected, "{effect:?}");
    }
}

#[test]
fn trust_lets_through_what_stays_in_the_workspace_or_all_but_what_destroys() {
    for (command, expected) in [
        ("ls", ["allow", "allow", "allow"]),
        ("touch a", ["ask", "allow", "allow"]),
        ("make", ["ask", "allow", "allow"]),
        ("cat .env", ["ask", "ask", "allow"]),
        ("python3 x.py .env", ["ask", "ask", "allow"]),
        ("python3 -c \"open('.env')\"", ["ask", "ask", "allow"]),
        ("curl example.com", ["ask", "ask", "allow"]),
        ("make && rm -rf a", ["ask", "ask", "ask"]),
    ] {
        let found = [Trust::Ask, Trust::Workspace, Trust::Full]
            .map(|trust| short(&bash(command, &bounds(Mode::Default, trust))));
        assert_eq!(found, expected, "{command}");
    }
    let free = Bounds { confinement: Confinement::FilesOnly, ..bounds(Mode::Default, Trust::Workspace) };
    assert_eq!(short(&bash("make", &free)), "ask");
    assert_eq!(short(&bash("ls", &free)), "allow");
}

#[test]
fn a_grant_must_cover_every_part_that_is_not_harmless() {
    let bounds =
        with_rules(Mode::Default, &[(Behavior::Allow, "Bash(make *)"), (Behavior::Allow, "Edit(/w/out)")]);
    for (command, expected) in [
        ("make", "allow"),
        ("make x | head", "allow"),
        ("make && make y", "allow"),
        ("make > out", "allow"),
        ("make > other", "ask"),
        ("make && touch a", "ask"),
        ("make $(touch a)", "ask"),
        ("timeout 5 make", "allow"),
        ("sudo make", "ask"),
        ("make $((x))", "ask"),
        ("PATH=. make", "ask"),
        ("make;rm -rf a", "ask"),
        ("makefile", "ask"),
    ] {
        assert_eq!(short(&bash(command, &bounds)), expected, "{command}");
    }
}

#[test]
fn a_denial_wins_in_every_mode_and_finds_the_command_wherever_it_stands() {
    let list =
        [(Behavior::Allow, "Bash"), (Behavior::Deny, "Bash(git push *)"), (Behavior::Deny, "Edit(keep/**)")];
    for mode in MODES {
        let bounds = with_rules(mode, &list);
        for command in [
            "git push",
            "/usr/bin/git push x",
            "x=1 git push",
            "PATH=. git push",
            "env git push",
            "sudo git push",
            "ls; git push",
            "echo $(git push)",
            "bash -c 'git push'",
            "ls | xargs git push",
            "'git' push",
            "echo > keep/a",
            "touch keep/a/b",
        ] {
            assert_eq!(short(&bash(command, &bounds)), "deny", "{mode:?} {command}");
        }
    }
    for unclear in ["git $x", "$x push", "echo $((x))"] {
        let found = MODES.map(|mode| short(&bash(unclear, &with_rules(mode, &list))));
        assert_eq!(found, ["ask", "ask", "deny", "deny", "ask"], "{unclear}");
    }
}

#[test]
fn a_wide_grant_is_not_meant_for_secrets() {
    let bounds =
        with_rules(Mode::Default, &[(Behavior::Allow, "Bash(cat *)"), (Behavior::Allow, "Read(**)")]);
    assert_eq!(short(&bash("cat .env", &bounds)), "ask");
    let read = |bounds: &Bounds| {
        short(&decide("Read", &[], &Effect::Reads { paths: vec!["/w/.env".into()] }, bounds))
    };
    assert_eq!(read(&bounds), "ask");
    let bounds =
        with_rules(Mode::Default, &[(Behavior::Allow, "Bash(cat .env)"), (Behavior::Allow, "Read(**/.env)")]);
    assert_eq!(short(&bash("cat .env", &bounds)), "allow");
    assert_eq!(read(&bounds), "allow");
}

#[test]
fn an_allow_rule_spares_the_question_but_not_in_plan_mode() {
    let list = [(Behavior::Allow, "Bash(make)")];
    let found = MODES.map(|mode| short(&bash("make", &with_rules(mode, &list))));
    assert_eq!(found, ["allow", "allow", "deny", "allow", "allow"]);
}

#[test]
fn a_rule_that_asks_does_so_for_what_would_go_through() {
    let list = [(Behavior::Ask, "Bash(ls *)"), (Behavior::Allow, "Bash")];
    let found = MODES.map(|mode| short(&bash("ls", &with_rules(mode, &list))));
    assert_eq!(found, ["ask", "ask", "deny", "deny", "allow"]);
}

#[test]
fn a_question_says_why_and_suggests_one_rule_a_part() {
    let Verdict::Ask(question) = bash("cargo test --all && make > out", &bounds(Mode::Default, Trust::Ask))
    else {
        panic!("it asks");
    };
    let rules: Vec<&[String]> = question.suggestions.iter().map(|update| update.rules.as_slice()).collect();
    assert_eq!(
        rules,
        [
            ["Edit(/w/out)", "Bash(cargo test --all)", "Bash(make)"],
            ["Edit(/w/out)", "Bash(cargo test *)", "Bash(make)"]
        ]
    );
    for update in &question.suggestions {
        let mut bounds = bounds(Mode::Default, Trust::Ask);
        bounds.rules.add(update).unwrap();
        assert_eq!(short(&bash("cargo test --all && make > out", &bounds)), "allow");
    }
    for command in ["echo $((x))", "make *", "ls | xargs make"] {
        let Verdict::Ask(question) = bash(command, &bounds(Mode::Default, Trust::Ask)) else {
            panic!("{command} asks")
        };
        assert_eq!(question.suggestions, [], "{command}");
    }
}

#[test]
fn an_explanation_names_the_rule_its_scope_and_every_part() {
    let bounds =
        with_rules(Mode::Default, &[(Behavior::Allow, "Bash(make *)"), (Behavior::Deny, "Bash(rm *)")]);
    let call = Call::read("Bash(ls | make x; rm a)", "/w".as_ref()).unwrap();
    let found = explain(&call, &bounds);
    assert_eq!((found.behavior, found.level), (Behavior::Deny, Level::Destroys));
    assert_eq!(found.why, "the user's rule `Bash(rm *)` denies it");
    let parts: Vec<(&str, Behavior)> =
        found.parts.iter().map(|p| (p.text.as_str(), p.ruling.behavior)).collect();
    assert_eq!(parts, [("ls", Behavior::Allow), ("make x", Behavior::Allow), ("rm a", Behavior::Deny)]);
    let by = found.parts[1].ruling.by.clone().unwrap();
    assert_eq!((by.rule.as_str(), by.scope), ("Bash(make *)", Scope::User));
}

#[test]
fn a_no_gives_no_permit() {
    let question =
        || Question { why: String::new(), by: None, level: Level::RunsCode, suggestions: Vec::new() };
    assert!(question().answered(&Answer::reject(None)).is_none());
    assert!(question().answered(&Answer::allow()).is_some());
}

#[test]
fn what_a_question_offers_lets_its_own_call_through() {
    for command in ["git rm --cached .env", "cargo run server.pem", "make .env && touch a > b"] {
        let Verdict::Ask(question) = bash(command, &bounds(Mode::Default, Trust::Ask)) else {
            panic!("{command} does not ask");
        };
        assert!(!question.suggestions.is_empty(), "{command}");
        for update in &question.suggestions {
            let mut after = bounds(Mode::Default, Trust::Ask);
            after.rules.add(update).unwrap();
            assert_eq!(short(&bash(command, &after)), "allow", "{command}: {update:?}");
        }
    }
}

#[test]
fn a_denial_of_files_holds_for_what_reaches_them_by_a_pattern_or_through_their_folder() {
    let bounds = with_rules(Mode::Default, &[(Behavior::Deny, "Read(private/**)")]);
    for (command, expected) in [
        ("cat private/a", "deny"),
        ("ls private", "deny"),
        ("grep -r x private", "deny"),
        ("cat private/*", "ask"),
        ("cat p*/a", "ask"),
        ("cat */*", "ask"),
        ("cat *", "allow"),
        ("cat src/*.rs", "allow"),
        ("cat < private/a", "deny"),
        ("git show HEAD:private/a", "deny"),
    ] {
        assert_eq!(short(&bash(command, &bounds)), expected, "{command}");
    }
    let grep = |path: &str| decide("Grep", &[], &Effect::Reads { paths: vec![path.into()] }, &bounds);
    assert_eq!(short(&grep("/w/private")), "deny");
    // What lies in it is hidden from the search: see `Sight`.
    assert_eq!(short(&grep("/w")), "allow");
    let silent = with_rules(Mode::DontAsk, &[(Behavior::Deny, "Read(private/**)")]);
    assert_eq!(short(&bash("cat private/*", &silent)), "deny");
}

#[test]
fn a_denial_that_cannot_be_read_is_put_to_a_person() {
    let mut bounds = bounds(Mode::BypassPermissions, Trust::Full);
    bounds.rules.add_unread("Bash(a && b)", Behavior::Deny, Scope::User);
    match bash("ls", &bounds) {
        Verdict::Ask(question) => {
            assert_eq!(question.why, "the user's rule `Bash(a && b)` cannot be read, and may forbid it");
        }
        other => panic!("{other:?}"),
    }
    let read = Effect::Reads { paths: vec!["/w/a".into()] };
    assert_eq!(short(&decide("Read", &[], &read, &bounds)), "allow");
    // Of a whole file nobody knows which tools it is about.
    bounds.rules.add_unread("/h/settings.json", Behavior::Deny, Scope::User);
    assert_eq!(short(&decide("Read", &[], &read, &bounds)), "ask");
    assert_eq!(short(&decide("SendMessage", &[], &Effect::Team, &bounds)), "allow");
    bounds.mode = Mode::DontAsk;
    assert_eq!(short(&decide("Read", &[], &read, &bounds)), "deny");
}

#[test]
fn what_shows_the_keys_of_a_repository_asks() {
    let bounds = bounds(Mode::Default, Trust::Workspace);
    for (command, expected) in [
        ("git config --list", "ask"),
        ("git config --get-regexp remote", "ask"),
        ("git config --get http.https://example.com/.extraheader", "ask"),
        ("git config --get remote.origin.url", "ask"),
        ("cat .git/config", "ask"),
        ("git config --get user.name", "allow"),
        ("git remote -v", "allow"),
    ] {
        assert_eq!(short(&bash(command, &bounds)), expected, "{command}");
    }
}
