//! Which model takes which effort: as its provider says of it, in December 2026. docs/models.md shows the table.

use crate::config::Format;
use crate::request::Effort;

use Effort::{High, Low, Max, Medium, XHigh};

const NONE: &[Effort] = &[];
const TO_HIGH: &[Effort] = &[Low, Medium, High];
const TO_XHIGH: &[Effort] = &[Low, Medium, High, XHigh];
const ALL: &[Effort] = &[Low, Medium, High, XHigh, Max];
const WITHOUT_XHIGH: &[Effort] = &[Low, Medium, High, Max];

/// The starts of models' names, the first that fits counts.
const STEPS: [(&str, &[Effort]); 22] = [
    ("claude-2", NONE),
    ("claude-3", NONE),
    ("claude-haiku-4", NONE),
    ("claude-sonnet-4-0", NONE),
    ("claude-sonnet-4-2", NONE),
    ("claude-sonnet-4-5", NONE),
    ("claude-sonnet-4-6", WITHOUT_XHIGH),
    ("claude-opus-4-0", NONE),
    ("claude-opus-4-1", NONE),
    ("claude-opus-4-2", NONE),
    ("claude-opus-4-5", TO_HIGH),
    ("claude-opus-4-6", WITHOUT_XHIGH),
    ("gpt-3", NONE),
    ("gpt-4", NONE),
    ("chatgpt-4", NONE),
    ("o1-mini", NONE),
    ("o1", TO_HIGH),
    ("o3", TO_HIGH),
    ("o4", TO_HIGH),
    ("gpt-5.1-codex-max", TO_XHIGH),
    ("gpt-5.1", TO_HIGH),
    ("gpt-6", ALL),
];

/// The effort to ask of this model: the one wanted, the highest beneath it that the model has, or none where it
/// has none. A model that is not known has all that its format can say.
pub(crate) fn asked(format: Format, model: &str, wanted: Option<Effort>) -> Option<Effort> {
    let wanted = wanted?;
    let known = STEPS.iter().find(|(start, _)| model.starts_with(start)).map(|(_, steps)| *steps);
    let steps = known.or_else(|| is_plain_gpt_5(model).then_some(TO_HIGH)).unwrap_or(match format {
        Format::Messages => ALL,
        Format::Responses | Format::ChatCompletions => TO_XHIGH,
    });
    steps.iter().copied().filter(|step| *step <= wanted).max()
}

/// Whether a model that takes an effort also takes the word that lets it think as much as that: the first one did
/// not.
pub(crate) fn thinks_adaptively(model: &str) -> bool {
    !model.starts_with("claude-opus-4-5")
}

/// `gpt-5`, `gpt-5-mini`, `gpt-5-2026-01-01`, but not `gpt-5.2`.
fn is_plain_gpt_5(model: &str) -> bool {
    model.strip_prefix("gpt-5").is_some_and(|rest| !rest.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_asked_for_no_more_effort_than_it_has() {
        let asked_of = |model, wanted| asked(Format::Messages, model, Some(wanted));
        assert_eq!(asked_of("claude-sonnet-4-5", High), None);
        assert_eq!(asked_of("claude-sonnet-4-20250514", Low), None);
        assert_eq!(asked_of("claude-3-7-sonnet-latest", High), None);
        assert_eq!(asked_of("claude-opus-4-5-20251101", Max), Some(High));
        assert_eq!(asked_of("claude-opus-4-6", XHigh), Some(High));
        assert_eq!(asked_of("claude-opus-4-6", Max), Some(Max));
        assert_eq!(asked_of("claude-opus-4-8", XHigh), Some(XHigh));
        let asked_of = |model, wanted| asked(Format::Responses, model, Some(wanted));
        assert_eq!(asked_of("gpt-4o", Low), None);
        assert_eq!(asked_of("gpt-5-mini", XHigh), Some(High));
        assert_eq!(asked_of("gpt-5.1", XHigh), Some(High));
        assert_eq!(asked_of("gpt-5.1-codex-max", Max), Some(XHigh));
        assert_eq!(asked_of("gpt-5.2", Max), Some(XHigh));
        assert_eq!(asked_of("gpt-6.1-sol", Max), Some(Max));
        assert_eq!(asked_of("qwen3:8b", Max), Some(XHigh));
        assert_eq!(asked(Format::ChatCompletions, "qwen3:8b", None), None);
    }
}
