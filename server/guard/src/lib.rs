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
mod secrets;
mod shell;
mod sight;
pub mod table;

pub use decide::{
    Bounds, Call, Confinement, Explanation, PartExplained, Question, Ruling, Verdict, Worktree, decide,
    explain,
};
pub use effect::Effect;
pub use grant::{Granted, Permit, admit};
pub use rules::{Origin, Rule, RuleError, Rules, Standing};
pub use secrets::{Secrets, without_passwords};
pub use shell::{LENGTH_MAX, Part, Understanding, What, Word, shown, understand, visible};
pub use sight::Sight;
