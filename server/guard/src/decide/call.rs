//! A call written as a rule is, for `swarm-ls permissions explain`.

use std::path::Path;

use crate::effect::Effect;
use crate::rules::RuleError;

/// A call that is only talked about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    pub tool: String,
    pub keys: Vec<String>,
    pub effect: Effect,
}

impl Call {
    /// Reads `Bash(cargo test)`, `Read(src/x.rs)`, `Edit(…)`, `Write(…)`, `WebFetch(example.com)` or another
    /// tool's `Tool(key)`, which counts as staying within the team. Relative paths are those of the workspace.
    pub fn read(text: &str, workspace: &Path) -> Result<Self, RuleError> {
        let text = text.trim();
        let (tool, key) = match text.split_once('(') {
            None => (text, ""),
            Some((tool, rest)) => {
                (tool, rest.strip_suffix(')').ok_or_else(|| RuleError::Unclosed(text.to_owned()))?)
            }
        };
        if tool.is_empty() || !tool.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            return Err(RuleError::NoTool(text.to_owned()));
        }
        let bases = [workspace.to_path_buf()];
        let paths = || super::place::resolved(key, Some(&bases)).unwrap_or_else(|| vec![key.into()]);
        let effect = match tool {
            "Bash" => Effect::Runs { command: key.to_owned() },
            "Read" | "Glob" | "Grep" => Effect::Reads { paths: paths() },
            "Edit" | "Write" => Effect::Writes { paths: paths() },
            "WebFetch" => Effect::Leaves { hosts: vec![key.to_ascii_lowercase()] },
            _ => Effect::Team,
        };
        let keys = if key.is_empty() { Vec::new() } else { vec![key.to_owned()] };
        Ok(Self { tool: tool.to_owned(), keys, effect })
    }
}
