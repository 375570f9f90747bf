//! The promise of the LSP side, kept by the built binary over its stdin and stdout.

mod documents;
mod ending;
mod framing;
mod requests;
mod turns;

use swarm_tests::World;

/// A world around the binary under test.
fn world() -> World {
    World::new(env!("CARGO_BIN_EXE_swarm-ls"))
}
