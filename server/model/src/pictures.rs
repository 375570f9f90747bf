//! Which models take pictures, as their providers say in December 2026; docs/models.md says the same. What is not known
//! is tried: a provider that refuses says so.

/// The starts of the names of models that are given text alone.
const TEXT_ALONE: [&str; 9] = [
    "claude-2",
    "claude-instant",
    "gpt-3",
    "gpt-4-0",
    "gpt-4-1106",
    "gpt-4-32k",
    "o1-mini",
    "o1-preview",
    "o3-mini",
];

/// Whether a model may be shown pictures.
pub fn takes_pictures(model: &str) -> bool {
    model != "gpt-4" && !TEXT_ALONE.iter().any(|start| model.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_that_is_known_to_take_text_alone_is_told_from_its_successors() {
        for text_alone in ["gpt-4", "gpt-4-0613", "gpt-3.5-turbo", "o3-mini", "claude-2.1"] {
            assert!(!takes_pictures(text_alone), "{text_alone}");
        }
        for sees in ["gpt-4o", "gpt-4.1", "gpt-4-turbo", "o3", "claude-sonnet-5-5", "qwen3:8b"] {
            assert!(takes_pictures(sees), "{sees}");
        }
    }
}
