//! Running a command behind walls: `swarm-ls exec`, its two sides and what they say to each other.
//!
//! The leader's side ([`spawn()`]) starts this very program again as a helper ([`enter`]): a fresh process with one
//! thread, which shuts itself into namespaces, becomes the init of the command's processes and ends all of them
//! when the command is done, when it is told to, or when the leader is gone. A command never gets here by a fork
//! of the leader. What a machine can hold is said by [`coverage()`]; docs/security.md says what each wall is for.

pub mod caches;
#[cfg(target_os = "linux")]
mod capture;
#[cfg(target_os = "linux")]
mod coverage;
mod environment;
#[cfg(target_os = "linux")]
mod helper;
#[cfg(target_os = "linux")]
mod link;
mod order;
mod places;
mod policy;
#[cfg(target_os = "linux")]
mod reports;
#[cfg(target_os = "linux")]
mod running;
pub mod seatbelt;
#[cfg(target_os = "linux")]
mod spawn;
mod unseen;

#[cfg(target_os = "linux")]
pub use capture::{Output, Overflow};
#[cfg(target_os = "linux")]
pub use coverage::{Coverage, Promise, coverage};
pub use environment::Environment;
#[cfg(target_os = "linux")]
pub use helper::enter;
pub use order::{Failed, Program, Step};
pub use policy::{Confinement, Network, Policy, Protected};
#[cfg(target_os = "linux")]
pub use running::{Exit, Finished, Running};
#[cfg(target_os = "linux")]
pub use spawn::{Command, ExecError, Helper, spawn};
pub use unseen::unseen;
