//! The leader's side: starts a helper, hands it its order, and waits until the command runs or was refused.
//! It must not fork: the leader is large and has threads.

use std::io::{self, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream as StdStream;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use rustix::fs::{MemfdFlags, SeekFrom};
use rustix::pipe::{PipeFlags, pipe_with};
use tokio::net::UnixStream;
use tokio::net::unix::pipe::Receiver;

use super::capture::{Capture, Overflow};
use super::environment::Environment;
use super::link;
use super::order::{Failed, Order, Program, Report};
use super::policy::Policy;
use super::reports::ReportReader;
use super::running::{Parts, Running};
use crate::proxy::Proxy;

/// A command that is to run behind walls.
#[derive(Debug, Clone)]
pub struct Command {
    pub program: Program,
    pub cwd: PathBuf,
    /// Nothing is inherited from this process; the policy adds where home, temporary files and caches are.
    pub env: Environment,
    /// What the command reads; nothing means an empty input.
    pub stdin: Vec<u8>,
    pub policy: Policy,
    /// Who lets it reach other hosts, for a policy that has it so ([`super::Network::Proxy`]).
    pub proxy: Option<Proxy>,
    /// What the command is called in questions about hosts, and in the log.
    pub label: String,
    /// How long it may run; none means as long as the leader lives.
    pub timeout: Option<Duration>,
    /// Bytes of its output held in memory at most.
    pub output_cap: usize,
    /// Where output goes that is over the cap; none means that the middle is dropped.
    pub overflow: Option<Overflow>,
    pub helper: Helper,
}

impl Command {
    /// A line for bash in the workspace of `policy`, with nothing in its environment, its input or its way.
    pub fn bash(line: impl Into<String>, policy: Policy) -> Self {
        let line = line.into();
        Self {
            label: line.clone(),
            program: Program::Bash(line),
            cwd: policy.workspace.clone(),
            env: Environment::default(),
            stdin: Vec::new(),
            policy,
            proxy: None,
            timeout: None,
            output_cap: 64 * 1024,
            overflow: None,
            helper: Helper::default(),
        }
    }
}

/// The program that enters the helper ([`super::enter`]) when its first argument is `exec`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Helper {
    /// This very program, even when its file has been replaced.
    #[default]
    ThisProgram,
    /// Another one.
    At(PathBuf),
}

/// Why a command could not be run.
#[derive(Debug, thiserror::Error)]
pub enum ExecError {
    #[error("the helper {} could not be started: {source}", helper.display())]
    Helper { helper: PathBuf, source: io::Error },
    #[error("no link to the helper: {0}")]
    Link(io::Error),
    #[error("the order could not be written: {0}")]
    Order(#[from] serde_json::Error),
    /// Nothing was run.
    #[error("{0}")]
    Refused(Failed),
    /// The command was ended, since what holds it could not be kept up.
    #[error("the command was ended: {0}")]
    GaveUp(Failed),
    #[error("the helper ended without a result")]
    Lost,
}

/// Starts `command`; it runs once this returns, and ends when the result is dropped.
///
/// # Errors
/// When any wall could not be put up: nothing runs then.
pub async fn spawn(command: Command) -> Result<Running, ExecError> {
    let (ours, theirs) = StdStream::pair().map_err(ExecError::Link)?;
    let (output, output_end) = pipe_with(PipeFlags::CLOEXEC).map_err(|e| ExecError::Link(e.into()))?;
    let helper = match &command.helper {
        Helper::ThisProgram => PathBuf::from("/proc/self/exe"),
        Helper::At(path) => path.clone(),
    };
    let mut env = command.env;
    env.place(&command.policy);
    let order = memory_file(&serde_json::to_vec(&Order {
        program: command.program,
        cwd: command.cwd,
        env: env.into_pairs(),
        policy: command.policy,
    })?)
    .map_err(ExecError::Link)?;
    let stdin = memory_file(&command.stdin).map_err(ExecError::Link)?;

    let child = tokio::process::Command::new(&helper)
        .arg("exec")
        .env_clear()
        .stdin(OwnedFd::from(theirs))
        .stdout(output_end.try_clone().map_err(ExecError::Link)?)
        .stderr(Stdio::from(output_end))
        .spawn()
        .map_err(|source| ExecError::Helper { helper, source })?;
    link::send(&ours, b"\n", &[order.as_fd(), stdin.as_fd()]).map_err(ExecError::Link)?;

    ours.set_nonblocking(true).map_err(ExecError::Link)?;
    let mut reports = ReportReader::new(UnixStream::from_std(ours).map_err(ExecError::Link)?);
    match reports.next().await.map_err(ExecError::Link)? {
        Some(Report::Started) => {}
        Some(Report::Failed(failed)) => return Err(ExecError::Refused(failed)),
        Some(Report::Exited(_) | Report::Signaled(_) | Report::Tampered) | None => {
            return Err(ExecError::Lost);
        }
    }
    let session = match (command.proxy, reports.take_descriptor()) {
        (Some(proxy), Some(listener)) => {
            Some(proxy.serve(listener.into(), command.label).map_err(ExecError::Link)?)
        }
        _ => None,
    };
    Ok(Running::start(
        Parts {
            child,
            reports,
            output: Receiver::from_owned_fd(output).map_err(ExecError::Link)?,
            session,
            capture: Capture::new(command.output_cap, command.overflow),
        },
        command.timeout,
    ))
}

/// A file without a name that holds `bytes`, to be read from its beginning.
fn memory_file(bytes: &[u8]) -> io::Result<OwnedFd> {
    let mut file = std::fs::File::from(rustix::fs::memfd_create("swarm-exec", MemfdFlags::CLOEXEC)?);
    file.write_all(bytes)?;
    rustix::fs::seek(&file, SeekFrom::Start(0))?;
    Ok(file.into())
}
