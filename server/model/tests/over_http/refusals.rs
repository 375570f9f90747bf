//! What isn't answered with a stream: statuses, connections that can't be made, keys.

use std::time::{Duration, Instant};

use swarm_model::{ApiKey, Client, Config, Delta, Error};
use swarm_script::{reply, say, status};
use tokio_util::sync::CancellationToken;

use crate::{KEY, client, complete, config, playing, request, restarts};

#[tokio::test]
async fn a_status_that_may_mend_is_tried_again() {
    for code in [408, 409, 429, 500, 502, 503, 504, 529] {
        let server = playing([status(code), reply([say("Hi.")])]).await;
        let (reply, deltas) = complete(&client(&server), &request()).await;
        assert!(reply.is_ok(), "{code}: {reply:?}");
        assert!(matches!(deltas[0], Delta::Waiting { .. }), "{deltas:?}");
        assert!(matches!(deltas[1], Delta::Restarted { attempt: 2, .. }), "{deltas:?}");
        assert_eq!(server.requests().len(), 2);
    }
}

#[tokio::test]
async fn a_status_that_will_not_mend_is_final_and_says_what_to_do() {
    let cases = [
        (400, "400"),
        (401, "ANTHROPIC_API_KEY"),
        (402, "credit"),
        (403, "ANTHROPIC_API_KEY"),
        (404, "`model` and `baseUrl`"),
        (413, "request_too_large"),
        (301, "`baseUrl`"),
    ];
    for (code, advice) in cases {
        let server = playing([status(code), reply([say("Hi.")])]).await;
        let failure = complete(&client(&server), &request()).await.0.unwrap_err();
        let message = failure.error.to_string();
        assert!(message.contains(advice), "{message}");
        assert!(message.starts_with("127.0.0.1:"), "it names who said so: {message}");
        assert_eq!(server.requests().len(), 1);
    }
}

#[tokio::test]
async fn the_attempts_have_an_end() {
    let server = playing([status(529).times(9)]).await;
    let (outcome, deltas) = complete(&client(&server), &request()).await;
    assert!(matches!(outcome.unwrap_err().error, Error::Status { status: 529, .. }));
    assert_eq!(server.requests().len(), 3);
    assert_eq!(restarts(&deltas), 2);
}

#[tokio::test]
async fn the_wait_that_is_asked_for_is_kept() {
    let server = playing([status(429).retry_after(0.2), reply([say("Hi.")])]).await;
    let begun = Instant::now();
    let (reply, deltas) = complete(&client(&server), &request()).await;
    assert!(reply.is_ok());
    assert!(begun.elapsed() >= Duration::from_millis(200));
    let Delta::Waiting { seconds, reason } = &deltas[0] else { panic!("{deltas:?}") };
    assert!((0.2..0.3).contains(seconds), "{seconds}");
    assert!(reason.contains("429"), "{reason}");
}

#[tokio::test]
async fn a_wait_can_be_cancelled() {
    let server = playing([status(429).retry_after(20.0)]).await;
    let cancel = CancellationToken::new();
    let mut on_delta = |delta| {
        assert!(matches!(delta, Delta::Waiting { .. }));
        cancel.cancel();
    };
    let outcome = client(&server).complete(&request(), &mut on_delta, &cancel).await;
    assert_eq!(outcome.unwrap_err().error, Error::Cancelled);
}

#[tokio::test]
async fn a_refused_connection_is_tried_again() {
    // A port that was free a moment ago.
    let server = playing([]).await;
    let address = server.base_url();
    drop(server);
    for base_url in [address.clone(), address.replace("http:", "https:")] {
        let (outcome, deltas) = complete(&Client::new(config(base_url)), &request()).await;
        let error = outcome.unwrap_err().error;
        assert!(matches!(error, Error::Connect { .. }), "{error:?}");
        assert_eq!(restarts(&deltas), 2);
    }
}

#[tokio::test]
async fn an_address_that_is_none_is_told() {
    for base_url in ["", "127.0.0.1:80", "ftp://host", "http://"] {
        let failure = complete(&Client::new(config(base_url.into())), &request()).await.0.unwrap_err();
        assert!(matches!(failure.error, Error::BaseUrl { .. }), "{base_url}: {:?}", failure.error);
    }
}

#[tokio::test]
async fn a_missing_key_names_the_variable_before_anything_is_sent() {
    for key in [None, Some(ApiKey::new(" \n"))] {
        let client = Client::new(Config::new("https://api.anthropic.com", key));
        let failure = complete(&client, &request()).await.0.unwrap_err();
        assert!(matches!(failure.error, Error::MissingKey { .. }), "{:?}", failure.error);
        assert!(failure.error.to_string().contains("ANTHROPIC_API_KEY"));
    }
    let server = playing([]).await;
    let without = Client::new(Config::new(server.base_url(), None));
    let failure = complete(&without, &request()).await.0.unwrap_err();
    assert!(failure.error.to_string().contains("ANTHROPIC_API_KEY"), "{failure}");
}

#[tokio::test]
async fn a_key_is_in_no_error_and_no_debug_text() {
    let echo = || status(400).message(format!("bad key {KEY} in the request"));
    let server = playing([echo()]).await;
    let client = client(&server);
    let failure = complete(&client, &request()).await.0.unwrap_err();
    for text in [format!("{failure}"), format!("{failure:?}"), format!("{client:?}")] {
        assert!(!text.contains(KEY), "{text}");
    }
    let in_stream = reply([say("x")]).error_after_events(1, KEY);
    let server = playing([in_stream.times(3)]).await;
    let failure = complete(&crate::client(&server), &request()).await.0.unwrap_err();
    assert!(!format!("{failure:?}").contains(KEY), "{failure:?}");

    let unsendable = Client::new(Config::new("http://127.0.0.1:1", Some(ApiKey::new("sk-ü\u{7f}-secret"))));
    let failure = complete(&unsendable, &request()).await.0.unwrap_err();
    assert!(matches!(failure.error, Error::Setup { .. }), "{failure:?}");
    assert!(!format!("{failure:?}").contains("secret"));
}

#[tokio::test]
async fn a_password_in_the_address_is_in_no_error() {
    let server = playing([]).await;
    let base_url = server.base_url().replace("http://", "http://user:hidden@");
    drop(server);
    let failure = complete(&Client::new(config(base_url)), &request()).await.0.unwrap_err();
    assert!(!format!("{failure:?} {failure}").contains("hidden"), "{failure:?}");
}
