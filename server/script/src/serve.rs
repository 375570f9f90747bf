//! HTTP: which path asks for what, the refusals, and the way from a step to a response.

mod stream;

use std::convert::Infallible;
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use bytes::Bytes;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use crate::format::{Act, Answer, AnswerPart, Asked, Format, Refused};
use crate::gate::Gates;
use crate::play::{NoStep, Player};
use crate::record::Records;
use crate::script::{Refusal, ReplyPart, Step, UsageSpec};
use stream::{InFlight, Stream};

/// The largest request that the provider takes, in bytes.
const LARGEST_REQUEST: usize = 32 * 1024 * 1024;

type Body = UnsyncBoxBody<Bytes, std::io::Error>;

/// What all connections of a server share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) player: Player,
    pub(crate) records: Records,
    pub(crate) gates: Gates,
}

/// Serves until it is dropped; its connections end with it.
pub(crate) async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                let Ok((socket, _)) = accepted else { continue };
                // Small writes must leave as they are, since a test may count on them.
                let _ = socket.set_nodelay(true);
                let shared = Arc::clone(&shared);
                let service = service_fn(move |request| respond(request, Arc::clone(&shared)));
                let connection = http1::Builder::new().serve_connection(TokioIo::new(socket), service);
                connections.spawn(async move {
                    // A connection that the script or the client cuts is no failure of the server.
                    let _ = connection.await;
                });
            }
            Some(_) = connections.join_next() => {}
        }
    }
}

async fn respond(request: Request<Incoming>, shared: Arc<Shared>) -> Result<Response<Body>, Infallible> {
    let path = request.uri().path().to_owned();
    Ok(match (request.method(), Format::of_path(&path)) {
        (&Method::POST, Some(format)) => answer(request, &path, format, shared).await,
        (&Method::GET, None) if path == "/script/report" => json_body(StatusCode::OK, &report(&shared)),
        (&Method::GET, None) if path == "/v1/models" && !shared.player.models.is_empty() => {
            let models = shared.player.models.iter().map(|id| json!({ "id": id, "object": "model" }));
            json_body(StatusCode::OK, &json!({ "object": "list", "data": Value::from_iter(models) }))
        }
        (&Method::POST, None) if path.starts_with("/script/gates/") => {
            shared.gates.open(path.trim_start_matches("/script/gates/"));
            json_body(StatusCode::OK, &json!({}))
        }
        (_, format) => {
            let format = format.unwrap_or(Format::Messages);
            let refused = Refused::new(404, format!("there is no {} {path}", request.method()));
            refuse(format, &refused)
        }
    })
}

async fn answer(
    request: Request<Incoming>,
    path: &str,
    format: Format,
    shared: Arc<Shared>,
) -> Response<Body> {
    let (head, body) = request.into_parts();
    let header = |name: &str| head.headers.get(name).and_then(|value| value.to_str().ok());
    let is_local = !shared.player.models.is_empty();
    let headers_are = if is_local { Ok(()) } else { format.check_headers(&header) };
    let body = match Limited::new(body, LARGEST_REQUEST).collect().await {
        Ok(body) => body.to_bytes(),
        Err(_) => {
            let refused = Refused::new(413, "the request is larger than 32 MB, or broke off");
            return refuse_and_record(format, path, &Value::Null, &refused, &shared);
        }
    };
    let asked = match headers_are.and_then(|()| format.read(&body)) {
        Ok(asked) => asked,
        Err(refused) => {
            let body = serde_json::from_slice(&body).unwrap_or_default();
            return refuse_and_record(format, path, &body, &refused, &shared);
        }
    };
    let agent = shared.player.agent_of(&asked.system);
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    let model = body.get("model").and_then(Value::as_str).unwrap_or_default().to_owned();
    let index = shared.records.add(&agent, path, body);
    match shared.player.next(&agent, &asked) {
        Ok(step) => {
            // What is refused enters no cache.
            let is_read = step.status.is_none();
            let cached =
                if is_read { shared.records.prompt(index, &agent, &model, &asked.prompt) } else { 0 };
            let in_flight = InFlight::new(Arc::clone(&shared));
            play(step, index, cached, &asked, format, in_flight).await
        }
        Err(NoStep::Unexpected(message) | NoStep::UsedUp(message)) => {
            shared.records.violation(index, &agent, &message);
            refuse(format, &Refused::invalid(message))
        }
    }
}

async fn play(
    step: Step,
    index: usize,
    cached: usize,
    asked: &Asked,
    format: Format,
    mut in_flight: InFlight,
) -> Response<Body> {
    if let Some(gate) = &step.wait {
        in_flight.shared().gates.pass(gate).await;
    }
    if step.delay_ms > 0 {
        tokio::time::sleep(Duration::from_millis(step.delay_ms)).await;
    }
    if let Some(refusal) = &step.status {
        in_flight.is_over();
        return scripted_refusal(format, refusal);
    }
    if let Some(raw) = &step.raw {
        let acts = vec![Act::Event(raw.body.clone())];
        return streamed(Stream::new(acts, &step, String::new(), in_flight), &raw.content_type);
    }
    let answer = filled(&step, index, cached, asked);
    if !asked.stream {
        for part in &answer.parts {
            if let AnswerPart::Gate(gate) = part {
                in_flight.shared().gates.pass(gate).await;
            }
        }
        in_flight.is_over();
        return json_body(StatusCode::OK, &format.whole(&answer));
    }
    let error_event = step.ending.as_ref().and_then(|ending| ending.error()).map(|error| {
        format.error_event(error.kind.as_deref(), error.message.as_deref().unwrap_or("the script says so"))
    });
    let stream = Stream::new(format.events(&answer), &step, error_event.unwrap_or_default(), in_flight);
    streamed(stream, "text/event-stream; charset=utf-8")
}

/// The step with ids and numbers of tokens.
fn filled(step: &Step, index: usize, cached: usize, asked: &Asked) -> Answer {
    let parts: Vec<_> = step
        .reply
        .iter()
        .enumerate()
        .map(|(place, part)| match part {
            ReplyPart::Say(text) => AnswerPart::Text(text.clone()),
            ReplyPart::Think(text) => AnswerPart::Thinking(text.clone()),
            ReplyPart::Wait(gate) => AnswerPart::Gate(gate.clone()),
            ReplyPart::Call(call) => AnswerPart::Call {
                id: call.id.clone().unwrap_or_else(|| format!("call_script_{index}_{place}")),
                tool: call.tool.clone(),
                input: call.input.clone(),
            },
        })
        .collect();
    let written = parts.iter().map(|part| match part {
        AnswerPart::Text(text) | AnswerPart::Thinking(text) => text.len(),
        AnswerPart::Call { tool, input, .. } => tool.len() + input.to_string().len(),
        AnswerPart::Gate(_) => 0,
    });
    let usage = step.usage.unwrap_or_else(|| UsageSpec {
        input: tokens(asked.prompt.len().saturating_sub(cached)),
        output: tokens(written.sum()),
        cached: tokens(cached),
    });
    let (model, wants_more) = (asked.model.clone(), asked.wants_more);
    Answer { number: index, model, wants_more, parts, stop: step.stop.clone(), usage }
}

/// Four bytes a token, as a rough mean of English and code.
fn tokens(bytes: usize) -> u64 {
    u64::try_from(bytes.div_ceil(4)).unwrap_or(u64::MAX)
}

fn report(shared: &Shared) -> Value {
    let requests = shared.records.requests().into_iter().map(|request| {
        let at = request.at.duration_since(UNIX_EPOCH).unwrap_or_default();
        json!({
            "index": request.index,
            "agent": request.agent,
            "path": request.path,
            "body": request.body,
            "atMs": at.as_secs_f64() * 1000.0,
        })
    });
    json!({
        "requests": requests.collect::<Vec<_>>(),
        "violations": shared.records.violations(),
        "prefixBreaks": shared.records.prefix_breaks(),
    })
}

fn refuse_and_record(
    format: Format,
    path: &str,
    body: &Value,
    refused: &Refused,
    shared: &Shared,
) -> Response<Body> {
    let index = shared.records.add("", path, body.clone());
    shared.records.violation(index, "", &refused.message);
    refuse(format, refused)
}

fn refuse(format: Format, refused: &Refused) -> Response<Body> {
    let status = StatusCode::from_u16(refused.status).unwrap_or(StatusCode::BAD_REQUEST);
    json_body(status, &format.error(refused))
}

fn scripted_refusal(format: Format, refusal: &Refusal) -> Response<Body> {
    let refused = Refused {
        status: refusal.code,
        kind: refusal.kind.clone(),
        message: refusal.message.clone().unwrap_or_else(|| "the script says so".into()),
    };
    let mut response = refuse(format, &refused);
    if let Some(value) = refusal.retry_after.and_then(|wait| HeaderValue::try_from(wait.to_string()).ok()) {
        response.headers_mut().insert(RETRY_AFTER, value);
    }
    response
}

fn json_body(status: StatusCode, value: &Value) -> Response<Body> {
    let body = Full::new(Bytes::from(value.to_string())).map_err(|never| match never {}).boxed_unsync();
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

fn streamed(stream: Stream, content_type: &str) -> Response<Body> {
    let mut response = Response::new(stream.into_body());
    if let Ok(value) = HeaderValue::from_str(content_type) {
        response.headers_mut().insert(CONTENT_TYPE, value);
    }
    response
}
