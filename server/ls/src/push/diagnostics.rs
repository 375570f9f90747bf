//! Marks the lines that pending edits would change, as long as they are pending and wherever they move.

use std::collections::HashMap;
use std::sync::Arc;

use swarm_leader::Leader;

use crate::ingress::proxy::Proxy;
use crate::lsp::types::notification::PublishDiagnostics;
use crate::lsp::types::{Diagnostic, PublishDiagnosticsParams, Url};
use crate::pending::{self, Basis};
use crate::session::Session;

/// Publishes after each change of the pending edits or of their documents, until the leader ends.
pub(super) async fn follow(session: Arc<Session>) {
    let Ok(leader) = session.leader() else { return };
    let mut snapshots = leader.watch();
    let mut documents = session.documents.watch();
    let mut published = Published::default();
    loop {
        published.update(&session, leader);
        tokio::select! {
            changed = snapshots.changed() => if changed.is_err() { return },
            changed = documents.changed() => if changed.is_err() { return },
        }
    }
}

/// What the client was last told.
#[derive(Default)]
struct Published {
    basis: Vec<Basis>,
    by_document: HashMap<Url, Vec<Diagnostic>>,
}

impl Published {
    fn update(&mut self, session: &Session, leader: &Leader) {
        let snapshot = leader.snapshot();
        // Typing elsewhere costs no diff.
        let basis = pending::basis(&snapshot, &session.documents);
        if basis == self.basis {
            return;
        }
        self.basis = basis;
        let mut now: HashMap<Url, Vec<Diagnostic>> = HashMap::new();
        for mark in pending::marks(&snapshot, &session.documents) {
            now.entry(mark.uri.clone()).or_default().extend(mark.diagnostics());
        }
        for uri in self.by_document.keys().filter(|uri| !now.contains_key(uri)) {
            publish(&session.proxy, uri, Vec::new());
        }
        for (uri, diagnostics) in &now {
            if self.by_document.get(uri) != Some(diagnostics) {
                publish(&session.proxy, uri, diagnostics.clone());
            }
        }
        self.by_document = now;
    }
}

fn publish(proxy: &Proxy, uri: &Url, diagnostics: Vec<Diagnostic>) {
    let params = PublishDiagnosticsParams::new(uri.clone(), diagnostics, None);
    proxy.notify_latest::<PublishDiagnostics>(uri.as_str(), params);
}
