//! What a call may do: its effect, the rules, the decision, and the proof that a decision was made.
//!
//! `decide` is pure: no clock, disk, environment or async.

mod decide;
mod effect;
pub mod exec;
#[cfg(target_os = "linux")]
pub mod files;
mod grant;
pub mod proxy;
mod rules;

pub use decide::{Bounds, Question, Verdict, decide};
pub use effect::Effect;
pub use grant::{Granted, Permit, admit};
pub use rules::{Rule, RuleError, Rules};
