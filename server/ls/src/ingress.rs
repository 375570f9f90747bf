//! The guard around tower-lsp. What reaches the library is whole, valid and in order; what leaves for the
//! client goes through one bounded queue; a broken message, a late answer or a panicking handler costs
//! nobody else anything.
//!
//! Bytes come in through [`frames`], which forwards requests to the library and gives answers to [`proxy`];
//! [`service`] wraps the library's router.

pub(crate) mod frames;
pub(crate) mod message;
pub(crate) mod proxy;
pub(crate) mod service;
pub(crate) mod stdout;
