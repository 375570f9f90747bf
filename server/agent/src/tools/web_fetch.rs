//! WebFetch: a page of the web as text. Its host is what is asked about, so a redirect to another one is not followed.

use std::time::Duration;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use swarm_guard::proxy::{Reach, Target};
use swarm_guard::{Effect, Granted};
use swarm_model::page::{self, Page};

use super::ToolContext;
use super::tool::{Preview, Tool, ToolError};

const TIMEOUT: Duration = Duration::from_secs(30);
/// How much of a page is read, in bytes.
const PAGE_MAX: usize = 8 * 1024 * 1024;
/// Redirects within one host that are followed.
const REDIRECTS_MAX: usize = 5;
/// Columns that text of HTML is laid out in.
const WIDTH: usize = 120;

pub(super) struct WebFetch;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Input {
    /// With `https://` or `http://`.
    url: String,
}

pub(super) struct Plan {
    url: String,
    host: String,
    /// A name may not lead where it was not asked about.
    may_reach: fn(std::net::IpAddr) -> bool,
}

#[async_trait]
impl Tool for WebFetch {
    const NAME: &'static str = "WebFetch";
    const DESCRIPTION: &'static str = include_str!("web_fetch.md");
    type Input = Input;
    type Plan = Plan;

    async fn prepare(&self, input: Input, _context: &ToolContext) -> Result<(Preview, Plan), ToolError> {
        let url = input.url.trim().to_owned();
        let target = target_of(&url).ok_or_else(|| {
            ToolError::tell(format!(
                "`{url}` is no address of the web; one is written `https://example.com/page`."
            ))
        })?;
        let (place, may_reach): (&str, fn(std::net::IpAddr) -> bool) = match target.reach() {
            Reach::Public => ("", |address| Reach::of(address) == Reach::Public),
            Reach::Loopback => (", on this machine", |address| Reach::of(address) == Reach::Loopback),
            Reach::LinkLocal | Reach::Private => (", in the local network", |_| true),
        };
        let host = target.host().to_owned();
        let preview = Preview {
            effect: Effect::Leaves { hosts: vec![host.clone()] },
            description: format!("Fetch {url}{place}"),
            keys: vec![host.clone()],
            change: None,
        };
        Ok((preview, Plan { url, host, may_reach }))
    }

    async fn run(&self, call: Granted<Plan>, context: &ToolContext) -> Result<String, ToolError> {
        let Plan { mut url, host, may_reach } = call.into_inner();
        let bounds = page::Bounds { max_bytes: PAGE_MAX, timeout: TIMEOUT, may_reach };
        for _ in 0..=REDIRECTS_MAX {
            let fetched = tokio::select! {
                fetched = page::fetch(&url, bounds) => fetched,
                () = context.turn.cancelled() => return Err(ToolError::Aborted),
            };
            let page =
                fetched.map_err(|error| ToolError::tell(format!("{url} was not fetched: {error}.")))?;
            match &page.redirect {
                Some(next) if target_of(next).is_some_and(|target| target.host() == host) => {
                    url.clone_from(next);
                }
                Some(next) => return Ok(format!("[{url} redirects to {next}. Fetch that if you want it.]")),
                None => return shown(&url, page).await,
            }
        }
        Err(ToolError::tell(format!("{url} redirects again and again, so it was not fetched.")))
    }
}

/// The host and port that an address of the web leads to.
fn target_of(url: &str) -> Option<Target> {
    let (scheme, rest) = url.split_once("://")?;
    let default = match scheme.to_ascii_lowercase().as_str() {
        "https" => 443,
        "http" => 80,
        _ => return None,
    };
    let authority = rest.split(['/', '?', '#', '\\']).next()?;
    // A name before the host could pass for the host.
    if authority.contains('@') {
        return None;
    }
    let bare = authority.strip_suffix(':').unwrap_or(authority);
    bare.parse().ok().or_else(|| Target::new(bare, default))
}

async fn shown(url: &str, page: Page) -> Result<String, ToolError> {
    let kind = page.content_type.as_deref().unwrap_or("text/plain");
    let is_text = kind.starts_with("text/")
        || ["json", "xml", "javascript", "yaml", "toml", "x-sh"].iter().any(|part| kind.contains(part));
    if !is_text {
        return Err(ToolError::tell(format!(
            "{url} is {kind} of {} bytes, which is no text.",
            page.body.len()
        )));
    }
    let is_html = kind.contains("html");
    let body = page.body;
    let text = tokio::task::spawn_blocking(move || match is_html {
        true => html2text::from_read(body.as_ref(), WIDTH).unwrap_or_else(|_| plain(&body)),
        false => plain(&body),
    });
    let mut text = text.await.map_err(|lost| ToolError::tell(lost.to_string()))?;
    if page.cut {
        text.push_str("\n[… the page is longer than what is read …]");
    }
    if (200..300).contains(&page.status) {
        return Ok(text);
    }
    Err(ToolError::tell(format!("{url} answered {}.\n{text}", page.status)))
}

fn plain(body: &[u8]) -> String {
    String::from_utf8_lossy(body).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_that_is_asked_about_is_the_one_that_is_reached() {
        let target = |url: &str| target_of(url).map(|target| target.to_string());
        assert_eq!(target("https://Example.com/a?b#c").as_deref(), Some("example.com:443"));
        assert_eq!(target("http://example.com:8080").as_deref(), Some("example.com:8080"));
        assert_eq!(target("https://example.com\\@evil.example/").as_deref(), Some("example.com:443"));
        assert_eq!(target("http://[::1]/x").as_deref(), Some("::1:80"));
        for url in [
            "https://example.com@evil.example/",
            "file:///etc/passwd",
            "example.com",
            "https://",
            "https://a b/",
        ] {
            assert_eq!(target(url), None, "{url}");
        }
    }
}
