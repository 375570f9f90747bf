//! A page of the web is fetched with the user's word for its host, and comes as text.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;

use serde_json::json;
use swarm_tests::Caps;
use swarm_tests::script::{Script, call, reply, say};

use crate::{asked, played, prompt};

/// Serves these answers, one a connection, by the path that is asked for.
fn site(answers: Vec<(&'static str, String)>) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            let mut request = [0; 4096];
            let length = stream.read(&mut request).unwrap_or(0);
            let request = String::from_utf8_lossy(&request[..length]).into_owned();
            let path = request.split(' ').nth(1).unwrap_or_default();
            let answer = answers.iter().find(|(known, _)| *known == path).map(|(_, answer)| answer.as_str());
            let answer = answer.unwrap_or(
                "HTTP/1.1 404 Not Found\r\ncontent-type: text/plain\r\nconnection: close\r\n\r\nnone",
            );
            // Whoever asked may be gone.
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    port
}

fn page(kind: &str, body: &str) -> String {
    format!(
        "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    )
}

#[test]
fn a_page_is_asked_about_by_its_host_and_comes_as_text() {
    let elsewhere = "HTTP/1.1 302 Found\r\nlocation: https://example.invalid/secret\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
    let port = site(vec![
        (
            "/",
            page("text/html; charset=utf-8", "<h1>Herons</h1><p>They <b>wade</b>.</p><script>no()</script>"),
        ),
        ("/long", page("text/plain", &"heron\n".repeat(10_000))),
        ("/away", elsewhere.to_owned()),
        ("/picture", page("image/png", "x")),
    ]);
    let fetch =
        |path: &str| reply([call("WebFetch", json!({ "url": format!("http://127.0.0.1:{port}{path}") }))]);
    let script = Script::new().agent(
        "team-lead",
        [
            fetch("/"),
            fetch("/long").expect("# Herons\n\nThey **wade**."),
            fetch("/away").expect("for the whole …]"),
            fetch("/picture")
                .expect("redirects to https://example.invalid/secret. Fetch that if you want it."),
            fetch("/none").expect("is image/png of 1 bytes, which is no text"),
            reply([call("WebFetch", json!({ "url": "http://2130706433/" }))]).expect("answered 404"),
            reply([call("WebFetch", json!({ "url": "file:///etc/passwd" }))])
                .expect("leads to an address that is not public"),
            reply([say("Done.")]).expect("is no address of the web"),
        ],
    );
    let (_model, world) = played(script);
    let mut editor = world.editor(Caps::rich());
    prompt(&mut editor, "Look it up.");
    let request = asked(&mut editor);
    assert_eq!((&request["toolName"], &request["level"]), (&json!("WebFetch"), &json!("leavesMachine")));
    assert!(request["description"].as_str().unwrap().ends_with(", on this machine"), "{request}");
    let rule = &request["permissionSuggestions"][0];
    assert_eq!(rule["rules"], json!(["WebFetch(127.0.0.1)"]));
    let always = json!({ "ids": [request["id"]], "decision": "allow", "remember": rule });
    editor.request("swarm/permission/resolve", always);
    // The same host is not asked about again; another one is.
    let other = asked(&mut editor);
    assert_eq!(other["input"]["url"], "http://2130706433/");
    editor.request("swarm/permission/resolve", json!({ "ids": [other["id"]], "decision": "allow" }));
    let ended = editor.await_event("turnEnded");
    assert_eq!(ended["event"]["reason"], "completed", "{ended}");
}
