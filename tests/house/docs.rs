//! Pages that must stay true: the crate table of the architecture page, and every link from page to file.

use std::collections::{BTreeMap, BTreeSet};
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
fn the_tools_page_tells_who_has_which_tool_and_how_long_its_results_are() {
    let page = std::fs::read_to_string(root().join("docs/tools.md")).expect("the page is there");
    let table = page.split("## Bounds").next().unwrap_or_default();
    let rows = table.lines().filter(|line| line.starts_with("| `")).map(|row| {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let [_, tool, who, _, whole, _, _] = cells[..] else { panic!("a row of five cells: {row}") };
        (tool.trim_matches('`').to_owned(), (who.to_owned(), whole.to_owned()))
    });
    let told: BTreeMap<_, _> = rows.collect();
    let sources: Vec<String> = files()
        .into_iter()
        .filter(|file| file.path.starts_with("server/agent/src/tools/") && file.extension() == "rs")
        .map(|file| file.text)
        .collect();
    let list = std::fs::read_to_string(root().join("server/agent/src/tools.rs")).expect("it is there");
    let mut true_ones = BTreeMap::new();
    for (function, who) in [
        ("fn of_everybody(", "all"),
        ("fn of_the_editor(", "all, with such an editor"),
        ("fn of_teammate(", "teammates"),
        ("fn of_leader(", "the leader"),
    ] {
        let body = list.split(function).nth(1).expect("the list is there").split("\n    fn ").next();
        let body = body.unwrap_or_default().split("    pub(crate) fn ").next().unwrap_or_default();
        for erased in body.split("tool::erase(").skip(1) {
            let unit = erased.split([')', ' ']).next().unwrap_or_default();
            let unit = unit.rsplit("::").next().unwrap_or_default();
            let (name, whole) = tool_of(unit, &sources);
            true_ones.insert(name, (who.to_owned(), whole.to_string()));
        }
    }
    assert_eq!(told, true_ones, "docs/tools.md and server/agent/src/tools differ");
}

/// The name of the tool that the type `unit` is, and the longest result of it that is given whole.
fn tool_of(unit: &str, sources: &[String]) -> (String, usize) {
    let of_unit = format!("impl Tool for {unit} {{");
    let source = sources.iter().find(|text| text.contains(&of_unit));
    let own =
        source.and_then(|text| text.split(&of_unit).nth(1)).and_then(|text| text.split("async fn").next());
    let own = own.unwrap_or_else(|| panic!("no tool is {unit}"));
    let name = own.split("NAME: &'static str = ").nth(1).and_then(|rest| rest.split(';').next());
    let name = name.unwrap_or_else(|| panic!("{unit} has no name"));
    // A name may be a constant beside the tool.
    let name = if name.starts_with('"') { name.to_owned() } else { constant(name, source.into_iter()) };
    let everywhere = || source.into_iter().chain(sources);
    let default = sources.iter().find(|text| text.contains("trait Tool: ")).expect("a tool is a trait");
    let told = [own, default].into_iter().find_map(|text| text.split("RESULT_MAX: usize = ").nth(1));
    let whole = sum_of(told.and_then(|rest| rest.split(';').next()).unwrap_or_default(), &everywhere);
    (name.trim_matches('"').to_owned(), whole)
}

/// What a constant is, in the first of the texts that has it.
fn constant<'a>(name: &str, mut texts: impl Iterator<Item = &'a String>) -> String {
    let is = |text: &'a String| {
        let rest = text.split(&format!("const {name}: ")).nth(1)?;
        rest.split('=').nth(1)?.split(';').next()
    };
    texts.find_map(is).unwrap_or_else(|| panic!("no constant is {name}")).trim().to_owned()
}

/// The value of a sum of products of numbers and constants.
fn sum_of<'a, I: Iterator<Item = &'a String>>(sum: &str, texts: &dyn Fn() -> I) -> usize {
    let factor = |factor: &str| match factor.trim().replace('_', "").parse() {
        Ok(number) => number,
        Err(_) => sum_of(&constant(factor.trim(), texts()), texts),
    };
    sum.split('+').map(|product| product.split('*').map(factor).product::<usize>()).sum()
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
