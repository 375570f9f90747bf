//! One page of the web, fetched within bounds. Redirects are the caller's to follow: they can lead to another host.
//!
//! It is here because this crate alone has an HTTP client.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use reqwest::Url;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{CONTENT_TYPE, LOCATION};

use crate::error::Error;
use crate::transport;

/// What a server answered.
#[derive(Debug, Clone)]
pub struct Page {
    pub status: u16,
    /// Without parameters, in lower case.
    pub content_type: Option<String>,
    /// Where the server sends the reader, made absolute.
    pub redirect: Option<String>,
    pub body: Bytes,
    /// The body was longer than asked for.
    pub cut: bool,
}

/// What bounds a fetch.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    pub max_bytes: usize,
    /// From the first packet to the last.
    pub timeout: Duration,
    /// Which addresses a name may lead to.
    pub may_reach: fn(IpAddr) -> bool,
}

/// Why there is no page.
#[derive(Debug, thiserror::Error)]
pub enum PageError {
    #[error("`{url}` is no address of the web: {reason}")]
    BadUrl { url: String, reason: String },
    #[error("the name {0} leads to an address that is not public")]
    NotPublic(String),
    #[error("it took longer than {} s", .0.as_secs())]
    TooSlow(Duration),
    #[error("{0}")]
    Failed(String),
}

/// Fetches `url` with a plain GET, without cookies and without a key.
pub async fn fetch(url: &str, bounds: Bounds) -> Result<Page, PageError> {
    let bad = |reason: String| PageError::BadUrl { url: url.to_owned(), reason };
    let parsed = Url::parse(url).map_err(|error| bad(error.to_string()))?;
    let host = parsed.host_str().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
    // An address, however it was written (`http://2130706433/`), is not looked up.
    if host.parse::<IpAddr>().is_ok_and(|address| !(bounds.may_reach)(address)) {
        return Err(PageError::NotPublic(host.to_owned()));
    }
    let built = tokio::task::spawn_blocking(move || {
        transport::build_for_pages(Arc::new(Checked { may_reach: bounds.may_reach }))
    });
    let http =
        built.await.map_err(|lost| PageError::Failed(lost.to_string()))?.map_err(|error| match error {
            Error::Setup { reason } => PageError::Failed(reason),
            other => PageError::Failed(other.to_string()),
        })?;
    match tokio::time::timeout(bounds.timeout, get(&http, parsed, bounds.max_bytes)).await {
        Ok(page) => page,
        Err(_) => Err(PageError::TooSlow(bounds.timeout)),
    }
}

async fn get(http: &reqwest::Client, url: Url, max_bytes: usize) -> Result<Page, PageError> {
    let failed = |error: reqwest::Error| match refused_name(&error) {
        Some(name) => PageError::NotPublic(name),
        None => PageError::Failed(transport::root_cause(&error)),
    };
    let mut response = http.get(url.clone()).send().await.map_err(failed)?;
    let header = |name| response.headers().get(name).and_then(|value| value.to_str().ok());
    let content_type = header(CONTENT_TYPE).and_then(|value| value.split(';').next());
    let content_type = content_type.map(|value| value.trim().to_ascii_lowercase());
    let redirect = header(LOCATION).filter(|_| response.status().is_redirection());
    let redirect = redirect.and_then(|target| url.join(target).ok()).map(|target| target.to_string());
    let status = response.status().as_u16();
    let (mut body, mut cut) = (BytesMut::new(), false);
    while let Some(chunk) = response.chunk().await.map_err(failed)? {
        let room = max_bytes - body.len();
        body.extend_from_slice(chunk.get(..room.min(chunk.len())).unwrap_or_default());
        if chunk.len() > room {
            cut = true;
            break;
        }
    }
    Ok(Page { status, content_type, redirect, body: body.freeze(), cut })
}

/// Looks names up, and refuses those that lead where they may not.
struct Checked {
    may_reach: fn(IpAddr) -> bool,
}

/// A name that leads where it may not.
#[derive(Debug, thiserror::Error)]
#[error("the name {0} leads to an address that is not public")]
struct Refused(String);

impl Resolve for Checked {
    fn resolve(&self, name: Name) -> Resolving {
        let may_reach = self.may_reach;
        Box::pin(async move {
            let found: Vec<SocketAddr> = tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
            // One bad address is enough: whoever answers so could answer with it alone the next time.
            if found.iter().any(|address| !may_reach(address.ip())) {
                return Err(Box::new(Refused(name.as_str().to_owned())) as _);
            }
            Ok(Box::new(found.into_iter()) as Addrs)
        })
    }
}

fn refused_name(error: &reqwest::Error) -> Option<String> {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(error) = cause {
        if let Some(Refused(name)) = error.downcast_ref() {
            return Some(name.clone());
        }
        cause = error.source();
    }
    None
}
