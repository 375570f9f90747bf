//! docs/permissions.md shows the table as it is.

use swarm_guard::table::{Deed, verdict};
use swarm_wire::permission::{Behavior, Mode, Trust};

const MODES: [(&str, Mode); 5] = [
    ("`default`", Mode::Default),
    ("`acceptEdits`", Mode::AcceptEdits),
    ("`plan`", Mode::Plan),
    ("`dontAsk`", Mode::DontAsk),
    ("`bypassPermissions`", Mode::BypassPermissions),
];

fn table(trust: Trust) -> String {
    let heads: Vec<&str> = MODES.iter().map(|(name, _)| *name).collect();
    let mut text = format!("| a call that | {} |\n|---|---|---|---|---|---|\n", heads.join(" | "));
    for deed in Deed::ALL {
        let cells = MODES.map(|(_, mode)| match verdict(mode, trust, deed) {
            Behavior::Allow => "allow",
            Behavior::Ask => "ask",
            Behavior::Deny => "deny",
        });
        text.push_str(&format!("| {} | {} |\n", deed.title(), cells.join(" | ")));
    }
    text
}

#[test]
fn the_page_shows_the_table_of_every_trust_as_it_is() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/permissions.md");
    let page = std::fs::read_to_string(path).unwrap();
    for (name, trust) in [("ask", Trust::Ask), ("workspace", Trust::Workspace), ("full", Trust::Full)] {
        let table = table(trust);
        let section = page.split(&format!("### Trust `{name}`")).nth(1).unwrap_or_default();
        let section = section.split("\n#").next().unwrap_or_default();
        assert!(section.contains(&table), "docs/permissions.md, trust `{name}`, should read:\n{table}");
    }
}

#[test]
fn every_example_on_the_page_is_decided_as_it_says() {
    use swarm_guard::{Bounds, Call, Rules, explain};
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/permissions.md");
    let page = std::fs::read_to_string(path).unwrap();
    let examples = page.split("## Examples").nth(1).unwrap().split("\n## ").next().unwrap();
    let mut checked = 0;
    for row in examples.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
        let [call, ask, workspace, full] = cells[..] else { panic!("a row of four cells: {row}") };
        let call = call.trim_matches('`').replace("\\|", "|");
        for (trust, told) in [(Trust::Ask, ask), (Trust::Workspace, workspace), (Trust::Full, full)] {
            let mut bounds = Bounds::new(Mode::Default, Rules::default(), "/w");
            bounds.trust = trust;
            let decided = explain(&Call::read(&call, &bounds.workspace).unwrap(), &bounds).behavior;
            assert_eq!(format!("{decided:?}").to_lowercase(), told, "{call} with trust {trust:?}");
            checked += 1;
        }
    }
    assert!(checked >= 30, "the page lost its examples");
}
