//! Calls that go well, and calls that are cancelled.

use serde_json::json;
use swarm_model::{Delta, Error, Format, Message, Part, Stop, Usage, UserPart};
use swarm_script::{UsageSpec, call, reply, say, think, wait};
use tokio_util::sync::CancellationToken;

use crate::{client, complete, playing, request, shown, user};

fn tool_use(id: &str, name: &str, input: serde_json::Value) -> Part {
    Part::ToolUse { id: id.into(), name: name.into(), input }
}

in_each_format! {
    a_conversation_with_thinking_and_calls_is_taken_by_a_strict_server
    the_size_of_writes_does_not_matter
    each_reason_to_stop_arrives
    a_cancel_in_the_stream_keeps_what_came_and_closes_the_connection
    a_cancel_before_the_first_byte_closes_the_connection
    a_cancelled_call_sends_nothing
    many_calls_run_at_once_on_one_client
}

async fn a_conversation_with_thinking_and_calls_is_taken_by_a_strict_server(format: Format) {
    let usage = UsageSpec { input: 7, output: 9, cached: 100 };
    let server = playing([
        reply([
            think("Hmm, grün?"),
            say("I look. \u{1f980}"),
            call("Read", json!({"path": "a\n\"b\""})),
            call("Edit", json!({})),
        ])
        .usage(usage),
        reply([say("Done.")]).expect("the text").expect("no such file"),
        reply([say("Bye.")]),
    ])
    .await;
    let client = client(format, &server);
    let mut request = request();

    let (reply, deltas) = complete(&client, &request).await;
    let reply = reply.unwrap();
    assert_eq!(reply.stop, Stop::ToolUse);
    assert_eq!(reply.usage, Usage { input: 7, written: 0, output: 9, cached: 100 });
    assert!(matches!(&reply.content[0], Part::Opaque(_)), "{:?}", reply.content[0]);
    assert_eq!(reply.content[1], Part::Text("I look. \u{1f980}".into()));
    assert_eq!(reply.content[2], tool_use("call_script_0_2", "Read", json!({"path": "a\n\"b\""})));
    assert_eq!(reply.content[3], tool_use("call_script_0_3", "Edit", json!({})));
    assert_eq!(shown(&deltas), "I look. \u{1f980}");
    assert!(deltas.len() > 2, "text comes in pieces: {deltas:?}");

    request.messages.push(Message::Assistant(reply.content));
    let result = |id: &str, content: &str, is_error| UserPart::ToolResult {
        id: id.into(),
        content: content.into(),
        pictures: Vec::new(),
        is_error,
    };
    let results =
        vec![result("call_script_0_2", "the text", false), result("call_script_0_3", "no such file", true)];
    request.messages.push(Message::User(results));
    let reply = complete(&client, &request).await.0.unwrap();
    assert_eq!((reply.content.as_slice(), reply.stop), (&[Part::Text("Done.".into())][..], Stop::EndTurn));

    request.messages.push(Message::Assistant(reply.content));
    request.messages.push(user("Thanks."));
    assert!(complete(&client, &request).await.0.is_ok());
    assert_eq!(server.violations(), []);
    assert_eq!(server.prefix_breaks(), []);
    // The server checks the seal of what it sealed; the one format without a seal gives the text back.
    if format == Format::ChatCompletions {
        let answer = &server.requests()[1].body["messages"][2];
        assert_eq!(answer["reasoning_content"], "Hmm, grün?", "{answer}");
    }
}

async fn the_size_of_writes_does_not_matter(format: Format) {
    let step = || reply([say("Ein grünes \u{1f980}."), call("Read", json!({"path": "ä"}))]);
    let server = playing([step(), step().chunk_bytes(1), step().chunk_bytes(3)]).await;
    let client = client(format, &server);
    let mut replies = Vec::new();
    for _ in 0..3 {
        let (reply, deltas) = complete(&client, &request()).await;
        replies.push((reply.unwrap().content.len(), shown(&deltas)));
    }
    assert_eq!(replies, vec![(2, "Ein grünes \u{1f980}.".to_owned()); 3]);
}

async fn each_reason_to_stop_arrives(format: Format) {
    let (limit, refusal) = match format {
        Format::Messages => ("max_tokens", "refusal"),
        Format::Responses => ("max_output_tokens", "content_filter"),
        Format::ChatCompletions => ("length", "content_filter"),
    };
    let cases = [(limit, Stop::MaxTokens), (refusal, Stop::Refusal)];
    let server = playing(cases.iter().map(|(word, _)| reply([say("Hi.")]).stop(*word))).await;
    let client = client(format, &server);
    for (_, stop) in cases {
        assert_eq!(complete(&client, &request()).await.0.unwrap().stop, stop);
    }
}

async fn a_cancel_in_the_stream_keeps_what_came_and_closes_the_connection(format: Format) {
    let server = playing([reply([call("Read", json!({})), say("I look"), wait("never"), say(" on")])]).await;
    let client = client(format, &server);
    let cancel = CancellationToken::new();
    let mut text = String::new();
    let mut on_delta = |delta| {
        if let Delta::Text(more) = delta {
            text.push_str(&more);
            if text == "I look" {
                cancel.cancel();
            }
        }
    };
    let failure = client.complete(&request(), &mut on_delta, &cancel).await.unwrap_err();
    assert_eq!(failure.error, Error::Cancelled);
    // The format without blocks has one text, in front of the calls.
    let mut expected = [tool_use("call_script_0_0", "Read", json!({})), Part::Text("I look".into())];
    if format == Format::ChatCompletions {
        expected.reverse();
    }
    assert_eq!(failure.partial, expected);
    server.wait_for_aborted(1).await.unwrap();
}

async fn a_cancel_before_the_first_byte_closes_the_connection(format: Format) {
    let server = playing([reply([say("x")]).wait_for("never")]).await;
    let client = client(format, &server);
    let cancel = CancellationToken::new();
    let (request, mut nothing) = (request(), |delta| panic!("{delta:?}"));
    let cancelled = async {
        server.wait_at("never", 1).await.unwrap();
        cancel.cancel();
    };
    let (outcome, ()) = tokio::join!(client.complete(&request, &mut nothing, &cancel), cancelled);
    assert_eq!(outcome.unwrap_err().error, Error::Cancelled);
    server.wait_for_aborted(1).await.unwrap();
}

async fn a_cancelled_call_sends_nothing(format: Format) {
    let server = playing([]).await;
    let cancel = CancellationToken::new();
    cancel.cancel();
    let outcome = client(format, &server).complete(&request(), &mut |_| {}, &cancel).await;
    assert_eq!(outcome.unwrap_err().error, Error::Cancelled);
    assert_eq!(server.requests(), []);
}

async fn many_calls_run_at_once_on_one_client(format: Format) {
    let steps = (0..20).map(|_| reply([say("Hi."), wait("all"), say(" Bye.")]));
    let server = playing(steps).await;
    let client = client(format, &server);
    let calls = (0..20).map(|_| async { complete(&client, &request()).await.0.unwrap() });
    let opened = async {
        server.wait_at("all", 20).await.unwrap();
        server.open("all");
    };
    let (replies, ()) = tokio::join!(futures::future::join_all(calls), opened);
    for reply in replies {
        let texts = reply.content.iter().map(|part| match part {
            Part::Text(text) => text.as_str(),
            other => panic!("{other:?}"),
        });
        assert_eq!(texts.collect::<String>(), "Hi. Bye.");
    }
}
