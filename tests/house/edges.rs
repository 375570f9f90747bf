//! Which crate may depend on which, and which library belongs to one crate alone.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::project::{assert_none, packages};

/// A crate, the crates of ours that it may use, and those that its own tests may use besides.
pub(crate) struct Edges {
    pub(crate) krate: &'static str,
    pub(crate) may_use: &'static [&'static str],
    tests_may_use: &'static [&'static str],
}

/// From the ground up: a crate uses only what stands on a lower floor.
pub(crate) const EDGES: &[Edges] = &[
    Edges { krate: "swarm-wire", may_use: &[], tests_may_use: &[] },
    Edges { krate: "swarm-store", may_use: &["swarm-wire"], tests_may_use: &[] },
    Edges { krate: "swarm-model", may_use: &[], tests_may_use: &["swarm-script"] },
    Edges { krate: "swarm-script", may_use: &[], tests_may_use: &[] },
    Edges { krate: "swarm-guard", may_use: &["swarm-wire"], tests_may_use: &[] },
    Edges {
        krate: "swarm-agent",
        may_use: &["swarm-wire", "swarm-store", "swarm-model", "swarm-guard"],
        tests_may_use: &["swarm-script"],
    },
    Edges {
        krate: "swarm-leader",
        may_use: &["swarm-wire", "swarm-store", "swarm-model", "swarm-guard", "swarm-agent"],
        tests_may_use: &["swarm-script"],
    },
    Edges {
        krate: "swarm-ls",
        may_use: &[
            "swarm-wire",
            "swarm-store",
            "swarm-model",
            "swarm-script",
            "swarm-guard",
            "swarm-agent",
            "swarm-leader",
        ],
        tests_may_use: &["swarm-tests"],
    },
    // The tests drive the built binary: of ours they know only what is on the wire, and the scripted model.
    Edges { krate: "swarm-tests", may_use: &["swarm-wire", "swarm-script"], tests_may_use: &[] },
];

/// A library and the one crate that may name it, so that its traits are dealt with in one place.
const ONE_HOME: &[(&str, &str)] = &[
    ("clap", "swarm-ls"),
    ("fd-lock", "swarm-store"),
    ("landlock", "swarm-guard"),
    ("lsp-types", "swarm-ls"),
    ("notify", "swarm-store"),
    ("reqwest", "swarm-model"),
    ("rustls", "swarm-model"),
    ("seccompiler", "swarm-guard"),
    ("tower-lsp", "swarm-ls"),
    ("tower-service", "swarm-ls"),
    ("tree-sitter", "swarm-guard"),
    ("tree-sitter-bash", "swarm-guard"),
];

/// HTTP servers: the scripted model, and the proxy that asks by host.
const HTTP_SERVERS: &[&str] = &["swarm-script", "swarm-guard"];
const HTTP_SERVER_LIBRARIES: &[&str] = &["hyper", "hyper-util", "http-body-util"];

/// The libraries that only `krate` may name.
pub(crate) fn libraries_at_home_in(krate: &str) -> BTreeSet<String> {
    ONE_HOME.iter().filter(|(_, home)| *home == krate).map(|(library, _)| (*library).to_owned()).collect()
}

#[test]
fn every_crate_is_in_the_table_and_no_other() {
    let listed: BTreeSet<&str> = EDGES.iter().map(|edges| edges.krate).collect();
    let packages = packages();
    let present: BTreeSet<&str> = packages.iter().map(name_of).collect();
    assert_eq!(listed, present, "the table of edges and the workspace differ");
}

#[test]
fn a_crate_knows_only_the_crates_below_it() {
    let mut faults = Vec::new();
    for package in packages() {
        let name = name_of(&package);
        let Some(edges) = EDGES.iter().find(|edges| edges.krate == name) else { continue };
        for (dependency, kind) in dependencies(&package) {
            let ours = dependency.starts_with("swarm-");
            let in_tests = kind == "dev" && edges.tests_may_use.contains(&dependency);
            if ours && !in_tests && !edges.may_use.contains(&dependency) {
                faults.push(format!("{name} must not know {dependency} ({kind} dependency)"));
            }
        }
    }
    assert_none("edges that the table in tests/house/edges.rs does not allow:", &faults);
}

#[test]
fn a_heavy_library_is_known_to_one_crate() {
    let mut faults = Vec::new();
    for package in packages() {
        let name = name_of(&package);
        for (dependency, _) in dependencies(&package) {
            let homes: Vec<&str> = if HTTP_SERVER_LIBRARIES.contains(&dependency) {
                HTTP_SERVERS.to_vec()
            } else {
                ONE_HOME.iter().filter(|(library, _)| *library == dependency).map(|(_, home)| *home).collect()
            };
            if !homes.is_empty() && !homes.contains(&name) {
                faults.push(format!("{name} must not know {dependency}: it belongs to {}", homes.join(", ")));
            }
        }
    }
    assert_none("libraries outside their home:", &faults);
}

fn name_of(package: &Value) -> &str {
    package["name"].as_str().expect("a package has a name")
}

/// Names and kinds (`normal`, `dev`, `build`) of what the manifest lists.
fn dependencies(package: &Value) -> impl Iterator<Item = (&str, &str)> {
    let listed = package["dependencies"].as_array().expect("a package lists its dependencies");
    listed.iter().map(|dependency| {
        let name = dependency["name"].as_str().expect("a dependency has a name");
        (name, dependency["kind"].as_str().unwrap_or("normal"))
    })
}
