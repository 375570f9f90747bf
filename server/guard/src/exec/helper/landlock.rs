//! The second wall around files: Landlock, for what a mistake in the mounts would let through, and for what mounts
//! don't hold: pipes with a name, and, on newer kernels, sockets with one.
//! It must not claim anything by itself; an older kernel holds less of it, one without it nothing.

use std::io;
use std::path::Path;

use landlock::{
    ABI, Access, AccessFs, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreated, RulesetCreatedAttr, RulesetError, Scope,
};

use super::plan::{Mount, What};

/// The newest rules known here; an older kernel takes those that it knows.
const NEWEST: ABI = ABI::V9;

/// Restricts this process, for good, to writing what the plan has as writable.
pub(super) fn restrict(plan: &[Mount]) -> io::Result<()> {
    rules(plan).map_err(io::Error::other)
}

fn rules(plan: &[Mount]) -> Result<(), RulesetError> {
    let everything = AccessFs::from_all(NEWEST);
    let mut rules = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(everything)?
        .scope(Scope::AbstractUnixSocket | Scope::Signal)?
        .create()?;
    rules = allow(rules, Path::new("/"), AccessFs::from_read(NEWEST))?;
    for mount in plan.iter().filter(|mount| matches!(mount.what, What::Writable | What::Scratch)) {
        rules = allow(rules, &mount.at, everything)?;
    }
    rules = allow(rules, Path::new("/dev/shm"), everything)?;
    // Its directory is sealed: this opens the devices and terminals in it.
    let devices = AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::IoctlDev | AccessFs::Truncate;
    rules = allow(rules, Path::new("/dev"), devices)?;
    // A process sets things of its own there, such as its name.
    rules = allow(rules, Path::new("/proc"), AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::Truncate)?;
    rules.restrict_self().map(drop)
}

fn allow(
    rules: RulesetCreated,
    path: &Path,
    access: BitFlags<AccessFs>,
) -> Result<RulesetCreated, RulesetError> {
    // What is not there cannot be written either.
    let Ok(place) = PathFd::new(path) else { return Ok(rules) };
    let access = if path.is_dir() { access } else { access & AccessFs::from_file(NEWEST) };
    rules.add_rule(PathBeneath::new(place, access))
}
