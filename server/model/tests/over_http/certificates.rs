//! TLS: a server whose certificate nobody vouches for gets neither the request nor a second attempt.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use swarm_model::{Client, Error, Format};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use crate::{complete, config, request, restarts};

in_each_format! {
    an_untrusted_certificate_is_told_and_not_tried_again
}

async fn an_untrusted_certificate_is_told_and_not_tried_again(format: Format) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base_url = format!("https://localhost:{}", listener.local_addr().unwrap().port());
    let acceptor = self_signed();
    let connections = AtomicUsize::new(0);
    let serve = async {
        loop {
            let (socket, _) = listener.accept().await.unwrap();
            connections.fetch_add(1, Ordering::SeqCst);
            assert!(acceptor.accept(socket).await.is_err(), "the client turns away");
        }
    };
    let client = Client::new(config(format, base_url));
    let request = request();
    let (outcome, deltas) = tokio::select! {
        outcome = complete(&client, &request) => outcome,
        () = serve => unreachable!("the server has no end"),
    };
    let error = outcome.unwrap_err().error;
    assert!(matches!(error, Error::Certificate { .. }), "{error:?}");
    assert!(error.to_string().contains("SSL_CERT_FILE"), "{error}");
    assert_eq!((restarts(&deltas), connections.into_inner()), (0, 1));
}

fn self_signed() -> TlsAcceptor {
    let own = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let key = rustls::pki_types::PrivateKeyDer::Pkcs8(own.signing_key.serialize_der().into());
    let config =
        rustls::ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![own.cert.der().clone()], key)
            .unwrap();
    TlsAcceptor::from(Arc::new(config))
}
