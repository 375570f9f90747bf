//! `POST /v1/responses`.

pub(crate) mod answer;
pub(crate) mod check;
