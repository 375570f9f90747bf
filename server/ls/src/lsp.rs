//! The one place that names the LSP library: everybody else says `crate::lsp`.
//!
//! `lsp_types` must be the version that tower-lsp re-exports, so it is taken from there.

pub(crate) use tower_lsp::jsonrpc::{
    Error as RpcError, ErrorCode, Id, Request, Response, Result as RpcResult,
};
pub(crate) use tower_lsp::lsp_types as types;
pub(crate) use tower_lsp::{
    ExitedError, LanguageServer, Loopback, LspService, LspServiceBuilder, Server as Transport, async_trait,
};

/// Declares requests of our own that clients answer.
macro_rules! requests {
    ($($name:ident: $method:literal, $params:ty => $result:ty;)+) => {
        $(
            enum $name {}

            impl $crate::lsp::types::request::Request for $name {
                type Params = $params;
                type Result = $result;
                const METHOD: &'static str = $method;
            }
        )+
    };
}

pub(crate) use requests;
