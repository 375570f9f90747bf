//! What goes wrong, in words for a person, and its JSON-RPC code.

use serde_json::json;
use swarm_leader::Refusal;

use crate::lsp::{ErrorCode, RpcError};

/// LSP's code for a request that was well formed and could not be done.
const REQUEST_FAILED: i64 = -32803;

/// An error of a request: what is wrong, with which value, and what would help.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what}{}{}", .which.as_deref().map(|which| format!(" ({which})")).unwrap_or_default(), .hint.map(|hint| format!("; {hint}")).unwrap_or_default())]
pub(crate) struct Problem {
    kind: Kind,
    pub(crate) what: String,
    /// The parameter, path or name that it is about.
    pub(crate) which: Option<String>,
    pub(crate) hint: Option<&'static str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// The params are not what the method takes.
    Params,
    /// They are, but it cannot be done.
    Failed,
}

impl Problem {
    /// A parameter that is not what the method takes; `field` is its path within the params.
    pub(crate) fn field(field: impl Into<String>, what: impl Into<String>) -> Self {
        Self { kind: Kind::Params, what: what.into(), which: Some(field.into()), hint: None }
    }

    pub(crate) fn hint(mut self, hint: &'static str) -> Self {
        self.hint = Some(hint);
        self
    }

    /// The same about a field of a larger whole.
    pub(crate) fn within(mut self, outer: &str) -> Self {
        self.which = self.which.map(|inner| match inner.as_str() {
            "params" => outer.to_owned(),
            inner => format!("{outer}.{inner}"),
        });
        self
    }

    /// Something that cannot be done now.
    pub(crate) fn failed(what: impl Into<String>) -> Self {
        Self { kind: Kind::Failed, what: what.into(), which: None, hint: None }
    }
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Invalid { field, problem } => Self::field(field, problem),
            other => Self::failed(other.to_string()),
        }
    }
}

impl From<Problem> for RpcError {
    fn from(problem: Problem) -> Self {
        let code = match problem.kind {
            Kind::Params => ErrorCode::InvalidParams,
            Kind::Failed => ErrorCode::ServerError(REQUEST_FAILED),
        };
        let data = json!({ "what": problem.what, "which": problem.which, "hint": problem.hint });
        Self { code, message: problem.to_string().into(), data: Some(data) }
    }
}

/// Reads a request's params; the error names the field.
pub(crate) fn parse<T: serde::de::DeserializeOwned>(params: serde_json::Value) -> Result<T, Problem> {
    serde_path_to_error::deserialize(params).map_err(|error| {
        let path = error.path().to_string();
        let problem = error.into_inner().to_string();
        Problem::field(if path == "." { "params".to_owned() } else { path }, problem)
    })
}

#[cfg(test)]
mod tests {
    use swarm_wire::lsp::PromptParams;

    use super::*;

    #[test]
    fn a_wrong_field_is_named_with_its_path() {
        let wrong = |params| parse::<PromptParams>(params).unwrap_err();
        let problem = wrong(json!({ "text": "x", "attachments": [{ "uri": 5 }] }));
        assert_eq!(problem.which.as_deref(), Some("attachments[0].uri"));
        assert!(wrong(json!({})).to_string().contains("`text`"));
        assert_eq!(RpcError::from(wrong(json!({ "text": 1 }))).code, ErrorCode::InvalidParams);
    }

    #[test]
    fn what_cannot_be_done_is_request_failed() {
        let error = RpcError::from(Problem::from(Refusal::Unknown("no member `bob`; there is `ada`".into())));
        assert_eq!(error.code.code(), REQUEST_FAILED);
        assert!(error.message.contains("ada"));
    }
}
