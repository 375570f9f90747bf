//! What the client's other language servers know of the code, asked through the client.

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::time::Duration;

use swarm_wire::lsp::{
    EditorDiagnosticsParams, EditorDiagnosticsResult, EditorLookUpParams, EditorLookUpResult, Spot,
};
use swarm_wire::process::{CodePlace, Finding, LookUp};
use tokio::time::timeout;

use super::{canonical, uri_of};
use crate::ingress::proxy::Proxy;
use crate::lsp::requests;
use crate::lsp::types::Url;
use crate::lsp::types::request::Request;

/// The source of our own diagnostics, which say nothing of the code.
const OURS: &str = "swarm";

requests! {
    Diagnostics: "swarm/editor/diagnostics", EditorDiagnosticsParams => EditorDiagnosticsResult;
    Definition: "swarm/editor/definition", EditorLookUpParams => EditorLookUpResult;
    References: "swarm/editor/references", EditorLookUpParams => EditorLookUpResult;
}

/// What is found in one file, or in all. The error is for the model.
pub(super) async fn diagnostics(
    proxy: &Proxy,
    patience: Duration,
    path: Option<&Path>,
) -> Result<Vec<Finding>, String> {
    let uri = path.map(name).transpose()?;
    let found = ask::<Diagnostics>(proxy, patience, EditorDiagnosticsParams { uri }).await?;
    let ours = |source: &Option<String>| source.as_deref() == Some(OURS);
    let foreign = found.diagnostics.into_iter().filter(|found| !ours(&found.source));
    let finding = foreign.filter_map(|found| {
        let place = CodePlace { path: file(&found.uri)?, at: found.start };
        Some(Finding { place, severity: found.severity, message: found.message, source: found.source })
    });
    Ok(finding.collect())
}

/// Where a name leads. The error is for the model.
pub(super) async fn look_up(
    proxy: &Proxy,
    patience: Duration,
    what: LookUp,
    path: &Path,
    at: Spot,
) -> Result<Vec<CodePlace>, String> {
    let params = EditorLookUpParams { uri: name(path)?, position: at };
    let found = match what {
        LookUp::Definition => ask::<Definition>(proxy, patience, params).await?,
        LookUp::References => ask::<References>(proxy, patience, params).await?,
    };
    let place = |uri: &str, at| file(uri).map(|path| CodePlace { path, at });
    Ok(found.locations.iter().filter_map(|location| place(&location.uri, location.start)).collect())
}

async fn ask<R: Request>(proxy: &Proxy, patience: Duration, params: R::Params) -> Result<R::Result, String>
where
    R::Result: Send,
{
    let failed = |error: &dyn Display| format!("The editor could not say: {error}.");
    match timeout(patience, proxy.request::<R>(params)).await {
        Ok(answer) => answer.map_err(|error| failed(&error)),
        Err(_) => Err(failed(&format!("it did not answer within {} s", patience.as_secs()))),
    }
}

fn name(path: &Path) -> Result<String, String> {
    let uri = uri_of(path).ok_or_else(|| format!("{} cannot be named to an editor.", path.display()))?;
    Ok(uri.to_string())
}

/// The file that a client names; what is no file of this machine cannot be read, so it is left out.
fn file(uri: &str) -> Option<PathBuf> {
    let path = Url::parse(uri).ok()?.to_file_path().ok()?;
    Some(canonical(&path))
}
