//! The second wall around files: Landlock, for what a mistake in the mounts would let through, and for what mounts
//! don't hold: pipes with a name, and, on newer kernels, sockets with one.
//! It must not claim anything by itself; an older kernel holds less of it, one without it nothing.

use std::fs;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, NetPort, PathBeneath, PathFd,
    RestrictionStatus, Ruleset, RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetError, RulesetStatus,
    Scope,
};

use super::plan::{Mount, What};
use crate::exec::policy::{Network, Policy};

/// The newest rules known here; an older kernel takes those that it knows.
const NEWEST: ABI = ABI::V9;

/// The first version that knows of TCP ports.
const WITH_TCP: ABI = ABI::V4;

/// Beneath `/dev`: what reaches nothing.
const DEVICES: [&str; 5] = ["null", "zero", "full", "random", "urandom"];

/// The version that the kernel has, if any; landlock_create_ruleset(2) says it when asked so.
pub(in crate::exec) fn version() -> Option<u32> {
    /// `LANDLOCK_CREATE_RULESET_VERSION` of `linux/landlock.h`.
    const VERSION: libc::c_uint = 1;
    // SAFETY: with this flag the call takes no pointer.
    let version =
        unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, std::ptr::null::<()>(), 0_usize, VERSION) };
    u32::try_from(version).ok()
}

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

/// The only wall, where there are no mounts: secrets are left out of what may be read, and TCP goes to the proxy alone.
/// Modes, owners and times it does not hold, nor names, nor what is read-only inside of what is written.
///
/// # Errors
/// Also when the kernel has no Landlock at all.
pub(super) fn restrict_alone(plan: &[Mount], policy: &Policy, proxy: Option<SocketAddr>) -> io::Result<()> {
    let status = rules_alone(plan, policy, proxy).map_err(io::Error::other)?;
    match status.ruleset {
        RulesetStatus::NotEnforced => Err(io::Error::from_raw_os_error(libc::EOPNOTSUPP)),
        RulesetStatus::PartiallyEnforced | RulesetStatus::FullyEnforced => Ok(()),
    }
}

fn rules_alone(
    plan: &[Mount],
    policy: &Policy,
    proxy: Option<SocketAddr>,
) -> Result<RestrictionStatus, RulesetError> {
    let everything = AccessFs::from_all(NEWEST);
    let mut rules = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(everything)?
        .scope(Scope::AbstractUnixSocket | Scope::Signal)?;
    if policy.network != Network::Open {
        rules = rules.handle_access(AccessNet::from_all(WITH_TCP) & AccessNet::ConnectTcp)?;
    }
    let mut rules = rules.create()?;
    let hidden: Vec<&Path> =
        plan.iter().filter(|mount| mount.what == What::Hidden).map(|mount| mount.at.as_path()).collect();
    let mut readable = Vec::new();
    around(Path::new("/"), &hidden, &mut readable);
    // What is shown inside of something hidden, as the home is among the homes.
    for shown in plan.iter().filter(|mount| mount.what == What::ReadOnly) {
        around(&shown.at, &hidden, &mut readable);
    }
    rules = allow(rules, Path::new("/"), AccessFs::ReadDir.into())?;
    for path in readable {
        rules = allow(rules, &path, AccessFs::from_read(NEWEST))?;
    }
    for mount in plan.iter().filter(|mount| matches!(mount.what, What::Writable | What::Scratch)) {
        rules = allow(rules, &mount.at, everything)?;
    }
    for device in DEVICES {
        let access = AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::Truncate;
        rules = allow(rules, &Path::new("/dev").join(device), access)?;
    }
    if let Some(proxy) = proxy {
        rules = rules.add_rule(NetPort::new(proxy.port(), AccessNet::ConnectTcp))?;
    }
    rules.restrict_self()
}

/// What is beneath `path` without `hidden`, in as few paths as that takes.
fn around(path: &Path, hidden: &[&Path], found: &mut Vec<PathBuf>) {
    if hidden.contains(&path) {
        return;
    }
    if !hidden.iter().any(|hidden| hidden.starts_with(path)) {
        found.push(path.to_owned());
        return;
    }
    for entry in fs::read_dir(path).into_iter().flatten().flatten() {
        around(&entry.path(), hidden, found);
    }
}

fn allow(
    rules: RulesetCreated,
    path: &Path,
    access: BitFlags<AccessFs>,
) -> Result<RulesetCreated, RulesetError> {
    // What is not there cannot be written either. A link would stand for what it leads to, which may be hidden.
    let Ok(place) = PathFd::new(path) else { return Ok(rules) };
    let access = match path.symlink_metadata() {
        Ok(found) if found.is_dir() => access,
        Ok(found) if !found.is_symlink() => access & AccessFs::from_file(NEWEST),
        _ => return Ok(rules),
    };
    rules.add_rule(PathBeneath::new(place, access))
}
