//! The rules of the house that no compiler checks: who may know whom, what a file looks like, what is absent.
//!
//! Reads the sources and `cargo metadata`; runs nothing of the product. `docs/architecture.md` gives the reasons.

#![expect(clippy::expect_used, reason = "a check that cannot read the project fails")]

mod docs;
mod edges;
mod files;
mod modules;
mod project;
mod purity;
mod text;
