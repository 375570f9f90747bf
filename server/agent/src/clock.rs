//! The wall clock, and the ids that carry it.

use std::time::{SystemTime, UNIX_EPOCH};

use swarm_wire::{ConversationId, RequestId, TurnId};

/// Milliseconds since 1970.
pub fn unix_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// `perm-<ms>-<6 characters>`.
pub fn permission_id() -> RequestId {
    RequestId::new(format!("perm-{}-{}", unix_ms(), random6()))
}

/// A turn id, unique in the team's life.
pub fn turn_id() -> TurnId {
    TurnId::new(format!("turn-{}-{}", unix_ms(), random6()))
}

/// `conv-<ms>-<6 characters>`.
pub(crate) fn conversation_id() -> ConversationId {
    ConversationId::new(format!("conv-{}-{}", unix_ms(), random6()))
}

fn random6() -> String {
    const ALPHABET: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
    let mut bytes = [0; 6];
    // Without a random source the time alone still tells ids apart, and a clash is refused by the store.
    let _ = getrandom::fill(&mut bytes);
    bytes.iter().map(|byte| char::from(ALPHABET[usize::from(byte % 32)])).collect()
}
