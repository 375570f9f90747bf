//! The binary: a language server on stdin and stdout, and the commands around it.
//!
//! Parses arguments and calls one function. The only crate that knows LSP; nothing but LSP is ever printed
//! on stdout while it serves.

mod capabilities;
mod cli;
mod conversation;
mod documents;
mod environment;
mod error;
mod exit;
mod handlers;
mod ingress;
mod lsp;
mod pages;
mod pending;
mod push;
mod serve;
mod server;
mod session;
mod tasks;
mod terminals;
mod timeline;
mod trace;
mod words;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    // Before anything that starts a thread: the helper goes on as the first process of a command's namespace.
    let mut arguments = std::env::args_os().skip(1).peekable();
    if arguments.next_if(|first| first == "exec").is_some() {
        return swarm_guard::exec::enter(arguments);
    }
    let arguments = cli::Arguments::parse();
    if let Err(error) = swarm_store::forbid_dumps() {
        // Keys in memory are then as safe as any program's.
        eprintln!("swarm-ls: this process's memory is not shut to others: {error}");
    }
    match arguments.command {
        None => serve::stdio(arguments.trace_out.as_deref()),
        Some(command) => cli::run(command),
    }
}
