//! What the tests start in place of `swarm-ls`: as `exec` it is the helper, as `lead` a leader that can be killed.

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut args = std::env::args_os();
    let role = args.nth(1);
    match role.as_ref().and_then(|role| role.to_str()) {
        #[cfg(target_os = "linux")]
        Some("exec") => swarm_guard::exec::enter(args),
        #[cfg(target_os = "linux")]
        Some("lead") => lead::run(args),
        _ => ExitCode::FAILURE,
    }
}

#[cfg(target_os = "linux")]
mod lead {
    use std::ffi::OsString;
    use std::process::ExitCode;

    use swarm_guard::exec::{Command, Helper, spawn};

    /// Runs the command that its first argument holds as JSON, with bash's line as the second.
    pub(crate) fn run(mut args: impl Iterator<Item = OsString>) -> ExitCode {
        let Some((policy, line)) = args.next().zip(args.next()) else { return ExitCode::FAILURE };
        let Ok(policy) = serde_json::from_slice(policy.as_encoded_bytes()) else { return ExitCode::FAILURE };
        let Ok(runtime) = tokio::runtime::Runtime::new() else { return ExitCode::FAILURE };
        let command =
            Command { helper: Helper::ThisProgram, ..Command::bash(line.to_string_lossy(), policy) };
        let finished = runtime.block_on(async { spawn(command).await?.wait().await });
        if finished.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}
