//! Whole streams, recorded from the scripted server, that end or are split at every byte.

use super::*;
use crate::anthropic::Anthropic;
use crate::openai::chat::Chat;
use crate::openai::responses::Responses;
use crate::provider::Provider;
use crate::request::Part;
use crate::transport;

/// Makes of each function a test for every wire format.
macro_rules! in_each_format {
    ($($name:ident)*) => {$(
        mod $name {
            use super::*;

            #[test]
            fn messages() {
                super::$name(&Recorded::new(Box::new(Anthropic), include_bytes!("recorded/messages.sse")));
            }

            #[test]
            fn responses() {
                super::$name(&Recorded::new(Box::new(Responses), include_bytes!("recorded/responses.sse")));
            }

            #[test]
            fn chat_completions() {
                let chat = Chat::at("http://model.test/v1");
                super::$name(&Recorded::new(Box::new(chat), include_bytes!("recorded/chat.sse")));
            }
        }
    )*};
}

in_each_format! {
    a_stream_that_ends_early_is_an_interruption_with_nothing_half_in_it
    where_a_stream_is_split_changes_nothing
}

/// The stream of one answer.
struct Recorded {
    provider: Box<dyn Provider>,
    stream: &'static [u8],
    http: reqwest::Client,
    config: Config,
}

/// What came of an attempt.
struct Played {
    outcome: Result<Reply, Error>,
    finished: Reply,
    told: Vec<Delta>,
    streamed: String,
}

impl Recorded {
    fn new(provider: Box<dyn Provider>, stream: &'static [u8]) -> Self {
        let config = Config::new("http://model.test", None);
        let http = transport::build(&config, &"http://model.test".parse().unwrap()).unwrap();
        Self { provider, stream, http, config }
    }

    /// An attempt whose answer comes in these pieces, behind which the connection is closed.
    fn play(&self, pieces: &[&[u8]]) -> Played {
        let post = Post {
            http: &self.http,
            config: &self.config,
            host: "model.test",
            key_variable: "KEY",
            url: "http://model.test".parse().unwrap(),
            headers: HeaderMap::new(),
            body: Bytes::new(),
        };
        let mut attempt = Attempt::new(self.provider.decoder());
        let mut told = Vec::new();
        let mut deltas = |delta| told.push(delta);
        let taken = pieces.iter().map(|piece| attempt.take(piece, &post, &mut deltas));
        let ended = taken.filter_map(Result::transpose).next();
        let outcome = ended.unwrap_or_else(|| attempt.decoder.closed().map_err(|fault| post.fault(fault)));
        let finished = attempt.finished();
        Played { outcome, finished, told, streamed: attempt.into_streamed() }
    }

    fn whole(&self) -> Reply {
        let whole = self.play(&[self.stream]).outcome.unwrap();
        assert_eq!(calls(&whole).len(), 2, "{whole:?}");
        assert_eq!(text(&whole), "Grün \u{1f980}.");
        whole
    }
}

fn calls(reply: &Reply) -> Vec<&Part> {
    reply.content.iter().filter(|part| matches!(part, Part::ToolUse { .. })).collect()
}

fn text(reply: &Reply) -> String {
    let text = |part: &Part| match part {
        Part::Text(text) => Some(text.clone()),
        Part::ToolUse { .. } | Part::Opaque(_) => None,
    };
    reply.content.iter().filter_map(text).collect()
}

fn a_stream_that_ends_early_is_an_interruption_with_nothing_half_in_it(recorded: &Recorded) {
    let whole = recorded.whole();
    let mut kept = Vec::new();
    for end in 0..recorded.stream.len() {
        let Played { outcome, finished, told, streamed } = recorded.play(&[&recorded.stream[..end]]);
        match outcome {
            // What is missing says nothing more of the answer.
            Ok(reply) => assert_eq!((&reply.content, &reply.stop), (&whole.content, &whole.stop), "{end}"),
            Err(error) => assert!(matches!(error, Error::Interrupted { .. }), "{end}: {error:?}"),
        }
        // That is what an attempt after it says is void.
        assert_eq!(told.iter().map(said).collect::<String>(), streamed, "{end}");
        let (had, all) = (calls(&finished), calls(&whole));
        assert_eq!(had, all[..had.len()], "{end}");
        assert!(text(&whole).starts_with(&streamed), "{end}: {streamed:?}");
        assert_eq!(text(&finished), streamed, "{end}");
        kept.push(had.len());
    }
    assert!(kept.is_sorted(), "a call that was finished is finished");
    assert_eq!((kept.first(), kept.last()), (Some(&0), Some(&2)));
}

fn said(delta: &Delta) -> &str {
    match delta {
        Delta::Text(text) => text,
        other => panic!("{other:?}"),
    }
}

fn where_a_stream_is_split_changes_nothing(recorded: &Recorded) {
    let whole = recorded.play(&[recorded.stream]);
    for at in 0..=recorded.stream.len() {
        let (head, tail) = recorded.stream.split_at(at);
        let split = recorded.play(&[head, tail]);
        assert_eq!((&split.outcome, &split.told), (&whole.outcome, &whole.told), "{at}");
    }
    let bytes: Vec<&[u8]> = recorded.stream.chunks(1).collect();
    let bytewise = recorded.play(&bytes);
    assert_eq!((bytewise.outcome, bytewise.told), (whole.outcome, whole.told));
}
