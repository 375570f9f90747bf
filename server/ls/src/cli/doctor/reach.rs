//! Who answers on the network: the provider's address, and model servers on this machine. Sends no key.

use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tower_lsp::lsp_types::Url;

/// How long a provider may take to take a connection.
const FAR: Duration = Duration::from_secs(3);
/// How long a server on this machine may take to answer.
const NEAR: Duration = Duration::from_millis(500);
/// The longest answer that is read, in bytes.
const ANSWER_MAX: u64 = 1 << 20;

/// Whether something takes connections where `base_url` says; else why not.
pub(super) async fn connects(base_url: &str) -> Result<String, String> {
    let url: Url = base_url.parse().map_err(|error| format!("`{base_url}` is no address: {error}"))?;
    let (Some(host), Some(port)) = (url.host_str(), url.port_or_known_default()) else {
        return Err(format!("`{base_url}` names no host"));
    };
    let place = format!("{host}:{port}");
    match timeout(FAR, TcpStream::connect(place.as_str())).await {
        Ok(Ok(_)) => Ok(place),
        Ok(Err(error)) => Err(format!("{place} cannot be reached: {error}")),
        Err(_) => Err(format!("{place} does not answer within {} s", FAR.as_secs())),
    }
}

/// The models that a server at `place` offers by the list that Chat Completions servers have; `None` where none
/// answers.
pub(super) async fn models(place: &str) -> Option<Vec<String>> {
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
