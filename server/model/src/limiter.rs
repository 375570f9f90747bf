//! The back-off that all calls of one client share: when the provider says to one that it is too fast, the others
//! wait as well.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::error::Error;
use crate::retry::random_fraction;

/// How much later than the first the last of those that wait may begin, as a part of the wait.
const SPREAD: f64 = 0.25;

#[derive(Debug, Default)]
pub(crate) struct Limiter(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    slowed: Option<Slowed>,
    /// How often in a row the provider said it, counting what was sent since it said it last.
    strikes: u32,
}

#[derive(Debug, Clone)]
struct Slowed {
    at: Instant,
    until: Instant,
    reason: String,
}

impl Limiter {
    /// How long a call that wants to begin now must wait, and why: a little differently for each.
    pub(crate) fn wait(&self) -> Option<(Duration, String)> {
        let state = self.lock();
        let slowed = state.slowed.as_ref()?;
        let left = slowed.until.checked_duration_since(Instant::now()).filter(|left| !left.is_zero())?;
        let spread = slowed.until.duration_since(slowed.at).mul_f64(SPREAD * random_fraction());
        Some((left + spread, slowed.reason.clone()))
    }

    /// Counts a refusal of what was sent at `sent`; gives how many there were in a row.
    pub(crate) fn strike(&self, sent: Instant) -> u32 {
        let mut state = self.lock();
        if state.slowed.as_ref().is_none_or(|slowed| sent >= slowed.at) {
            state.strikes = state.strikes.saturating_add(1);
        }
        state.strikes.max(1)
    }

    /// Nobody begins for so long.
    pub(crate) fn slow(&self, wait: Duration, error: &Error) {
        let now = Instant::now();
        let mut state = self.lock();
        if state.slowed.as_ref().is_none_or(|slowed| slowed.until < now + wait) {
            state.slowed = Some(Slowed { at: now, until: now + wait, reason: error.to_string() });
        }
    }

    /// The provider answered what was sent at `sent`.
    pub(crate) fn answered(&self, sent: Instant) {
        let mut state = self.lock();
        if state.slowed.as_ref().is_none_or(|slowed| sent >= slowed.at) {
            *state = State::default();
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Each change leaves a whole state, whoever panics.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
