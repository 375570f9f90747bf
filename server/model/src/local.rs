//! Model servers that people run on their own machine: whether one answers, and which models it has. Sends no key.

use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// How long a server on this machine may take to answer.
const NEAR: Duration = Duration::from_millis(500);
/// The longest answer that is read, in bytes.
const ANSWER_MAX: u64 = 1 << 20;

/// Where a model server of this machine's own would answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalServer {
    /// What people call it.
    pub name: &'static str,
    /// Host and port.
    pub place: String,
}

/// The models that a server at `place`, host and port, offers by the list that Chat Completions servers have; `None`
/// where none answers within half a second.
pub async fn models(place: &str) -> Option<Vec<String>> {
    let answer = timeout(NEAR, get(place, "/v1/models")).await.ok()?.ok()?;
    let (head, body) = answer.split_once("\r\n\r\n")?;
    if head.split_whitespace().nth(1) != Some("200") {
        return None;
    }
    let list: Value = serde_json::from_str(body).ok()?;
    let models = list.get("data")?.as_array()?;
    Some(models.iter().filter_map(|model| Some(model.get("id")?.as_str()?.to_owned())).collect())
}

/// One request over HTTP/1.0, whose answer ends with the connection.
async fn get(place: &str, path: &str) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(place).await?;
    stream.write_all(format!("GET {path} HTTP/1.0\r\nHost: {place}\r\n\r\n").as_bytes()).await?;
    let mut answer = Vec::new();
    stream.take(ANSWER_MAX).read_to_end(&mut answer).await?;
    String::from_utf8(answer).map_err(std::io::Error::other)
}
