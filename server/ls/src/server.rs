//! The method table: one line a method. Everything else about a method is in its handler's file.

use std::sync::Arc;

use futures::future::BoxFuture;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::error::{Problem, parse};
use crate::handlers;
use crate::ingress::proxy::Outbound;
use crate::ingress::service::Ingress;
use crate::lsp::types::{
    CodeActionParams, CodeActionResponse, CodeLens, CodeLensParams, DidChangeConfigurationParams,
    ExecuteCommandParams, InitializeParams, InitializeResult, InitializedParams,
};
use crate::lsp::{LanguageServer, LspService, LspServiceBuilder, RpcError, RpcResult};
use crate::push;
use crate::session::Session;

/// What tower-lsp routes to.
pub(crate) struct Front {
    session: Arc<Session>,
}

macro_rules! methods {
    ($($name:literal => $handler:path),+ $(,)?) => {
        /// The requests of ours that clients may send.
        #[cfg(test)]
        const METHODS: &[&str] = &[$($name),+];

        fn register(builder: LspServiceBuilder<Front>) -> LspServiceBuilder<Front> {
            builder
                $(.custom_method($name, route($handler)))+
                .custom_method("swarm/terminal/closed", heard(handlers::terminal::closed))
                .custom_method("window/workDoneProgress/cancel", heard(push::progress::cancel))
        }
    };
}

methods! {
    "swarm/state" => handlers::state::state,
    "swarm/prompt" => handlers::prompt::prompt,
    "swarm/interrupt" => handlers::interrupt::interrupt,
    "swarm/transcript" => handlers::transcript::transcript,
    "swarm/message" => handlers::message::message,
    "swarm/team/create" => handlers::team::create,
    "swarm/team/delete" => handlers::team::delete,
    "swarm/teammate/spawn" => handlers::teammate::spawn,
    "swarm/teammate/stop" => handlers::teammate::stop,
    "swarm/teammate/restart" => handlers::teammate::restart,
    "swarm/teammate/show" => handlers::teammate::show,
    "swarm/teammate/hide" => handlers::teammate::hide,
    "swarm/teammate/setModes" => handlers::teammate::set_modes,
    "swarm/conversation/new" => handlers::conversation::new,
    "swarm/conversation/clear" => handlers::conversation::clear,
    "swarm/conversation/list" => handlers::conversation::list,
    "swarm/conversation/open" => handlers::conversation::open,
    "swarm/conversation/rename" => handlers::conversation::rename,
    "swarm/conversation/compact" => handlers::conversation::compact,
    "swarm/plan/list" => handlers::plan::list,
    "swarm/plan/resolve" => handlers::plan::resolve,
    "swarm/checkpoint/list" => handlers::checkpoint::list,
    "swarm/checkpoint/restore" => handlers::checkpoint::restore,
    "swarm/member/configure" => handlers::member::configure,
    "swarm/task/list" => handlers::task::list,
    "swarm/task/create" => handlers::task::create,
    "swarm/task/update" => handlers::task::update,
    "swarm/permission/list" => handlers::permission::list,
    "swarm/permission/resolve" => handlers::permission::resolve,
}

#[crate::lsp::async_trait]
impl LanguageServer for Front {
    async fn initialize(&self, params: InitializeParams) -> RpcResult<InitializeResult> {
        Ok(handlers::initialize::initialize(&self.session, params))
    }

    async fn initialized(&self, _: InitializedParams) {
        handlers::configuration::pull(&self.session);
    }

    async fn did_change_configuration(&self, params: DidChangeConfigurationParams) {
        handlers::configuration::changed(&self.session, params.settings).await;
    }

    async fn code_action(&self, params: CodeActionParams) -> RpcResult<Option<CodeActionResponse>> {
        Ok(Some(handlers::code_action::code_action(&self.session, &params)?))
    }

    async fn code_lens(&self, params: CodeLensParams) -> RpcResult<Option<Vec<CodeLens>>> {
        Ok(handlers::code_lens::code_lens(&self.session, &params)?)
    }

    async fn execute_command(&self, params: ExecuteCommandParams) -> RpcResult<Option<Value>> {
        Ok(Some(handlers::execute_command::execute_command(self.session.clone(), params).await?))
    }

    async fn shutdown(&self) -> RpcResult<()> {
        // The team ends with `exit`, which does not come before this is answered.
        Ok(())
    }
}

/// The service for one connection, and the session that its handlers share.
pub(crate) fn service(session: Arc<Session>) -> (Ingress<LspService<Front>>, Outbound) {
    let front = session.clone();
    // The library's own way to the client is left unused; `Outbound` is ours.
    let (router, _) = register(LspService::build(move |_| Front { session: front })).finish();
    let outbound = session.proxy.loopback();
    (Ingress::new(router, session), outbound)
}

type Handled = BoxFuture<'static, RpcResult<Value>>;

/// Makes a handler of a notification one that tower-lsp can route to.
fn heard<P, F, Fut>(
    handler: F,
) -> impl Fn(&Front, Value) -> BoxFuture<'static, ()> + Clone + Send + Sync + 'static
where
    P: DeserializeOwned + Send + 'static,
    F: Fn(Arc<Session>, P) -> Fut + Clone + Send + Sync + 'static,
    Fut: Future<Output = Result<(), Problem>> + Send + 'static,
{
    move |front: &Front, params: Value| {
        let (session, handler) = (front.session.clone(), handler.clone());
        Box::pin(async move {
            let handled = async { handler(session, parse(params)?).await };
            if let Err(problem) = handled.await {
                tracing::warn!(%problem, "a notification was ignored");
            }
        })
    }
}

/// Makes a handler of typed params and result one that tower-lsp can route to.
fn route<P, R, F, Fut>(handler: F) -> impl Fn(&Front, Value) -> Handled + Clone + Send + Sync + 'static
where
    P: DeserializeOwned + Send + 'static,
    R: Serialize,
    F: Fn(Arc<Session>, P) -> Fut + Clone + Send + Sync + 'static,
    Fut: Future<Output = Result<R, Problem>> + Send + 'static,
{
    move |front: &Front, params: Value| {
        let (session, handler) = (front.session.clone(), handler.clone());
        Box::pin(async move {
            let result = handler(session, parse(params)?).await?;
            serde_json::to_value(result).map_err(|error| RpcError::from(Problem::failed(error.to_string())))
        })
    }
}

#[cfg(test)]
mod tests;
