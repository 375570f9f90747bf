//! What the tests start in place of `swarm-ls`: as `exec` it is the helper, as `lead` a leader that can be killed,
//! as `attack` a command that tries something which the walls forbid.

use std::process::ExitCode;

#[cfg(target_os = "linux")]
#[path = "attacks.rs"]
mod attacks;

fn main() -> ExitCode {
    let mut args = std::env::args_os();
    let role = args.nth(1);
    match role.as_ref().and_then(|role| role.to_str()) {
        #[cfg(target_os = "linux")]
        Some("exec") => swarm_guard::exec::enter(args),
        #[cfg(target_os = "linux")]
        Some("lead") => lead::run(args),
        #[cfg(target_os = "linux")]
        Some("coverage") => lead::coverage(),
        #[cfg(target_os = "linux")]
        Some("attack") => attacks::run(args),
        _ => ExitCode::FAILURE,
    }
}

#[cfg(target_os = "linux")]
mod lead {
    use std::ffi::OsString;
    use std::io::Write;
    use std::process::ExitCode;
    use std::time::Duration;

    use swarm_guard::exec::{Command, Environment, Helper, spawn};

    /// Prints the confinement that there can be here.
    #[expect(clippy::disallowed_methods, reason = "its result is its output")]
    pub(crate) fn coverage() -> ExitCode {
        let Ok(runtime) = tokio::runtime::Runtime::new() else { return ExitCode::FAILURE };
        let coverage = runtime.block_on(swarm_guard::exec::coverage(Helper::ThisProgram));
        let written = writeln!(std::io::stdout(), "{:?}", coverage.confinement());
        if written.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }

    /// Runs a line of bash, the second argument, behind the policy that the first one holds as JSON.
    /// Prints what it printed, and how it ended.
    #[expect(
        clippy::disallowed_methods,
        reason = "this is where the process starts, and its result is its output"
    )]
    pub(crate) fn run(mut args: impl Iterator<Item = OsString>) -> ExitCode {
        let Some((policy, line)) = args.next().zip(args.next()) else { return ExitCode::FAILURE };
        let Ok(policy) = serde_json::from_slice(policy.as_encoded_bytes()) else { return ExitCode::FAILURE };
        let Ok(runtime) = tokio::runtime::Runtime::new() else { return ExitCode::FAILURE };
        let command = Command {
            helper: Helper::ThisProgram,
            env: Environment::scrubbed(std::env::vars()),
            timeout: Some(Duration::from_secs(60)),
            ..Command::bash(line.to_string_lossy(), policy)
        };
        let finished = runtime.block_on(async { spawn(command).await?.wait().await });
        let text = match &finished {
            Ok(finished) => format!("{}{:?}\n", finished.output.head, finished.exit),
            Err(error) => format!("{error}\n"),
        };
        let written = std::io::stdout().write_all(text.as_bytes());
        if written.is_ok() && finished.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}
