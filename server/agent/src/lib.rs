//! One member of a team: its turn loop, tools, context, and its life between turns. Knows no LSP.

pub mod ports;
