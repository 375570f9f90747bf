//! Streams with bytes lost, doubled, changed or moved: whatever comes, the client gives an answer in good form
//! or an error, and never panics.

use swarm_model::{Client, Format, Part};
use swarm_script::{call, raw, reply, say, think};

use crate::{KEY, complete, config, playing, request};

in_each_format! {
    damaged_streams_are_answers_in_good_form_or_errors
}

async fn damaged_streams_are_answers_in_good_form_or_errors(format: Format) {
    let whole = whole_stream(format).await;
    let damaged: Vec<_> = (1..=300).map(|seed| damage(&whole, seed)).collect();
    let server = playing(damaged.iter().map(|stream| raw("text/event-stream", stream.as_str()))).await;
    let mut config = config(format, server.base_url());
    config.attempts = 1;
    let client = Client::new(config);
    let (mut answers, mut errors) = (0, 0);
    for stream in damaged {
        match complete(&client, &request()).await.0 {
            Err(_) => errors += 1,
            Ok(reply) => {
                answers += 1;
                for part in reply.content {
                    match part {
                        Part::Text(text) => assert!(!text.is_empty(), "{stream}"),
                        Part::ToolUse { input, .. } => assert!(input.is_object(), "{stream}"),
                        Part::Opaque(item) => assert!(item.is_object(), "{stream}"),
                    }
                }
            }
        }
    }
    // Damage within a text is no damage to the format.
    assert!(answers > 20 && errors > 20, "{answers} answers, {errors} errors");
}

/// A stream of the format as the server sends it.
async fn whole_stream(format: Format) -> String {
    let step = || {
        let calls =
            [call("Read", serde_json::json!({"path": "a"})), call("Edit", serde_json::json!({"to": [1]}))];
        reply([think("Hm."), say("Ein grünes \u{1f980}.")].into_iter().chain(calls))
    };
    let server = playing([step(), step()]).await;
    complete(&Client::new(config(format, server.base_url())), &request()).await.0.unwrap();
    let seen = &server.requests()[0];
    let http = reqwest::Client::builder()
        .tls_backend_preconfigured(tls())
        .build()
        .unwrap()
        .post(format!("{}{}", server.base_url(), seen.path))
        .header("x-api-key", KEY)
        .header("anthropic-version", "2023-06-01")
        .bearer_auth(KEY)
        .body(seen.body.to_string());
    http.send().await.unwrap().text().await.unwrap()
}

/// A client needs one, even if it never speaks it.
fn tls() -> rustls::ClientConfig {
    let provider = std::sync::Arc::new(rustls::crypto::ring::default_provider());
    rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(rustls::RootCertStore::empty())
        .with_no_client_auth()
}

/// The same damage for the same seed.
fn damage(stream: &str, seed: u64) -> String {
    let mut random = Random(seed);
    let mut characters: Vec<char> = stream.chars().collect();
    for _ in 0..=random.below(3) {
        let at = random.below(characters.len());
        let length = random.below(40).min(characters.len() - at);
        match random.below(5) {
            0 => characters[at] = ['"', '{', '}', '\n', 'x', '\u{0}', '9', '\\'][random.below(8)],
            1 => drop(characters.drain(at..at + length)),
            2 => {
                let copy = characters[at..at + length].to_vec();
                characters.splice(at..at, copy);
            }
            3 => characters.truncate(at.max(1)),
            _ => {
                let mut events: Vec<String> =
                    characters.iter().collect::<String>().split_inclusive("\n\n").map(Into::into).collect();
                let (one, other) = (random.below(events.len()), random.below(events.len()));
                events.swap(one, other);
                characters = events.concat().chars().collect();
            }
        }
    }
    characters.into_iter().collect()
}

/// Numbers without a pattern that matters, after Marsaglia's xorshift.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound.max(1) as u64) as usize
    }
}
