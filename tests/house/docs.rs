//! Pages that must stay true: the crate table of the architecture page, and every link from page to file.

use std::collections::BTreeSet;
use std::path::Path;

use crate::edges::{EDGES, libraries_at_home_in};
use crate::project::{assert_none, files, root};

#[test]
fn the_architecture_page_tells_the_edges_as_they_are() {
    let page = std::fs::read_to_string(root().join("docs/architecture.md")).expect("the page is there");
    let mut told: Vec<(String, BTreeSet<String>, BTreeSet<String>)> = Vec::new();
    for row in page.lines().filter(|line| line.starts_with("| `swarm-")) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let [_, krate, _, may_know, home_of, _] = cells[..] else { panic!("a row of four cells: {row}") };
        told.push((krate.trim_matches('`').to_owned(), code_words(may_know), code_words(home_of)));
    }
    let true_ones: Vec<_> = EDGES
        .iter()
        .filter(|edges| edges.krate != "swarm-tests")
        .map(|edges| {
            let may_use = edges.may_use.iter().map(|name| (*name).to_owned()).collect();
            (edges.krate.to_owned(), may_use, libraries_at_home_in(edges.krate))
        })
        .collect();
    assert_eq!(told, true_ones, "docs/architecture.md and tests/house/edges.rs differ");
}

#[test]
fn every_link_between_pages_leads_somewhere() {
    let mut faults = Vec::new();
    for page in files().into_iter().filter(|file| file.extension() == "md") {
        let page_path = root().join(&page.path);
        let folder = page_path.parent().expect("a page is in a folder");
        for target in page.text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let target = target.split('#').next().unwrap_or_default();
            let elsewhere = target.contains("://") || target.is_empty();
            if !elsewhere && !folder.join(target).exists() {
                faults.push(format!("{}: {target}", page.path));
            }
        }
    }
    assert_none("links to nothing:", &faults);
}

#[test]
fn every_path_a_page_sends_the_reader_to_is_there() {
    let mut faults = Vec::new();
    for page in ["README.md", "docs/architecture.md", "docs/house.md"] {
        let text = std::fs::read_to_string(root().join(page)).expect("the page is there");
        for word in code_words(&text) {
            let is_path = ["server/", "tests/", "docs/", "extensions/", ".ci/"]
                .iter()
                .any(|start| word.starts_with(start) && !word.contains([' ', '*', '<']));
            if is_path && !root().join(Path::new(&word)).exists() {
                faults.push(format!("{page}: {word}"));
            }
        }
    }
    assert_none("paths that are not there:", &faults);
}

/// What stands between single backticks.
fn code_words(text: &str) -> BTreeSet<String> {
    text.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}
