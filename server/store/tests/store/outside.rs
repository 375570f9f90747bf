//! A tool of another kind writes to a mailbox, as `docs/state.md` shows it.

use std::process::Command;

use swarm_store::Origin;

use crate::support::{id, team};

const PAGE: &str = include_str!("../../../../docs/state.md");

fn example() -> &'static str {
    let (_, rest) = PAGE.split_once("```sh\n").unwrap();
    rest.split_once("```").unwrap().0
}

fn send(team: &swarm_store::TeamDir, member: &str, text: &str) -> bool {
    let script = format!("{}\nsend shop \"$1\" \"$2\"", example());
    let mut shell = Command::new("sh");
    shell.args(["-uc", &script, "sh", member, text]).env("SWARM_HOME", team.root().path());
    shell.output().unwrap().status.success()
}

#[test]
fn the_shell_example_of_the_docs_delivers_a_message() {
    let (_home, team) = team();
    let mailbox = team.mailbox(&id("ada@shop"));
    mailbox.create().unwrap();
    assert!(send(&team, "ada", r#"the "nightly" build \o/ failed"#));
    let unread = mailbox.reader().unread().unwrap();
    assert!(unread.problems.is_empty(), "{:?}", unread.problems);
    assert_eq!(unread.mail[0].message.text, r#"the "nightly" build \o/ failed"#);
    assert_eq!(unread.mail[0].origin, Origin::External("ci".parse().unwrap()));
    assert!(!send(&team, "bob", "to nobody"));
    assert!(!team.mailbox(&id("bob@shop")).path().exists());
}
