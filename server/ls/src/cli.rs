//! The command line: parses it, and calls one function a command.

mod demo;
mod doctor;
mod permissions;
mod run;
mod team;
mod teammate;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::environment::Environment;

/// A language server that hosts a team of coding agents. Without a command it speaks LSP on stdin and stdout.
#[derive(Debug, Parser)]
#[command(name = "swarm-ls", version, about, args_conflicts_with_subcommands = true)]
pub(crate) struct Arguments {
    /// Speak LSP on stdin and stdout, which is also the default.
    #[arg(long)]
    pub(crate) stdio: bool,
    /// Write who of the team does what when into this file, for <https://ui.perfetto.dev>.
    #[arg(long, value_name = "FILE")]
    pub(crate) trace_out: Option<PathBuf>,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

/// A command; each has its file in `cli/`.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// See a leader and three teammates mend a small program: no key, no network, nothing of yours is touched.
    Demo(demo::Arguments),
    Run(run::Arguments),
    /// Check what the server needs and what this machine has of it.
    Doctor,
    #[command(subcommand)]
    Permissions(permissions::Arguments),
    #[command(subcommand)]
    Team(team::Arguments),
    #[command(hide = true)]
    Teammate(teammate::Arguments),
}

/// Runs a command to its end. What went wrong is said on stderr.
pub(crate) fn run(command: Command) -> ExitCode {
    let environment = Environment::read();
    let runtime = match tokio::runtime::Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("swarm-ls: the runtime cannot start: {error}");
            return ExitCode::FAILURE;
        }
    };
    let outcome = runtime.block_on(async {
        match command {
            Command::Demo(arguments) => demo::run(arguments, &environment).await.map(|()| ExitCode::SUCCESS),
            Command::Run(arguments) => run::run(arguments, &environment).await,
            Command::Doctor => Ok(doctor::run(&environment).await),
            Command::Permissions(arguments) => permissions::run(arguments).map(|()| ExitCode::SUCCESS),
            Command::Teammate(arguments) => {
                teammate::run(arguments, &environment).await.map(|()| ExitCode::SUCCESS)
            }
            Command::Team(arguments) => team::run(arguments).map(|()| ExitCode::SUCCESS),
        }
    });
    // A question that was left at the terminal must not hold up the end.
    runtime.shutdown_background();
    match outcome {
        Ok(code) => code,
        Err(error) => {
            eprintln!("swarm-ls: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// A value of the protocol by its name there, for an argument of the command line.
fn named<T: serde::de::DeserializeOwned>(name: &str) -> Result<T, serde_json::Error> {
    serde_json::from_value(name.into())
}

/// The color of a member, as a terminal's number.
fn color(name: Option<&str>) -> &'static str {
    match name {
        Some("red") => "1;31",
        Some("green") => "1;32",
        Some("yellow" | "orange") => "1;33",
        Some("blue") => "1;34",
        Some("purple" | "magenta" | "pink") => "1;35",
        Some("cyan") => "1;36",
        _ => "1",
    }
}
