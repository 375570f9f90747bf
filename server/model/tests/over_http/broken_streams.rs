//! Streams that break: an answer is whole, or tried again, or kept as far as a finished call; never less.

use std::time::Duration;

use serde_json::json;
use swarm_model::{Client, Delta, Error, Part, Stop};
use swarm_script::{Step, call, raw, reply, say, think};

use crate::{client, complete, config, playing, request, restarts, shown};

fn text_only() -> Step {
    reply([think("Hm."), say("Ein grünes \u{1f980}.")])
}

/// The text of the only part of a reply.
fn text(content: &[Part]) -> &str {
    match content {
        [Part::Opaque(_), Part::Text(text)] => text,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_stream_cut_at_any_byte_is_tried_again_and_never_taken_for_whole() {
    let step = || reply([say("Grün \u{1f980}.")]);
    let server = playing((0..3000).flat_map(|bytes| [step().cut_after_bytes(bytes), step()])).await;
    let client = client(&server);
    for bytes in 0..3000 {
        let (reply, deltas) = complete(&client, &request()).await;
        assert_eq!(reply.unwrap().content, [Part::Text("Grün \u{1f980}.".into())], "cut after {bytes}");
        assert_eq!(shown(&deltas), "Grün \u{1f980}.", "cut after {bytes}");
        // The last bytes close the last event; a stream that holds them is whole however it ends.
        if restarts(&deltas) == 0 {
            assert!(bytes > 900, "the whole stream came after {bytes} bytes");
            return;
        }
        assert_eq!(restarts(&deltas), 1, "cut after {bytes}");
    }
    panic!("the stream is never whole");
}

#[tokio::test]
async fn without_further_attempts_a_cut_stream_is_an_error_with_what_came() {
    for events in 0.. {
        let server = playing([text_only().cut_after_events(events)]).await;
        let mut config = config(server.base_url());
        config.attempts = 1;
        let (outcome, deltas) = complete(&Client::new(config), &request()).await;
        let failure = match outcome {
            Ok(reply) => {
                assert_eq!(reply.stop, Stop::EndTurn);
                assert!(events > 10);
                return;
            }
            Err(failure) => failure,
        };
        assert!(matches!(failure.error, Error::Interrupted { .. }), "{:?}", failure.error);
        let kept = failure.partial.iter().find_map(|part| match part {
            Part::Text(text) => Some(text.clone()),
            _ => None,
        });
        assert_eq!(kept.unwrap_or_default(), shown(&deltas), "after {events} events");
    }
}

#[tokio::test]
async fn a_finished_call_is_kept_when_the_stream_breaks_behind_it() {
    let step = || {
        reply([
            say("I look."),
            call("Read", json!({"path": "a"})),
            call("Edit", json!({"path": "b", "to": "c"})),
        ])
    };
    let whole = step().times(1);
    let mut seen = Vec::new();
    for bytes in (0..).step_by(7) {
        let server = playing([step().cut_after_bytes(bytes), whole.clone()]).await;
        let reply = complete(&client(&server), &request()).await.0.unwrap();
        let attempts = server.requests().len();
        let calls = reply.content.iter().filter(|part| matches!(part, Part::ToolUse { .. })).count();
        assert_eq!(reply.stop, Stop::ToolUse);
        assert_eq!(reply.content[0], Part::Text("I look.".into()));
        seen.push((attempts, calls));
        if reply.usage.output > 1 && attempts == 1 {
            break;
        }
    }
    seen.dedup();
    // Cut before the first call ended: asked again. Then one call kept, then both, at last the whole answer.
    assert_eq!(seen, [(2, 2), (1, 1), (1, 2)]);
}

#[tokio::test]
async fn an_error_event_is_tried_again_when_time_may_mend_it() {
    for kind in ["overloaded_error", "api_error", "rate_limit_error"] {
        let server = playing([text_only().error_after_events(12, kind), text_only()]).await;
        let (reply, deltas) = complete(&client(&server), &request()).await;
        assert_eq!(text(&reply.unwrap().content), "Ein grünes \u{1f980}.");
        let Some(Delta::Restarted { attempt: 2, discarded_text, reason }) =
            deltas.iter().find(|delta| matches!(delta, Delta::Restarted { .. }))
        else {
            panic!("{deltas:?}")
        };
        assert!(!discarded_text.is_empty());
        assert!(reason.contains(kind), "{reason}");
    }
}

#[tokio::test]
async fn an_error_event_about_the_request_is_final() {
    let server = playing([text_only().error_after_events(12, "invalid_request_error"), text_only()]).await;
    let failure = complete(&client(&server), &request()).await.0.unwrap_err();
    assert!(matches!(failure.error, Error::Reported { .. }), "{:?}", failure.error);
    assert_eq!(server.requests().len(), 1);
    assert!(!failure.partial.is_empty());
}

#[tokio::test]
async fn a_silent_stream_is_given_up_and_tried_again() {
    let server = playing([text_only().hang_after_events(8), text_only()]).await;
    let mut config = config(server.base_url());
    config.idle_timeout = Duration::from_millis(50);
    let (reply, deltas) = complete(&Client::new(config), &request()).await;
    assert!(reply.is_ok());
    assert_eq!(restarts(&deltas), 1);
    server.wait_for_aborted(1).await.unwrap();
}

#[tokio::test]
async fn a_server_that_does_not_begin_is_given_up_and_tried_again() {
    let server =
        playing([text_only().wait_for("never"), text_only().hang_after_events(0), text_only()]).await;
    let mut config = config(server.base_url());
    config.first_byte_timeout = Duration::from_millis(50);
    let (reply, deltas) = complete(&Client::new(config), &request()).await;
    assert!(reply.is_ok());
    assert_eq!(restarts(&deltas), 2);
}

#[tokio::test]
async fn a_body_that_is_no_stream_is_told_with_its_start() {
    let page = || raw("text/html", "<html>\nPlease   log in</html>");
    let server = playing([page().times(3)]).await;
    let failure = complete(&client(&server), &request()).await.0.unwrap_err();
    let message = failure.error.to_string();
    assert!(message.contains("<html> Please log in</html>"), "{message}");
    assert_eq!(server.requests().len(), 3);
}

#[tokio::test]
async fn bytes_that_are_no_events_are_a_broken_stream() {
    let long_ago = "event: message_start\ndata: {\"type\": \"message_start\"\n\n";
    for body in
        ["data: nonsense\n\n", long_ago, "", "data: {\"type\":\"message_stop\"}\n\n", ": only a comment\n\n"]
    {
        let server = playing([raw("text/event-stream", body).times(3)]).await;
        let failure = complete(&client(&server), &request()).await.0.unwrap_err();
        let broken = matches!(failure.error, Error::Malformed { .. } | Error::Interrupted { .. });
        assert!(broken, "{body:?}: {:?}", failure.error);
    }
}
