//! Streams that break: an answer is whole, or tried again, or kept as far as a finished call; never less.

use std::time::Duration;

use serde_json::json;
use swarm_model::{Client, Delta, Error, Format, Part, Stop};
use swarm_script::{Step, call, raw, reply, say, think};

use crate::{client, complete, config, playing, request, restarts, shown};

const TEXT: &str = "Ein grünes \u{1f980} geht über die Straße, langsam und ohne Eile, bis es dunkel wird.";

fn text_only() -> Step {
    reply([think("Hm."), say(TEXT)])
}

/// The text of the only part of a reply.
fn text(content: &[Part]) -> &str {
    match content {
        [Part::Opaque(_), Part::Text(text)] => text,
        other => panic!("{other:?}"),
    }
}

in_each_format! {
    a_stream_cut_at_any_byte_is_tried_again_and_never_taken_for_whole
    without_further_attempts_a_cut_stream_is_an_error_with_what_came
    a_finished_call_is_kept_when_the_stream_breaks_behind_it
    an_error_event_is_tried_again_when_time_may_mend_it
    an_error_event_about_the_request_is_final
    a_silent_stream_is_given_up_and_tried_again
    a_server_that_does_not_begin_is_given_up_and_tried_again
    a_body_that_is_no_stream_is_told_with_its_start
    bytes_that_are_no_events_are_a_broken_stream
}

async fn a_stream_cut_at_any_byte_is_tried_again_and_never_taken_for_whole(format: Format) {
    // Every byte of one format; the others are read by the same parser of events.
    let cuts = || (0..8000).step_by(if format == Format::Messages { 1 } else { 5 });
    let step = || reply([say("Grün \u{1f980}.")]);
    let server = playing(cuts().flat_map(|bytes| [step().cut_after_bytes(bytes), step()])).await;
    let client = client(format, &server);
    for bytes in cuts() {
        let (reply, deltas) = complete(&client, &request()).await;
        assert_eq!(reply.unwrap().content, [Part::Text("Grün \u{1f980}.".into())], "cut after {bytes}");
        assert_eq!(shown(&deltas), "Grün \u{1f980}.", "cut after {bytes}");
        // The last bytes close the last event; a stream that holds them is whole however it ends.
        if restarts(&deltas) == 0 {
            assert!(bytes > 500, "the whole stream came after {bytes} bytes");
            return;
        }
        assert_eq!(restarts(&deltas), 1, "cut after {bytes}");
    }
    panic!("the stream is never whole");
}

async fn without_further_attempts_a_cut_stream_is_an_error_with_what_came(format: Format) {
    for events in 0.. {
        let server = playing([text_only().cut_after_events(events)]).await;
        let mut config = config(format, server.base_url());
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

async fn a_finished_call_is_kept_when_the_stream_breaks_behind_it(format: Format) {
    let step = || {
        reply([
            say("I look."),
            call("Read", json!({"path": "a"})),
            call("Edit", json!({"path": "b", "to": "c"})),
        ])
    };
    let mut seen = Vec::new();
    for bytes in (0..8000).step_by(41) {
        let server = playing([step().cut_after_bytes(bytes), step()]).await;
        let reply = complete(&client(format, &server), &request()).await.0.unwrap();
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

async fn an_error_event_is_tried_again_when_time_may_mend_it(format: Format) {
    for kind in ["overloaded_error", "api_error", "rate_limit_error"] {
        let server = playing([text_only().error_after_events(12, kind), text_only()]).await;
        let (reply, deltas) = complete(&client(format, &server), &request()).await;
        assert_eq!(text(&reply.unwrap().content), TEXT);
        let Some(Delta::Restarted { attempt: 2, discarded_text, reason }) =
            deltas.iter().find(|delta| matches!(delta, Delta::Restarted { .. }))
        else {
            panic!("{deltas:?}")
        };
        assert!(!discarded_text.is_empty());
        assert!(reason.contains(kind), "{reason}");
    }
}

async fn an_error_event_about_the_request_is_final(format: Format) {
    let server = playing([text_only().error_after_events(12, "invalid_request_error"), text_only()]).await;
    let failure = complete(&client(format, &server), &request()).await.0.unwrap_err();
    assert!(matches!(failure.error, Error::Reported { .. }), "{:?}", failure.error);
    assert_eq!(server.requests().len(), 1);
    assert!(!failure.partial.is_empty());
}

async fn a_silent_stream_is_given_up_and_tried_again(format: Format) {
    let server = playing([text_only().hang_after_events(8), text_only()]).await;
    let mut config = config(format, server.base_url());
    config.idle_timeout = Duration::from_millis(50);
    let (reply, deltas) = complete(&Client::new(config), &request()).await;
    assert!(reply.is_ok());
    assert_eq!(restarts(&deltas), 1);
    server.wait_for_aborted(1).await.unwrap();
}

async fn a_server_that_does_not_begin_is_given_up_and_tried_again(format: Format) {
    let server =
        playing([text_only().wait_for("never"), text_only().hang_after_events(0), text_only()]).await;
    let mut config = config(format, server.base_url());
    config.first_byte_timeout = Duration::from_millis(50);
    let (reply, deltas) = complete(&Client::new(config), &request()).await;
    assert!(reply.is_ok());
    assert_eq!(restarts(&deltas), 2);
}

async fn a_body_that_is_no_stream_is_told_with_its_start(format: Format) {
    let page = || raw("text/html", "<html>\nPlease   log in</html>");
    let server = playing([page().times(3)]).await;
    let failure = complete(&client(format, &server), &request()).await.0.unwrap_err();
    let message = failure.error.to_string();
    assert!(message.contains("<html> Please log in</html>"), "{message}");
    assert_eq!(server.requests().len(), 3);
}

async fn bytes_that_are_no_events_are_a_broken_stream(format: Format) {
    let long_ago = "event: message_start\ndata: {\"type\": \"message_start\"\n\n";
    for body in
        ["data: nonsense\n\n", long_ago, "", "data: {\"type\":\"message_stop\"}\n\n", ": only a comment\n\n"]
    {
        let server = playing([raw("text/event-stream", body).times(3)]).await;
        let failure = complete(&client(format, &server), &request()).await.0.unwrap_err();
        let broken = matches!(failure.error, Error::Malformed { .. } | Error::Interrupted { .. });
        assert!(broken, "{body:?}: {:?}", failure.error);
    }
}
