//! The queue against a client that reads late or never, and answers that nobody waits for.

use futures::{FutureExt, StreamExt};
use serde_json::json;
use swarm_wire::{AgentId, TurnId};

use super::queue::{MAX_EVENTS, MAX_LINES};
use super::*;
use crate::lsp::types::{MessageType, request::ShowMessageRequest};

fn text(text: &str) -> Event {
    text_of("ada", text)
}

fn text_of(name: &str, text: &str) -> Event {
    let member: AgentId = format!("{name}@shop").parse().unwrap();
    Event::Text { member, turn_id: TurnId::new("t"), text: text.into() }
}

fn ended(detail: &str) -> Event {
    let member: AgentId = "ada@shop".parse().unwrap();
    let reason = swarm_wire::lsp::TurnEnd::Completed;
    Event::TurnEnded { member, turn_id: TurnId::new("t"), reason, detail: Some(detail.into()) }
}

fn team() -> TeamName {
    "shop".parse().unwrap()
}

fn sent(outbound: &mut Outbound) -> Vec<Request> {
    std::iter::from_fn(|| outbound.next().now_or_never().flatten()).collect()
}

fn question(proxy: &Proxy) -> impl Future<Output = Result<Option<types::MessageActionItem>, CallError>> {
    let params = types::ShowMessageRequestParams {
        typ: MessageType::WARNING,
        message: "may I?".into(),
        actions: None,
    };
    let proxy = proxy.clone();
    async move { proxy.request::<ShowMessageRequest>(params).await }
}

#[test]
fn nothing_is_sent_before_the_handshake_ends() {
    let proxy = Proxy::default();
    let mut outbound = proxy.loopback();
    proxy.event(team(), ended("1"));
    assert!(sent(&mut outbound).is_empty());
    proxy.open();
    assert_eq!(sent(&mut outbound).len(), 1);
}

#[test]
fn waiting_text_of_a_turn_is_joined_and_counted_once() {
    let proxy = Proxy::default();
    proxy.event(team(), text("a"));
    proxy.event(team(), text("b"));
    proxy.event(team(), ended("x"));
    proxy.event(team(), text("c"));
    proxy.open();
    let events = sent(&mut proxy.loopback());
    let shape = |request: &Request| {
        let params = request.params().unwrap();
        (params["seq"].as_u64().unwrap(), params["event"]["text"].as_str().unwrap_or("-").to_owned())
    };
    let shapes: Vec<_> = events.iter().map(shape).collect();
    assert_eq!(shapes, [(1, "ab".into()), (2, "-".into()), (3, "c".into())]);
    assert_eq!(proxy.last_seq(), 3);
}

#[test]
fn text_of_members_who_speak_at_once_is_joined_each_with_its_own() {
    let proxy = Proxy::default();
    for piece in ["a", "b", "c"] {
        proxy.event(team(), text_of("ada", piece));
        proxy.event(team(), text_of("ben", piece));
    }
    proxy.event(team(), ended("x"));
    proxy.event(team(), text_of("ben", "d"));
    proxy.open();
    let events = sent(&mut proxy.loopback());
    let texts = events.iter().map(|request| request.params().unwrap()["event"]["text"].clone());
    assert_eq!(texts.collect::<Vec<_>>(), [json!("abc"), json!("abc"), Value::Null, json!("d")]);
}

#[test]
fn a_client_that_never_reads_makes_nothing_grow_and_sees_a_gap() {
    let proxy = Proxy::default();
    for number in 0..50_000 {
        proxy.event(team(), ended(&number.to_string()));
        proxy.show(MessageType::INFO, "line");
        proxy.notify_latest::<types::notification::PublishDiagnostics>(
            "file:///a",
            types::PublishDiagnosticsParams::new("file:///a".parse().unwrap(), Vec::new(), None),
        );
    }
    assert_eq!(proxy.lock().queue.len(), MAX_EVENTS + MAX_LINES + 1);
    proxy.open();
    let requests = sent(&mut proxy.loopback());
    let seqs: Vec<u64> = requests
        .iter()
        .filter(|request| request.method() == "swarm/event")
        .map(|request| request.params().unwrap()["seq"].as_u64().unwrap())
        .collect();
    assert_eq!(seqs.last(), Some(&50_000));
    assert_eq!(seqs.first(), Some(&(50_000 - MAX_EVENTS as u64 + 1)));
}

#[test]
fn large_events_are_bounded_by_bytes() {
    let proxy = Proxy::default();
    let large = "x".repeat(1 << 20);
    for _ in 0..100 {
        proxy.event(team(), ended("border"));
        proxy.event(team(), text(&large));
    }
    assert!(proxy.lock().queue.len() < 20);
}

fn ok(id: i64, result: Value) -> Response {
    Response::from_ok(Id::Number(id), result)
}

#[tokio::test]
async fn answers_that_nobody_waits_for_are_dropped() {
    let proxy = Proxy::default();
    proxy.open();
    let mut outbound = proxy.loopback();
    proxy.answer(ok(77, json!(null)));
    proxy.answer(Response::from_ok(Id::Null, json!(null)));

    // Dropped while it waits: a late answer, and a second one.
    let mut asked = Box::pin(question(&proxy));
    assert!(asked.as_mut().now_or_never().is_none());
    assert_eq!(sent(&mut outbound)[0].id(), Some(&Id::Number(1)));
    drop(asked);
    proxy.answer(ok(1, json!({ "title": "yes" })));
    proxy.answer(ok(1, json!({ "title": "yes" })));

    // The next one still gets its own answer.
    let mut asked = Box::pin(question(&proxy));
    assert!(asked.as_mut().now_or_never().is_none());
    proxy.answer(ok(2, json!({ "title": "no" })));
    assert_eq!(asked.await.unwrap().unwrap().title, "no");
}

#[test]
fn a_request_whose_asker_left_is_not_sent() {
    let proxy = Proxy::default();
    proxy.open();
    let mut asked = Box::pin(question(&proxy));
    assert!(asked.as_mut().now_or_never().is_none());
    drop(asked);
    assert!(sent(&mut proxy.loopback()).is_empty());
}

#[tokio::test]
async fn an_error_answer_says_whether_the_method_is_known() {
    let proxy = Proxy::default();
    proxy.open();
    let mut asked = Box::pin(question(&proxy));
    assert!(asked.as_mut().now_or_never().is_none());
    proxy.answer(Response::from_error(Id::Number(1), RpcError::method_not_found()));
    assert!(asked.await.unwrap_err().is_unsupported());
}
