//! What the extensions repeat of the protocol page: the kinds of events, and the settings. The page itself is checked
//! against the code elsewhere.

use crate::project::{assert_none, root};

#[test]
fn vs_code_knows_every_kind_of_event() {
    let types = read("extensions/vscode/src/protocol.ts");
    let kinds = first_cells("| kind | fields | when |");
    let missing: Vec<String> =
        kinds.into_iter().filter(|kind| !types.contains(&format!("kind: \"{kind}\""))).collect();
    assert_none("events of docs/protocol.md that extensions/vscode/src/protocol.ts lacks:", &missing);
}

#[test]
fn vs_code_offers_every_setting_but_the_key() {
    let manifest = read("extensions/vscode/package.json");
    let missing: Vec<String> = first_cells("| setting | is | default |")
        .into_iter()
        // It is in the editor's secret storage: settings are files.
        .filter(|name| name != "apiKey" && !manifest.contains(&format!("\"swarm.{name}\":")))
        .collect();
    assert_none("settings of docs/protocol.md that extensions/vscode/package.json lacks:", &missing);
}

/// The first cells of the protocol page's table with this head.
fn first_cells(head: &str) -> Vec<String> {
    let page = read("docs/protocol.md");
    let rows =
        page.lines().skip_while(|line| *line != head).skip(2).take_while(|line| line.starts_with("| `"));
    let cells: Vec<String> = rows.filter_map(|row| row.split('`').nth(1)).map(str::to_owned).collect();
    assert!(!cells.is_empty(), "docs/protocol.md has no table with the head {head}");
    cells
}

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).expect("the file is there")
}
