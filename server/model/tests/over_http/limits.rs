//! A provider that says that there are too many calls says it to all that share a client.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use swarm_model::{Delta, Format};
use swarm_script::{reply, say, status};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::{client, complete, playing, request};

in_each_format! {
    calls_that_share_a_client_wait_together
    a_call_that_was_answered_ends_the_back_off
    a_hurried_wait_is_cut_short_and_costs_no_attempt
}

async fn calls_that_share_a_client_wait_together(format: Format) {
    const ASKED: Duration = Duration::from_millis(300);
    let server = playing([status(429).retry_after(ASKED.as_secs_f64()), reply([say("Hi.")]).times(9)]).await;
    let client = client(format, &server);
    let waits = Notify::new();
    let first = async {
        let mut on_delta = |delta| {
            if matches!(delta, Delta::Waiting { .. }) {
                waits.notify_one();
            }
        };
        client.complete(&request(), &mut on_delta, &CancellationToken::new()).await
    };
    let others = async {
        waits.notified().await;
        let request = request();
        tokio::join!(complete(&client, &request), complete(&client, &request))
    };
    let (first, ((second, told), (third, _))) = tokio::join!(first, others);
    assert!(first.is_ok() && second.is_ok() && third.is_ok());
    let Delta::Waiting { seconds, reason } = &told[0] else { panic!("{told:?}") };
    assert!(*seconds < 0.5 && reason.contains("429"), "{seconds}: {reason}");
    assert_eq!(told[1], Delta::Resumed);
    let requests = server.requests();
    assert_eq!(requests.len(), 4);
    for later in &requests[1..] {
        assert!(later.at.duration_since(requests[0].at).unwrap() >= ASKED, "it was sent too early");
    }
}

async fn a_call_that_was_answered_ends_the_back_off(format: Format) {
    let server = playing([status(429).retry_after(0.05), reply([say("Hi.")]).times(2)]).await;
    let client = client(format, &server);
    assert!(complete(&client, &request()).await.0.is_ok());
    let (outcome, told) = complete(&client, &request()).await;
    assert!(outcome.is_ok());
    assert!(!told.iter().any(|delta| matches!(delta, Delta::Waiting { .. })), "{told:?}");
}

async fn a_hurried_wait_is_cut_short_and_costs_no_attempt(format: Format) {
    // Three attempts are all that a call has.
    let server = playing([status(429).retry_after(20.0).times(4), reply([say("Hi.")])]).await;
    let client = client(format, &server);
    let (hurry, done) = (Notify::new(), AtomicBool::new(false));
    let begun = Instant::now();
    let call = async {
        let outcome = client.complete_with(&request(), &mut |_| {}, &CancellationToken::new(), &hurry).await;
        done.store(true, Ordering::Relaxed);
        outcome
    };
    let impatience = async {
        while !done.load(Ordering::Relaxed) {
            hurry.notify_waiters();
            tokio::task::yield_now().await;
        }
    };
    let (outcome, ()) = tokio::join!(call, impatience);
    assert!(outcome.is_ok(), "{outcome:?}");
    assert!(begun.elapsed() < Duration::from_secs(15));
}
