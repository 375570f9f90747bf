//! The table: mode × trust × what a call does → allow, ask or deny. docs/permissions.md shows it, and a test
//! holds the two together.

use swarm_wire::permission::{Behavior, Mode, Trust};

/// What a call, or one part of it, does, as far as the table tells things apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Deed {
    /// Reads inside the workspace, or talks within the team.
    Read,
    /// Reads outside of it, or what only the run tells.
    ReadElsewhere,
    ReadSecret,
    /// Changes files inside the workspace, none of which makes another program run something.
    Change,
    ChangeElsewhere,
    /// Runs a command behind the walls.
    RunConfined,
    /// Runs a command that no walls hold.
    RunFree,
    /// Reaches beyond this machine.
    Leave,
    Destroy,
    /// Gives a teammate a wider mode than `default`.
    Widen,
    /// Ends planning: a person approves the plan.
    EndPlanning,
}

impl Deed {
    pub const ALL: [Self; 11] = [
        Self::Read,
        Self::ReadElsewhere,
        Self::ReadSecret,
        Self::Change,
        Self::ChangeElsewhere,
        Self::RunConfined,
        Self::RunFree,
        Self::Leave,
        Self::Destroy,
        Self::Widen,
        Self::EndPlanning,
    ];

    /// As the table's row is headed.
    pub fn title(self) -> &'static str {
        match self {
            Self::Read => "reads in the workspace",
            Self::ReadElsewhere => "reads elsewhere",
            Self::ReadSecret => "reads a secret",
            Self::Change => "changes files in the workspace",
            Self::ChangeElsewhere => "changes other or protected files",
            Self::RunConfined => "runs code, confined",
            Self::RunFree => "runs code, not confined",
            Self::Leave => "leaves the machine",
            Self::Destroy => "destroys",
            Self::Widen => "widens a teammate's mode",
            Self::EndPlanning => "presents its plan",
        }
    }
}

/// The table, before rules.
pub fn verdict(mode: Mode, trust: Trust, deed: Deed) -> Behavior {
    if deed == Deed::EndPlanning {
        // Outside of planning there is nothing to approve.
        return if mode == Mode::Plan { Behavior::Ask } else { Behavior::Allow };
    }
    match mode {
        Mode::Default => trusted(trust, deed),
        Mode::AcceptEdits if deed == Deed::Change => Behavior::Allow,
        Mode::AcceptEdits => trusted(trust, deed),
        Mode::Plan => match deed {
            Deed::Read => Behavior::Allow,
            Deed::ReadElsewhere | Deed::ReadSecret if trust == Trust::Full => Behavior::Allow,
            _ => Behavior::Deny,
        },
        Mode::DontAsk => match trusted(trust, deed) {
            Behavior::Ask => Behavior::Deny,
            other => other,
        },
        Mode::BypassPermissions if deed == Deed::Destroy => Behavior::Ask,
        Mode::BypassPermissions => Behavior::Allow,
    }
}

/// What the user's trust lets through by itself.
fn trusted(trust: Trust, deed: Deed) -> Behavior {
    let allowed = match trust {
        Trust::Ask => deed == Deed::Read,
        Trust::Workspace => matches!(deed, Deed::Read | Deed::Change | Deed::RunConfined),
        Trust::Full => deed != Deed::Destroy,
    };
    if allowed { Behavior::Allow } else { Behavior::Ask }
}
