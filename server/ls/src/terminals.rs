//! The client's terminals, as teammates run in them: opened and closed by requests to it, gone when it says so.

use std::collections::HashMap;

use async_trait::async_trait;
use swarm_leader::Terminals;
use swarm_wire::lsp::{TerminalOpenParams, TerminalParams};
use tokio::sync::watch;

use crate::ingress::proxy::Proxy;
use crate::lsp::requests;
use crate::lsp::types::request::Request;

/// The terminals that were opened in this connection.
pub(crate) struct ClientTerminals {
    proxy: Proxy,
    /// Those that are gone and whose end nobody waited for yet, with their exit codes.
    gone: watch::Sender<HashMap<String, Option<i32>>>,
}

requests! {
    Open: "swarm/terminal/open", TerminalOpenParams => TerminalParams;
    Close: "swarm/terminal/close", TerminalParams => ();
    Show: "swarm/terminal/show", TerminalParams => ();
    Hide: "swarm/terminal/hide", TerminalParams => ();
}

impl ClientTerminals {
    pub(crate) fn new(proxy: Proxy) -> Self {
        Self { proxy, gone: watch::Sender::new(HashMap::new()) }
    }

    /// Takes the client's word that a terminal is gone.
    pub(crate) fn gone(&self, id: &str, exit_code: Option<i32>) {
        self.gone.send_modify(|gone| _ = gone.insert(id.to_owned(), exit_code));
    }

    async fn ask<R: Request<Params = TerminalParams, Result = ()>>(&self, id: &str) -> Result<(), String> {
        let params = TerminalParams { terminal_id: id.to_owned() };
        self.proxy.request::<R>(params).await.map_err(|error| error.to_string())
    }
}

/// Closes a terminal that came of a request whose asker is gone.
struct Asked {
    proxy: Proxy,
    opening: Option<tokio::task::JoinHandle<Result<String, String>>>,
}

impl Drop for Asked {
    fn drop(&mut self) {
        let (Some(opening), proxy) = (self.opening.take(), self.proxy.clone()) else { return };
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                if let Ok(Ok(terminal_id)) = opening.await {
                    // The client may be gone, and its terminals with it.
                    let _ = proxy.request::<Close>(TerminalParams { terminal_id }).await;
                }
            });
        }
    }
}

#[async_trait]
impl Terminals for ClientTerminals {
    async fn open(&self, params: TerminalOpenParams) -> Result<String, String> {
        let proxy = self.proxy.clone();
        let opening = tokio::spawn(async move {
            let opened = proxy.request::<Open>(params).await;
            opened.map(|terminal| terminal.terminal_id).map_err(|error| error.to_string())
        });
        let mut asked = Asked { proxy: self.proxy.clone(), opening: Some(opening) };
        let opened = match &mut asked.opening {
            Some(opening) => opening.await.map_err(|lost| lost.to_string()),
            None => return Err("the request was lost".to_owned()),
        };
        asked.opening = None;
        opened?
    }

    async fn closed(&self, id: &str) -> Option<i32> {
        let mut gone = self.gone.subscribe();
        // Nobody drops the sender before the session ends, and with it all who wait here.
        let _ = gone.wait_for(|gone| gone.contains_key(id)).await;
        gone.borrow().get(id).copied().flatten()
    }

    async fn close(&self, id: &str) -> Result<(), String> {
        if self.gone.borrow().contains_key(id) {
            return Ok(());
        }
        self.ask::<Close>(id).await
    }

    async fn show(&self, id: &str) -> Result<(), String> {
        self.ask::<Show>(id).await
    }

    async fn hide(&self, id: &str) -> Result<(), String> {
        self.ask::<Hide>(id).await
    }
}
