//! `textDocument/codeLens`: what can be done with a plan, and with a conversation, in its document.

use std::path::Path;

use serde_json::{Value, json};

use crate::documents::canonical;
use crate::error::Problem;
use crate::lsp::types::{CodeLens, CodeLensParams, Command, Position, Range};
use crate::session::Session;
use crate::words;

pub(crate) fn code_lens(
    session: &Session,
    params: &CodeLensParams,
) -> Result<Option<Vec<CodeLens>>, Problem> {
    let snapshot = session.leader()?.snapshot();
    let uri = &params.text_document.uri;
    if let Some(shown) = session.conversations.of_uri(uri) {
        let line = session.documents.of_uri(uri).and_then(|document| shown.heading_line(&document.text));
        let at = Position { line: line.unwrap_or_default(), character: 0 };
        let stop = json!({ "member": shown.agent.name, "team": shown.agent.team });
        return Ok(Some(vec![
            lens(at, ("Send".to_owned(), "swarm.send", json!({ "uri": uri }))),
            lens(at, (format!("Interrupt {}", shown.agent.name), "swarm.interrupt", stop)),
        ]));
    }
    let Ok(path) = uri.to_file_path() else { return Ok(None) };
    let path = canonical(&path);
    let Some(plan) = snapshot.plans.iter().find(|plan| canonical(Path::new(&plan.document)) == path) else {
        return Ok(None);
    };
    Ok(Some(words::plan_deeds(plan).into_iter().map(|deed| lens(Position::default(), deed)).collect()))
}

fn lens(at: Position, (title, command, argument): (String, &str, Value)) -> CodeLens {
    CodeLens {
        range: Range { start: at, end: at },
        command: Some(Command::new(title, command.to_owned(), Some(vec![argument]))),
        data: None,
    }
}
