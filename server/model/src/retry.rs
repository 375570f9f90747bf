//! Error → wait or give up: the one table, and how long to wait.

use std::time::Duration;

use crate::config::Config;
use crate::error::Error;

/// How many times the longest wait of our own choice a provider may ask for before we give up instead.
const PATIENCE: u32 = 10;

/// How long to wait before attempt `next` (2 is the first retry) after `error`; `None` gives up. `step` is `next`, or
/// more where others with this key were refused as well.
pub(crate) fn wait_before(next: u32, step: u32, error: &Error, config: &Config) -> Option<Duration> {
    if next > config.attempts || !may_mend(error) {
        return None;
    }
    let jitter = random_fraction();
    if let Error::Status { retry_after: Some(asked), .. } = error {
        // Never less than asked; a little more, so that a team does not come back at the same instant.
        let wait = asked.mul_f64(1.0 + jitter * 0.1);
        return (*asked <= config.longest_backoff * PATIENCE).then_some(wait);
    }
    let doubled = config.backoff.saturating_mul(1 << step.saturating_sub(2).min(16));
    Some(doubled.min(config.longest_backoff).mul_f64(0.5 + jitter * 0.5))
}

/// Whether the same request may succeed a little later.
fn may_mend(error: &Error) -> bool {
    match error {
        Error::Connect { .. }
        | Error::Interrupted { .. }
        | Error::Silent { .. }
        | Error::Malformed { .. } => true,
        // An account without money is answered as if it were too fast.
        Error::Status { kind: Some(kind), .. } if is_about_the_account(kind) => false,
        _ if error.names_pictures() => false,
        Error::Status { status, .. } => match status {
            408 | 409 | 425 | 429 => true,
            501 | 505 => false,
            500..=599 => true,
            _ => false,
        },
        Error::Reported { kind: Some(kind), .. } => {
            !is_about_the_account(kind) && !is_about_the_request(kind)
        }
        Error::Reported { kind: None, .. } => true,
        Error::MissingKey { .. }
        | Error::BaseUrl { .. }
        | Error::Setup { .. }
        | Error::Certificate { .. }
        | Error::Cancelled => false,
    }
}

fn is_about_the_account(kind: &str) -> bool {
    matches!(kind, "insufficient_quota" | "billing_error" | "billing_not_active" | "account_deactivated")
}

fn is_about_the_request(kind: &str) -> bool {
    matches!(
        kind,
        "invalid_request_error"
            | "authentication_error"
            | "permission_error"
            | "not_found_error"
            | "request_too_large"
            | "context_length_exceeded"
            | "invalid_prompt"
    )
}

/// Whether the provider says that all calls with this key are too many for now.
pub(crate) fn is_too_fast(error: &Error) -> bool {
    matches!(error, Error::Status { status: 429 | 529, .. }) && may_mend(error)
}

/// From 0 to 1; in the middle when the system has no randomness to give.
pub(crate) fn random_fraction() -> f64 {
    getrandom::u32().map_or(0.5, |random| f64::from(random) / f64::from(u32::MAX))
}

#[cfg(test)]
mod tests;
