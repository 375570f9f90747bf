//! Modes as models name them.

use schemars::JsonSchema;
use serde::Deserialize;
use swarm_wire::permission::Mode;

/// The modes that a model may name.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) enum ModeName {
    #[default]
    Default,
    /// Edits in the workspace go through.
    AcceptEdits,
    /// Only reads, until the user approves its plan.
    Plan,
    /// What would ask is refused.
    DontAsk,
    /// Nothing asks.
    BypassPermissions,
}

impl From<ModeName> for Mode {
    fn from(name: ModeName) -> Self {
        match name {
            ModeName::Default => Self::Default,
            ModeName::AcceptEdits => Self::AcceptEdits,
            ModeName::Plan => Self::Plan,
            ModeName::DontAsk => Self::DontAsk,
            ModeName::BypassPermissions => Self::BypassPermissions,
        }
    }
}

/// What a mode is called on the wire.
pub(super) fn name(mode: Mode) -> &'static str {
    match mode {
        Mode::Default => "default",
        Mode::AcceptEdits => "acceptEdits",
        Mode::Plan => "plan",
        Mode::DontAsk => "dontAsk",
        Mode::BypassPermissions => "bypassPermissions",
    }
}

/// How much a mode lets through: a greater one is wider.
pub(super) fn width(mode: Mode) -> u8 {
    match mode {
        Mode::Plan => 0,
        Mode::DontAsk => 1,
        Mode::Default => 2,
        Mode::AcceptEdits => 3,
        Mode::BypassPermissions => 4,
    }
}
