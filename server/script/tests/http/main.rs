//! The server over raw HTTP: what a process in another language sees of it.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use serde_json::{Value, json};
use swarm_script::{Script, ScriptServer, WhenDone, call, reply, say, status, wait};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// Sends one request on a connection of its own, and gives the status line's number and the body.
async fn send(server: &ScriptServer, head: &str, body: &str) -> (u16, String) {
    let address = server.base_url().replace("http://", "");
    let mut socket = TcpStream::connect(&address).await.unwrap();
    let length = body.len();
    let request =
        format!("{head}\r\nhost: {address}\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}");
    socket.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    socket.read_to_string(&mut answer).await.unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
}

const HEAD: &str = "POST /v1/messages HTTP/1.1\r\nx-api-key: k\r\nanthropic-version: 2023-06-01";

fn go(agent: &str, stream: bool) -> Value {
    json!({
        "model": "m",
        "max_tokens": 10,
        "stream": stream,
        "system": format!("Your agent id is {agent}."),
        "tools": [{"name": "Read", "description": "", "input_schema": {"type": "object"}}],
        "messages": [{"role": "user", "content": "Go."}],
    })
}

async fn ask(server: &ScriptServer, body: &Value) -> (u16, Value) {
    let (status, body) = send(server, HEAD, &body.to_string()).await;
    (status, serde_json::from_str(&body).unwrap_or_else(|_| body.into()))
}

#[tokio::test]
async fn each_agent_has_its_own_steps() {
    let script = Script::new().agent("ada", [reply([say("I am Ada.")])]).agent("bob", [reply([say("Bob.")])]);
    let server = ScriptServer::start(script).await.unwrap();
    for (agent, text) in [("bob@t", "Bob."), ("ada@t", "I am Ada."), ("ada@t", "Done.")] {
        let (status, answer) = ask(&server, &go(agent, false)).await;
        assert_eq!((status, &answer["content"][0]["text"]), (200, &json!(text)));
        assert_eq!(answer["stop_reason"], "end_turn");
    }
    let agents: Vec<_> = server.requests().into_iter().map(|request| request.agent).collect();
    assert_eq!(agents, ["bob@t", "ada@t", "ada@t"]);
    assert!(server.violations().is_empty());
    assert!(server.prefix_breaks().is_empty());
}

#[tokio::test]
async fn a_stream_holds_the_whole_answer_in_pieces() {
    let input = json!({"path": "grün \u{1f980}\n\"x\""});
    let script = Script::new().agent("*", [reply([say("Grün \u{1f980}."), call("Read", input.clone())])]);
    let server = ScriptServer::start(script).await.unwrap();
    let (status, body) = send(&server, HEAD, &go("ada@t", true).to_string()).await;
    assert_eq!(status, 200);
    let events: Vec<Value> = body
        .lines()
        .filter_map(|line| line.strip_prefix("data: "))
        .map(|data| serde_json::from_str(data).unwrap())
        .collect();
    let pieces = |field: &str| -> Vec<&str> {
        events.iter().filter_map(|event| event["delta"][field].as_str()).collect()
    };
    assert_eq!(pieces("text").concat(), "Grün \u{1f980}.");
    assert!(pieces("text").len() > 1);
    let streamed: Value = serde_json::from_str(&pieces("partial_json").concat()).unwrap();
    assert_eq!(streamed, input);
    assert_eq!(pieces("stop_reason"), ["tool_use"]);
    assert!(events.iter().any(|event| event["type"] == "ping"));
    assert_eq!(events.last().unwrap()["type"], "message_stop");
}

#[tokio::test]
async fn a_request_out_of_order_is_refused_and_kept_as_a_violation() {
    let server = ScriptServer::start(Script::new()).await.unwrap();
    let mut bad = go("ada@t", true);
    bad["max_tokens"] = json!(0);
    let (status, answer) = ask(&server, &bad).await;
    assert_eq!((status, &answer["error"]["type"]), (400, &json!("invalid_request_error")));
    let no_key = "POST /v1/messages HTTP/1.1\r\nanthropic-version: 2023-06-01";
    assert_eq!(send(&server, no_key, "{}").await.0, 401);
    let no_version = "POST /v1/messages HTTP/1.1\r\nx-api-key: k";
    assert_eq!(send(&server, no_version, "{}").await.0, 400);
    assert_eq!(send(&server, "POST /v2/else HTTP/1.1", "{}").await.0, 404);
    let messages: Vec<_> = server.violations().into_iter().map(|violation| violation.message).collect();
    assert_eq!(messages.len(), 3, "{messages:?}");
    assert!(messages[0].contains("max_tokens"));
}

#[tokio::test]
async fn what_the_script_does_not_expect_is_refused_and_the_step_stays() {
    let script =
        Script::new().agent("ada", [reply([say("Yes.")]).expect("Please")]).when_done(WhenDone::Fail);
    let server = ScriptServer::start(script).await.unwrap();
    assert_eq!(ask(&server, &go("ada@t", false)).await.0, 400);
    let mut polite = go("ada@t", false);
    polite["messages"][0]["content"] = json!("Please go.");
    assert_eq!(ask(&server, &polite).await.0, 200);
    assert_eq!(ask(&server, &polite).await.0, 400);
    let violations = server.violations();
    assert!(violations[0].message.contains("\"Please\""), "{violations:?}");
    assert!(violations[1].message.contains("no more steps"), "{violations:?}");
}

#[tokio::test]
async fn a_status_comes_with_the_providers_own_error() {
    let script = Script::new().agent("*", [status(529), status(429).kind("special").message("slow down")]);
    let server = ScriptServer::start(script).await.unwrap();
    let (code, answer) = ask(&server, &go("ada@t", true)).await;
    assert_eq!((code, &answer["error"]["type"]), (529, &json!("overloaded_error")));
    let (code, answer) = ask(&server, &go("ada@t", true)).await;
    assert_eq!((code, &answer["error"]), (429, &json!({"type": "special", "message": "slow down"})));
}

#[tokio::test]
async fn a_prompt_that_changes_is_reported() {
    let server = ScriptServer::start(Script::new()).await.unwrap();
    let mut request = go("ada@t", false);
    ask(&server, &request).await;
    let (_, same) = ask(&server, &request).await;
    assert!(same["usage"]["cache_read_input_tokens"].as_u64() > Some(10), "{same}");
    request["tools"][0]["description"] = json!("changed");
    ask(&server, &request).await;
    ask(&server, &go("bob@t", false)).await;
    let breaks = server.prefix_breaks();
    assert_eq!(breaks.len(), 1, "{breaks:?}");
    assert_eq!((breaks[0].request, breaks[0].part.as_str()), (2, "tools"));
}

#[tokio::test]
async fn another_process_can_look_and_open_gates() {
    let script = Script::new().agent("*", [reply([say("a"), wait("middle"), say("b")]).wait_for("start")]);
    let server = ScriptServer::start(script).await.unwrap();
    let request = go("ada@t", true);
    let asked = ask(&server, &request);
    let opened = async {
        server.wait_at("start", 1).await.unwrap();
        assert_eq!(send(&server, "POST /script/gates/start HTTP/1.1", "").await.0, 200);
        server.wait_at("middle", 1).await.unwrap();
        assert_eq!(send(&server, "POST /script/gates/middle HTTP/1.1", "").await.0, 200);
    };
    let ((status, body), ()) = tokio::join!(asked, opened);
    assert_eq!(status, 200);
    assert!(body.as_str().unwrap().contains("message_stop"));
    let (status, report) = send(&server, "GET /script/report HTTP/1.1", "").await;
    let report: Value = serde_json::from_str(&report).unwrap();
    assert_eq!(status, 200);
    assert_eq!(report["requests"][0]["agent"], "ada@t");
    assert_eq!(report["requests"][0]["body"], request);
    assert_eq!(report["violations"], json!([]));
    assert_eq!(report["prefixBreaks"], json!([]));
}

#[tokio::test]
async fn bodies_that_are_not_kept_are_checked_all_the_same() {
    let script = Script::from_json(r#"{"forgetBodies": true}"#).unwrap();
    let server = ScriptServer::start(script).await.unwrap();
    ask(&server, &go("ada@t", true)).await;
    let mut other = go("ada@t", true);
    other["messages"][0]["content"] = json!("Something else.");
    ask(&server, &other).await;
    let requests = server.requests();
    assert_eq!(requests.len(), 2);
    assert!(requests.iter().all(|request| request.agent == "ada@t" && request.body.is_null()));
    assert_eq!(server.prefix_breaks().len(), 1, "a prompt that changed is noticed");
}

#[tokio::test]
async fn requests_are_given_one_by_one_and_a_dropped_server_is_gone() {
    let server = ScriptServer::start(Script::new()).await.unwrap();
    ask(&server, &go("ada@t", false)).await;
    ask(&server, &go("bob@t", false)).await;
    assert_eq!(server.next_request().await.unwrap().agent, "ada@t");
    assert_eq!(server.next_request().await.unwrap().agent, "bob@t");
    assert_eq!(server.wait_for(2).await.unwrap().len(), server.request_count());
    let address = server.base_url().replace("http://", "");
    let mut open = TcpStream::connect(&address).await.unwrap();
    drop(server);
    assert_eq!(open.read(&mut [0; 1]).await.unwrap_or(0), 0, "the connection is closed");
}
