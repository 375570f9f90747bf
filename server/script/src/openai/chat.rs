//! `POST /v1/chat/completions`.

pub(crate) mod answer;
pub(crate) mod check;
