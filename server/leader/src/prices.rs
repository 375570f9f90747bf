//! What models cost. docs/models.md has the same table, with its sources.

use swarm_model::Usage;
use swarm_wire::settings::{Price, Settings};

const PER: f64 = 1_000_000.0;

/// US dollars a million tokens: input, output, input out of the cache and into it. As of December 2026.
const KNOWN: [(&str, [f64; 4]); 28] = [
    ("claude-fable-5-1", [10.0, 50.0, 0.25, 12.5]),
    ("claude-fable-5", [10.0, 50.0, 1.0, 12.5]),
    ("claude-opus-5-5", [4.0, 20.0, 0.2, 5.0]),
    ("claude-opus-5", [5.0, 25.0, 0.5, 6.25]),
    ("claude-opus-4-8", [5.0, 25.0, 0.5, 6.25]),
    ("claude-opus-4-7", [5.0, 25.0, 0.5, 6.25]),
    ("claude-opus-4-6", [5.0, 25.0, 0.5, 6.25]),
    ("claude-opus-4-5", [5.0, 25.0, 0.5, 6.25]),
    ("claude-opus-4-1", [15.0, 75.0, 1.5, 18.75]),
    ("claude-sonnet-5-5", [2.0, 10.0, 0.1, 2.5]),
    ("claude-sonnet-5", [2.0, 10.0, 0.2, 2.5]),
    ("claude-sonnet-4-6", [3.0, 15.0, 0.3, 3.75]),
    ("claude-sonnet-4-5", [3.0, 15.0, 0.3, 3.75]),
    ("claude-haiku-5-5", [0.1, 0.5, 0.01, 0.125]),
    ("claude-haiku-4-5", [1.0, 5.0, 0.1, 1.25]),
    ("gpt-6.1-sol", [2.0, 10.0, 0.1, 2.5]),
    ("gpt-6-astra", [10.0, 50.0, 1.0, 12.5]),
    ("gpt-6-sol", [2.0, 10.0, 0.2, 2.5]),
    ("gpt-6-luna", [0.1, 0.5, 0.01, 0.125]),
    ("gpt-5.5", [5.0, 30.0, 0.5, 5.0]),
    ("gpt-5.4", [2.5, 15.0, 0.25, 2.5]),
    ("gpt-5.4-mini", [0.75, 4.5, 0.075, 0.75]),
    ("gpt-5.4-nano", [0.2, 1.25, 0.02, 0.2]),
    ("gpt-5.2", [1.75, 14.0, 0.175, 1.75]),
    ("gpt-5.2-codex", [1.75, 14.0, 0.175, 1.75]),
    ("gpt-5.1", [1.25, 10.0, 0.125, 1.25]),
    ("gpt-5", [1.25, 10.0, 0.125, 1.25]),
    ("gpt-5-mini", [0.25, 2.0, 0.025, 0.25]),
];

/// What a model costs, where that is known: as the settings say, else as its provider does.
pub(crate) fn price_of(settings: &Settings, model: &str) -> Option<Price> {
    let set = settings.prices.get(model).or_else(|| settings.prices.get(undated(model)));
    set.copied().or_else(|| {
        let known = KNOWN.iter().find(|(name, _)| *name == undated(model));
        known.map(|(_, [input, output, cache_read, cache_write])| Price {
            input: *input,
            output: *output,
            cache_read: Some(*cache_read),
            cache_write: Some(*cache_write),
        })
    })
}

/// What one request cost, in US dollars.
pub(crate) fn cost(price: &Price, usage: Usage) -> f64 {
    let Usage { input, written, output, cached } = usage;
    let dollars = |tokens: u64, price: f64| tokens as f64 * price / PER;
    dollars(input.saturating_sub(written), price.input)
        + dollars(written, price.cache_write.unwrap_or(price.input))
        + dollars(cached, price.cache_read.unwrap_or(price.input))
        + dollars(output, price.output)
}

/// A model's name without the date of its snapshot, which costs the same: `-20250929` or `-2026-01-31`.
fn undated(model: &str) -> &str {
    let is_date =
        |text: &str| text.starts_with("20") && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    let dated = model.match_indices("-20").find(|(at, _)| is_date(&model[at + 1..]));
    dated.map_or(model, |(at, _)| &model[..at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_costs_what_its_kinds_of_tokens_do() {
        let settings = Settings::default();
        let price = price_of(&settings, "claude-sonnet-5-5-20260928").unwrap();
        let usage = Usage { input: 3_000_000, written: 1_000_000, output: 1_000_000, cached: 10_000_000 };
        assert!((cost(&price, usage) - (4.0 + 2.5 + 10.0 + 1.0)).abs() < 1e-9);
    }

    #[test]
    fn the_page_has_the_same_table() {
        let page = include_str!("../../../docs/models.md");
        for (name, prices) in KNOWN {
            let row = format!("| `{name}` | {} |", prices.map(|price| price.to_string()).join(" | "));
            assert!(page.contains(&row), "{row}");
        }
    }

    #[test]
    fn a_price_of_the_settings_wins_and_one_that_nobody_knows_is_none() {
        let mut settings = Settings::default();
        let own = Price { input: 1.0, output: 2.0, cache_read: None, cache_write: None };
        settings.prices.insert("gpt-5".into(), own);
        assert_eq!(price_of(&settings, "gpt-5-2026-01-31"), Some(own));
        assert_eq!(price_of(&settings, "gpt-5-pro"), None);
        assert_eq!(price_of(&settings, "qwen3:8b"), None);
        let usage = Usage { input: 2_000_000, written: 1_000_000, output: 0, cached: 1_000_000 };
        assert!((cost(&own, usage) - 3.0).abs() < 1e-9);
    }
}
