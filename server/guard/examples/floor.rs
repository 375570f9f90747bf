//! The least that turns with `COUNT` calls can cost: the same requests to a model server over one connection a member,
//! and the same walls around each command, or the same file read, in a bare loop with nothing between.
//!
//!     floor HOST:PORT COUNT SWARM_LS [MEMBERS [FILE]]
//!
//! `tests/bench/run` holds `swarm-ls` against it.

use std::error::Error;
use std::path::PathBuf;

use serde_json::{Value, json};
use swarm_guard::exec::{Command, Environment, Exit, Helper, Network, Policy, spawn};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::task::{JoinSet, LocalSet};

/// What ends a body in chunks.
const LAST_CHUNK: &[u8] = b"\r\n0\r\n\r\n";

/// What each member does, and how often.
#[derive(Clone)]
struct Work {
    place: String,
    count: usize,
    helper: PathBuf,
    policy: Policy,
    /// Read in place of a command.
    file: Option<PathBuf>,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(place), Some(count), Some(helper)) = (arguments.next(), arguments.next(), arguments.next())
    else {
        return Err("usage: floor HOST:PORT COUNT SWARM_LS [MEMBERS [FILE]]".into());
    };
    let count: usize = count.parse()?;
    let members: usize = arguments.next().map_or(Ok(1), |members| members.parse())?;
    let folder = tempfile::tempdir()?;
    let (home, workspace) = (folder.path().join("home"), folder.path().join("home/work"));
    std::fs::create_dir_all(&workspace)?;
    let policy = Policy { network: Network::Proxy, ..Policy::for_workspace(&workspace, &home)? };
    let file = arguments.next().map(PathBuf::from);
    let work = Work { place, count, helper: PathBuf::from(helper), policy, file };
    let here = LocalSet::new();
    let mut all = JoinSet::new();
    for number in 0..members {
        all.spawn_local_on(member(work.clone(), number), &here);
    }
    here.run_until(async {
        while let Some(done) = all.join_next().await {
            done??;
        }
        Ok(())
    })
    .await
}

/// One member's turn.
async fn member(work: Work, number: usize) -> Result<(), Box<dyn Error>> {
    let mut stream = TcpStream::connect(&work.place).await?;
    stream.set_nodelay(true)?;
    let mut messages = vec![json!({"role": "user", "content": "Begin."})];
    for call in 0..work.count {
        ask(&mut stream, &work.place, number, &messages).await?;
        let result = match &work.file {
            Some(file) => tokio::fs::read_to_string(file).await?,
            None => confined(&work, call).await?,
        };
        let id = format!("toolu_{call}");
        messages.push(json!({"role": "assistant", "content":
            [{"type": "tool_use", "id": id, "name": "Bash", "input": {"command": "true"}}]}));
        messages.push(json!({"role": "user", "content":
            [{"type": "tool_result", "tool_use_id": id, "content": result}]}));
    }
    ask(&mut stream, &work.place, number, &messages).await
}

async fn confined(work: &Work, call: usize) -> Result<String, Box<dyn Error>> {
    let command = Command {
        env: Environment::default().with("PATH", "/usr/bin:/bin"),
        helper: Helper::At(work.helper.clone()),
        ..Command::bash("true", work.policy.clone())
    };
    match spawn(command).await?.wait().await?.exit {
        Exit::Code(0) => Ok("done".to_owned()),
        exit => Err(format!("call {call} ended with {exit:?}").into()),
    }
}

/// One request, and its whole answer.
async fn ask(
    stream: &mut TcpStream,
    place: &str,
    number: usize,
    messages: &[Value],
) -> Result<(), Box<dyn Error>> {
    let body = json!({
        "model": "m", "max_tokens": 100, "stream": true, "messages": messages,
        "system": format!("Your agent id is m{number}@bench."),
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
