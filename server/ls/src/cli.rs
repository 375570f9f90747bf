//! The command line: parses it, and calls one function a command.

use clap::{Parser, Subcommand};

/// A language server that hosts a team of coding agents. Without a command it speaks LSP on stdin and stdout.
#[derive(Debug, Parser)]
#[command(name = "swarm-ls", version, about, args_conflicts_with_subcommands = true)]
pub(crate) struct Arguments {
    /// Speak LSP on stdin and stdout, which is also the default.
    #[arg(long)]
    pub(crate) stdio: bool,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

/// A command; each has its file in `cli/`.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {}
