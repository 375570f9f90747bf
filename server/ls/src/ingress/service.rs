//! Wraps the library's router: document changes are applied here, in the order they came and before
//! anything else can run; `params: null` is no params; a handler that panics fails its own request only.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::task::{Context, Poll};

use futures::FutureExt;
use futures::future::{BoxFuture, ready};
use serde_json::{Value, json};
use tower_service::Service;

use crate::ingress::message;
use crate::lsp::{ErrorCode, ExitedError, Id, Request, Response, RpcError};
use crate::session::Session;
use crate::tasks::panic_words;

/// The service that tower-lsp's transport calls, one message after another.
pub(crate) struct Ingress<S> {
    inner: S,
    session: Arc<Session>,
}

impl<S> Ingress<S> {
    pub(crate) fn new(inner: S, session: Arc<Session>) -> Self {
        Self { inner, session }
    }
}

type Answer = Result<Option<Response>, ExitedError>;

impl<S> Service<Request> for Ingress<S>
where
    S: Service<Request, Response = Option<Response>, Error = ExitedError>,
    S::Future: Send + 'static,
{
    type Response = Option<Response>;
    type Error = ExitedError;
    type Future = BoxFuture<'static, Answer>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), ExitedError>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        let id = request.id().cloned();
        let method = request.method().to_owned();
        if method == message::REFUSED {
            let (code, text) = message::refused(request.params());
            return answered(id.unwrap_or(Id::Null), code, text);
        }
        match catch_unwind(AssertUnwindSafe(|| self.dispatch(request))) {
            Ok(future) => {
                let future = AssertUnwindSafe(future).catch_unwind();
                Box::pin(async move {
                    match future.await {
                        Ok(answer) => answer,
                        Err(panic) => Ok(panicked(id, &method, &*panic)),
                    }
                })
            }
            Err(panic) => Box::pin(ready(Ok(panicked(id, &method, &*panic)))),
        }
    }
}

impl<S> Ingress<S>
where
    S: Service<Request, Response = Option<Response>, Error = ExitedError>,
    S::Future: Send + 'static,
{
    fn dispatch(&mut self, request: Request) -> BoxFuture<'static, Answer> {
        let (method, id, params) = request.into_parts();
        if self.session.has_started() {
            self.session.proxy.open();
            if id.is_none() && self.session.documents.apply(&method, params.as_ref()) {
                return Box::pin(ready(Ok(None)));
            }
        }
        let params = match params {
            // Our own methods take `{}`, `null` and nothing as the same.
            Some(Value::Null) | None if method.starts_with("swarm/") => Some(json!({})),
            Some(Value::Null) => None,
            params => params,
        };
        let mut request = Request::build(method);
        if let Some(params) = params {
            request = request.params(params);
        }
        if let Some(id) = id {
            request = request.id(id);
        }
        self.inner.call(request.finish()).boxed()
    }
}

fn answered(id: Id, code: ErrorCode, text: String) -> BoxFuture<'static, Answer> {
    let error = RpcError { code, message: text.into(), data: None };
    Box::pin(ready(Ok(Some(Response::from_error(id, error)))))
}

/// The answer of a request whose handler panicked; a notification has none.
fn panicked(id: Option<Id>, method: &str, panic: &(dyn Any + Send)) -> Option<Response> {
    let text = panic_words(panic);
    tracing::error!(method, panic = text, "a handler panicked");
    let message = format!("`{method}` failed by a fault of the server: {text}");
    let error = RpcError { code: ErrorCode::InternalError, message: message.into(), data: None };
    id.map(|id| Response::from_error(id, error))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A router whose handlers panic, at once or later, or tell the params they got.
    struct Router;

    impl Service<Request> for Router {
        type Response = Option<Response>;
        type Error = ExitedError;
        type Future = BoxFuture<'static, Answer>;

        fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), ExitedError>> {
            Poll::Ready(Ok(()))
        }

        fn call(&mut self, request: Request) -> Self::Future {
            let (method, id, params) = request.into_parts();
            assert_ne!(method, "panic/now");
            Box::pin(async move {
                assert_ne!(method, "panic/later");
                Ok(id.map(|id| Response::from_ok(id, json!({ "params": params }))))
            })
        }
    }

    async fn ask(method: &'static str, params: Option<Value>) -> Response {
        let mut ingress = Ingress::new(Router, Arc::new(Session::for_tests()));
        let mut request = Request::build(method).id(5);
        if let Some(params) = params {
            request = request.params(params);
        }
        ingress.call(request.finish()).await.unwrap().unwrap()
    }

    #[tokio::test]
    async fn a_panicking_handler_fails_only_its_own_request() {
        for method in ["panic/now", "panic/later"] {
            let answer = ask(method, None).await;
            assert_eq!(answer.error().unwrap().code, ErrorCode::InternalError);
            assert!(answer.error().unwrap().message.contains(method));
            assert_eq!(answer.id(), &Id::Number(5));
        }
        assert!(ask("calm", None).await.is_ok());
    }

    #[tokio::test]
    async fn null_params_are_no_params() {
        let got = |answer: Response| answer.result().unwrap()["params"].clone();
        assert_eq!(got(ask("shutdown", Some(Value::Null)).await), Value::Null);
        assert_eq!(got(ask("swarm/state", Some(Value::Null)).await), json!({}));
        assert_eq!(got(ask("swarm/state", None).await), json!({}));
    }

    #[tokio::test]
    async fn a_refused_message_is_answered_with_what_is_wrong() {
        let params = json!({ "code": -32700, "message": "no JSON" });
        let answer = ask(message::REFUSED, Some(params)).await;
        let error = answer.error().unwrap();
        assert_eq!((error.code, error.message.as_ref()), (ErrorCode::ParseError, "no JSON"));
    }
}
