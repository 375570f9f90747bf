//! The least that a turn with `COUNT` confined commands can cost: the same requests to a model server over one
//! connection, and the same walls around each command, in a bare loop with nothing between.
//!
//!     floor HOST:PORT COUNT SWARM_LS
//!
//! `tests/bench/run` holds `swarm-ls run` against it.

use std::error::Error;
use std::path::PathBuf;

use serde_json::{Value, json};
use swarm_guard::exec::{Command, Environment, Exit, Helper, Network, Policy, spawn};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// What ends a body in chunks.
const LAST_CHUNK: &[u8] = b"\r\n0\r\n\r\n";

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(place), Some(count), Some(helper)) = (arguments.next(), arguments.next(), arguments.next())
    else {
        return Err("usage: floor HOST:PORT COUNT SWARM_LS".into());
    };
    let count: usize = count.parse()?;
    let folder = tempfile::tempdir()?;
    let (home, work) = (folder.path().join("home"), folder.path().join("home/work"));
    std::fs::create_dir_all(&work)?;
    let policy = Policy { network: Network::Proxy, ..Policy::for_workspace(&work, &home)? };
    let mut stream = TcpStream::connect(&place).await?;
    stream.set_nodelay(true)?;
    let mut messages = vec![json!({"role": "user", "content": "Begin."})];
    for call in 0..count {
        ask(&mut stream, &place, &messages).await?;
        let command = Command {
            env: Environment::default().with("PATH", "/usr/bin:/bin"),
            helper: Helper::At(PathBuf::from(&helper)),
            ..Command::bash("true", policy.clone())
        };
        let exit = spawn(command).await?.wait().await?.exit;
        if exit != Exit::Code(0) {
            return Err(format!("call {call} ended with {exit:?}").into());
        }
        let id = format!("toolu_{call}");
        messages.push(json!({"role": "assistant", "content":
            [{"type": "tool_use", "id": id, "name": "Bash", "input": {"command": "true"}}]}));
        messages.push(json!({"role": "user", "content":
            [{"type": "tool_result", "tool_use_id": id, "content": "done"}]}));
    }
    ask(&mut stream, &place, &messages).await
}

/// One request, and its whole answer.
async fn ask(stream: &mut TcpStream, place: &str, messages: &[Value]) -> Result<(), Box<dyn Error>> {
    let body = json!({
        "model": "m", "max_tokens": 100, "stream": true, "messages": messages,
        "system": "Your agent id is floor@bench.",
        "tools": [{"name": "Bash", "description": "Runs.", "input_schema": {"type": "object"}}],
    })
    .to_string();
    let head = format!(
        "POST /v1/messages HTTP/1.1\r\nhost: {place}\r\nx-api-key: none\r\nanthropic-version: 2023-06-01\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all((head + &body).as_bytes()).await?;
    let mut answer = Vec::new();
    while !answer.ends_with(LAST_CHUNK) {
        if stream.read_buf(&mut answer).await? == 0 {
            return Err("the model server ended the connection".into());
        }
        if answer.len() > 12 && !answer.starts_with(b"HTTP/1.1 200") {
            return Err(String::from_utf8_lossy(&answer).into());
        }
    }
    Ok(())
}
