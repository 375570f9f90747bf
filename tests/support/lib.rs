//! The harness for tests that drive the built binary: a throwaway [`World`], and an [`Editor`] in it that
//! speaks LSP over the binary's stdin and stdout.
//!
//! Every wait has a bound and says what did arrive. An editor that goes out of scope ends the server as a
//! real one would, and fails the test on a question that the test left unclaimed, on a process that stays
//! and on any exit code but 0.

mod caps;
mod editor;
mod model;
mod processes;
mod terminals;
mod tmux;
mod wire;
mod world;

pub use caps::Caps;
pub use editor::{Editor, ErrorAnswer, Question, WAIT};
pub use model::FakeModel;
pub use swarm_script as script;
pub use tmux::{Pane, Tmux};
pub use world::World;
