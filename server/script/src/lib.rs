//! A scripted model server on loopback: real HTTP and real streams, with answers that a script holds ready.
//!
//! It is for the demo, the tests and the benchmarks. It refuses what the real providers refuse, and keeps
//! what it saw, so that whoever calls it is held to the format. It knows nothing of agents, tools or LSP, and
//! listens on 127.0.0.1 alone.
//!
//! A script is data: [`Script`] says what it can hold, in Rust and in JSON. [`ScriptServer::start`] plays it.

mod anthropic;
mod build;
mod fields;
mod format;
mod gate;
mod openai;
mod pictures;
mod pieces;
mod play;
mod prompt;
mod record;
mod script;
mod serve;
mod server;
mod signature;

pub use build::{call, raw, reply, say, status, think, wait};
pub use record::{PrefixBreak, Recorded, Violation};
pub use script::{
    Call, Ending, Raw, Refusal, ReplyPart, Script, ScriptError, Step, StreamError, UsageSpec, WhenDone,
};
pub use server::{ScriptServer, StartError, WaitError};
