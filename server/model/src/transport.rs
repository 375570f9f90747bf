//! The HTTP client: TLS, proxies, no redirects. Knows no provider.

use std::net::IpAddr;
use std::sync::Arc;

use reqwest::{Url, redirect};
use rustls_platform_verifier::BuilderVerifierExt as _;

use crate::config::Config;
use crate::error::Error;

/// Reads the system's certificates when `base` is https, which takes tens of milliseconds: not for an async
/// thread.
pub(crate) fn build(config: &Config, base: &Url) -> Result<reqwest::Client, Error> {
    let setup = |reason: String| Error::Setup { reason };
    let tls = tls(base.scheme() == "https").map_err(|error| setup(error.to_string()))?;
    let mut builder = reqwest::Client::builder()
        .tls_backend_preconfigured(tls)
        .connect_timeout(config.connect_timeout)
        // A redirect could carry the key to another host.
        .redirect(redirect::Policy::none())
        .user_agent(concat!("swarm-ls/", env!("CARGO_PKG_VERSION")));
    if is_loopback(base) {
        builder = builder.no_proxy();
    }
    builder.build().map_err(|error| setup(root_cause(&error)))
}

/// A client for pages of the web, which finds names by `resolver`. Reads the system's certificates.
pub(crate) fn build_for_pages(resolver: Arc<dyn reqwest::dns::Resolve>) -> Result<reqwest::Client, Error> {
    let setup = |reason: String| Error::Setup { reason };
    let tls = tls(true).map_err(|error| setup(error.to_string()))?;
    reqwest::Client::builder()
        .tls_backend_preconfigured(tls)
        .redirect(redirect::Policy::none())
        .user_agent(concat!("swarm-ls/", env!("CARGO_PKG_VERSION")))
        .dns_resolver(resolver)
        .build()
        .map_err(|error| setup(root_cause(&error)))
}

/// The innermost reason of an error of the HTTP client, whose outer ones name the address again.
pub(crate) fn root_cause(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    // Only an error without a cause still speaks of the address, which may hold a password.
    if std::error::Error::source(error).is_some() {
        return cause.to_string();
    }
    let kind = if error.is_timeout() { "it took too long" } else { "the HTTP exchange failed" };
    kind.to_owned()
}

/// Whether the server was reached and its certificate refused, which no further attempt mends.
pub(crate) fn is_bad_certificate(error: &reqwest::Error) -> bool {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(error) = cause {
        if matches!(error.downcast_ref(), Some(rustls::Error::InvalidCertificate(_))) {
            return true;
        }
        // An I/O error shows what it holds, but does not name it as its source.
        let held = error.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref);
        cause = held.map(|held| held as _).or_else(|| error.source());
    }
    false
}

/// The provider of the cryptography is named here rather than installed for the process, which isn't ours.
fn tls(with_system_certificates: bool) -> Result<rustls::ClientConfig, rustls::Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder =
        rustls::ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    let mut config = if with_system_certificates {
        builder.with_platform_verifier()?.with_no_client_auth()
    } else {
        builder.with_root_certificates(rustls::RootCertStore::empty()).with_no_client_auth()
    };
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}

fn is_loopback(base: &Url) -> bool {
    let host = base.host_str().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}
