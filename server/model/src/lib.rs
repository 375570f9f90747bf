//! One streaming call to a language model: what is asked, what comes back, and when to try again.
//!
//! It knows nothing of agents, tools that run, or the editor; it is the only crate that opens a connection to
//! a provider, or to the web ([`page`]). Start at [`Client::complete`].

mod anthropic;
mod attempt;
mod client;
mod config;
mod effort;
mod error;
mod event;
mod limiter;
mod local;
mod openai;
pub mod page;
mod pictures;
mod provider;
mod refusal;
mod request;
mod retry;
mod sse;
mod transport;

pub use client::Client;
pub use config::{ApiKey, Config, Format};
pub use error::{CallError, Error};
pub use event::{Delta, Reply, Stop, Usage};
pub use local::{LocalServer, models as local_models};
pub use pictures::takes_pictures;
pub use request::{Effort, Message, Part, Picture, Request, ToolSpec, UserPart};
