//! Whether the provider's address takes connections. Sends no key.

use std::time::Duration;

use tokio::net::TcpStream;
use tokio::time::timeout;
use tower_lsp::lsp_types::Url;

/// How long a provider may take to take a connection.
const FAR: Duration = Duration::from_secs(3);

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
