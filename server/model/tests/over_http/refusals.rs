//! What isn't answered with a stream: statuses, connections that can't be made, keys.

use std::time::{Duration, Instant};

use swarm_model::{ApiKey, Client, Config, Delta, Effort, Error, Format, Request};
use swarm_script::{reply, say, status};
use tokio_util::sync::CancellationToken;

use crate::{KEY, client, complete, config, playing, request, restarts};

in_each_format! {
    a_status_that_may_mend_is_tried_again
    a_status_that_will_not_mend_is_final_and_says_what_to_do
    the_attempts_have_an_end
    the_wait_that_is_asked_for_is_kept
    a_wait_can_be_cancelled
    a_refused_connection_is_tried_again
    an_address_that_is_none_is_told
    a_missing_key_names_the_variable_before_anything_is_sent
    an_effort_that_the_model_refuses_is_not_asked_for_again
    a_key_is_in_no_error_and_no_debug_text
    a_password_in_the_address_is_in_no_error
}

async fn a_status_that_may_mend_is_tried_again(format: Format) {
    for code in [408, 409, 429, 500, 502, 503, 504, 529] {
        let server = playing([status(code), reply([say("Hi.")])]).await;
        let (reply, deltas) = complete(&client(format, &server), &request()).await;
        assert!(reply.is_ok(), "{code}: {reply:?}");
        assert!(matches!(deltas[0], Delta::Waiting { .. }), "{deltas:?}");
        assert!(matches!(deltas[1], Delta::Restarted { attempt: 2, .. }), "{deltas:?}");
        assert_eq!(server.requests().len(), 2);
    }
}

async fn a_status_that_will_not_mend_is_final_and_says_what_to_do(format: Format) {
    let cases = [
        (400, "400"),
        (401, format.key_variable()),
        (402, "credit"),
        (403, format.key_variable()),
        (404, "`model` and `baseUrl`"),
        (413, "413"),
        (301, "`baseUrl`"),
    ];
    for (code, advice) in cases {
        let server = playing([status(code), reply([say("Hi.")])]).await;
        let failure = complete(&client(format, &server), &request()).await.0.unwrap_err();
        let message = failure.error.to_string();
        assert!(message.contains(advice), "{message}");
        assert!(message.starts_with("127.0.0.1:"), "it names who said so: {message}");
        assert_eq!(server.requests().len(), 1);
    }
}

async fn the_attempts_have_an_end(format: Format) {
    let server = playing([status(529).times(9)]).await;
    let (outcome, deltas) = complete(&client(format, &server), &request()).await;
    assert!(matches!(outcome.unwrap_err().error, Error::Status { status: 529, .. }));
    assert_eq!(server.requests().len(), 3);
    assert_eq!(restarts(&deltas), 2);
}

async fn the_wait_that_is_asked_for_is_kept(format: Format) {
    let server = playing([status(429).retry_after(0.2), reply([say("Hi.")])]).await;
    let begun = Instant::now();
    let (reply, deltas) = complete(&client(format, &server), &request()).await;
    assert!(reply.is_ok());
    assert!(begun.elapsed() >= Duration::from_millis(200));
    let Delta::Waiting { seconds, reason } = &deltas[0] else { panic!("{deltas:?}") };
    assert!((0.2..0.3).contains(seconds), "{seconds}");
    assert!(reason.contains("429"), "{reason}");
}

async fn a_wait_can_be_cancelled(format: Format) {
    let server = playing([status(429).retry_after(20.0)]).await;
    let cancel = CancellationToken::new();
    let mut on_delta = |delta| {
        assert!(matches!(delta, Delta::Waiting { .. }));
        cancel.cancel();
    };
    let outcome = client(format, &server).complete(&request(), &mut on_delta, &cancel).await;
    assert_eq!(outcome.unwrap_err().error, Error::Cancelled);
}

async fn a_refused_connection_is_tried_again(format: Format) {
    // A port that was free a moment ago.
    let server = playing([]).await;
    let address = server.base_url();
    drop(server);
    for base_url in [address.clone(), address.replace("http:", "https:")] {
        let (outcome, deltas) = complete(&Client::new(config(format, base_url)), &request()).await;
        let error = outcome.unwrap_err().error;
        assert!(matches!(error, Error::Connect { .. }), "{error:?}");
        assert_eq!(restarts(&deltas), 2);
    }
}

async fn an_address_that_is_none_is_told(format: Format) {
    for base_url in ["", "127.0.0.1:80", "ftp://host", "http://"] {
        let failure =
            complete(&Client::new(config(format, base_url.into())), &request()).await.0.unwrap_err();
        assert!(matches!(failure.error, Error::BaseUrl { .. }), "{base_url}: {:?}", failure.error);
    }
}

async fn a_missing_key_names_the_variable_before_anything_is_sent(format: Format) {
    for key in [None, Some(ApiKey::new(" \n"))] {
        let mut config = Config::new(format.home(), key);
        config.format = format;
        let failure = complete(&Client::new(config), &request()).await.0.unwrap_err();
        assert!(matches!(failure.error, Error::MissingKey { .. }), "{:?}", failure.error);
        assert!(failure.error.to_string().contains(format.key_variable()));
    }
    let server = playing([]).await;
    let mut without = config(format, server.base_url());
    without.api_key = None;
    let failure = complete(&Client::new(without), &request()).await.0.unwrap_err();
    assert!(failure.error.to_string().contains(format.key_variable()), "{failure}");
}

async fn an_effort_that_the_model_refuses_is_not_asked_for_again(format: Format) {
    let refused = status(400).message("\"test-model\" does not support thinking");
    let server = playing([refused, reply([say("Hi.")]), reply([say("Ho.")])]).await;
    let client = client(format, &server);
    let request = Request { effort: Some(Effort::High), ..request() };
    let (outcome, deltas) = complete(&client, &request).await;
    assert!(outcome.is_ok(), "{outcome:?}");
    assert!(matches!(deltas[0], Delta::EffortRefused { .. }), "{deltas:?}");
    assert!(complete(&client, &request).await.0.is_ok());
    let asked: Vec<bool> = server
        .requests()
        .iter()
        .map(|request| request.body.to_string().contains("effort\":\"high"))
        .collect();
    assert_eq!(asked, [true, false, false]);

    // One that is refused all the same tells why.
    let server = playing([status(400).message("thinking is off").times(2)]).await;
    let failure = complete(&crate::client(format, &server), &request).await.0.unwrap_err();
    assert!(failure.error.to_string().contains("thinking is off"), "{failure}");
    assert_eq!(server.requests().len(), 2);
}

async fn a_key_is_in_no_error_and_no_debug_text(format: Format) {
    let echo = || status(400).message(format!("bad key {KEY} in the request"));
    let server = playing([echo()]).await;
    let client = client(format, &server);
    let failure = complete(&client, &request()).await.0.unwrap_err();
    for text in [format!("{failure}"), format!("{failure:?}"), format!("{client:?}")] {
        assert!(!text.contains(KEY), "{text}");
    }
    let in_stream = reply([say("x")]).error_after_events(1, KEY);
    let server = playing([in_stream.times(3)]).await;
    let failure = complete(&crate::client(format, &server), &request()).await.0.unwrap_err();
    assert!(!format!("{failure:?}").contains(KEY), "{failure:?}");

    let mut unsendable = config(format, "http://127.0.0.1:1".into());
    unsendable.api_key = Some(ApiKey::new("sk-ü\u{7f}-secret"));
    let failure = complete(&Client::new(unsendable), &request()).await.0.unwrap_err();
    assert!(matches!(failure.error, Error::Setup { .. }), "{failure:?}");
    assert!(!format!("{failure:?}").contains("secret"));
}

async fn a_password_in_the_address_is_in_no_error(format: Format) {
    let server = playing([]).await;
    let base_url = server.base_url().replace("http://", "http://user:hidden@");
    drop(server);
    let failure = complete(&Client::new(config(format, base_url)), &request()).await.0.unwrap_err();
    assert!(!format!("{failure:?} {failure}").contains("hidden"), "{failure:?}");
}
