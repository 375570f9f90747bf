//! Stands for a provider's seal on its reasoning: whoever changes the text no longer fits it.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// The seal of a text that is sent beside it.
pub(crate) fn of(text: &str) -> String {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    format!("script-{:016x}", hasher.finish())
}

/// A text with its seal in one, as encrypted reasoning is.
pub(crate) fn seal(text: &str) -> String {
    format!("{}:{text}", of(text))
}

pub(crate) fn is_sealed(sealed: &str) -> bool {
    sealed.split_once(':').is_some_and(|(seal, text)| seal == of(text))
}
