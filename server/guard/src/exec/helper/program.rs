//! Turns the last process of the helper into the program that was asked for.
//! It must not return once the program is started; whatever fails before that is the caller's to report.

use std::fs::File;
use std::io;
use std::net::SocketAddr;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::plan::Mount;
use super::refusal::{At, Refusal};
use super::seccomp::{self, Datagrams};
use super::{landlock, privileges};
use crate::exec::order::{Order, Program, Step};
use crate::exec::policy::Confinement;

/// Where bash is looked for; never by `PATH`, which the environment sets.
const BASH: [&str; 4] =
    ["/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash", "/run/current-system/sw/bin/bash"];

/// Becomes the program of `order`. Returns only what went wrong.
pub(super) fn become_program(
    order: &Order,
    proxy: Option<SocketAddr>,
    plan: &[Mount],
    stdin: OwnedFd,
) -> Refusal {
    match prepare(order, proxy, plan) {
        Ok(mut command) => {
            command.envs(proxy.into_iter().flat_map(ways_out));
            default_signals();
            let error = command.stdin(File::from(stdin)).exec();
            let path = PathBuf::from(command.get_program());
            match Err::<(), _>(error).at_path(Step::Start, &path) {
                Err(refusal) => refusal,
                Ok(()) => unreachable!("an error was given"),
            }
        }
        Err(refusal) => refusal,
    }
}

fn prepare(order: &Order, proxy: Option<SocketAddr>, plan: &[Mount]) -> Result<Command, Refusal> {
    // A session of its own: no terminal to type into, and one group to interrupt.
    rustix::process::setsid().at(Step::Session)?;
    rustix::process::chdir(&order.cwd).at_path(Step::WorkingDirectory, &order.cwd)?;
    let mut command = match &order.program {
        Program::Bash(line) => {
            let mut bash = Command::new(bash().at_path(Step::Start, Path::new("bash"))?);
            bash.args(["--norc", "--noprofile", "-c"]).arg(line);
            bash
        }
        Program::File { path, args } => {
            let mut program = Command::new(path);
            program.args(args);
            program
        }
    };
    command.env_clear().envs(order.env.iter().map(|(name, value)| (name, value)));
    let policy = &order.policy;
    match policy.confinement {
        Confinement::Full => {
            privileges::drop_all().at(Step::Privileges)?;
            landlock::restrict(plan).at(Step::Landlock)?;
            seccomp::restrict(policy.network, Datagrams::Allowed).at(Step::Seccomp)?;
        }
        Confinement::Partial => {
            privileges::drop_what_can_be().at(Step::Privileges)?;
            landlock::restrict_alone(plan, policy, proxy).at(Step::Landlock)?;
            seccomp::restrict(policy.network, Datagrams::Refused).at(Step::Seccomp)?;
        }
        Confinement::Off => {}
    }
    Ok(command)
}

/// How programs learn of the proxy; each has its own way. What is on the command's own loopback needs none.
fn ways_out(proxy: SocketAddr) -> Vec<(&'static str, String)> {
    let address = format!("http://{proxy}");
    let by_address = ["http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "CARGO_HTTP_PROXY"];
    let mut names: Vec<_> = by_address.into_iter().map(|name| (name, address.clone())).collect();
    names.extend(["no_proxy", "NO_PROXY"].map(|name| (name, "localhost,127.0.0.1,::1".to_owned())));
    // Node's own `fetch` looks at the others only then.
    names.push(("NODE_USE_ENV_PROXY", "1".to_owned()));
    names
}

/// Undoes what this process and those before it ignore; exec itself unblocks what is blocked.
fn default_signals() {
    for signal in 1..=libc::SIGRTMAX() {
        // SAFETY: this is the only thread. Where a signal cannot be set, it is the kernel's or the C library's own.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
}

fn bash() -> io::Result<&'static Path> {
    BASH.iter().map(Path::new).find(|path| path.exists()).ok_or_else(|| io::ErrorKind::NotFound.into())
}
