//! Handing over: a comment that is meant for the team, or selected lines, to the leader's agent or to a new teammate.

use serde_json::{Value, json};

use crate::documents::Documents;
use crate::lsp::types::{Range, Url};

/// What a comment for the team begins with; a colon and the wish follow.
const MARK: &str = concat!("TO", "DO(swarm)");
/// The longest piece of a wish in a title, in characters.
const TITLE_MAX: usize = 50;

/// What can be handed over here: title, command and its argument.
pub(super) fn offers(documents: &Documents, uri: &Url, range: Range) -> Vec<(String, &'static str, Value)> {
    let Some(document) = documents.of_uri(uri) else { return Vec::new() };
    let lines: Vec<&str> = document.text.lines().collect();
    let shown = |line: u32| lines.get(usize::try_from(line).unwrap_or(usize::MAX)).copied();
    let comment = (range.start.line..=range.end.line.min(range.start.line.saturating_add(500)))
        .find_map(|line| Some((line, wish(shown(line)?)?)));
    match comment {
        Some((line, wish)) => {
            let title: String = wish.chars().take(TITLE_MAX).collect();
            // With the lines around it, which say what it is about.
            let around =
                whole_lines(documents, &document.text, line.saturating_sub(10), line.saturating_add(20));
            both(&format!("hand \u{201c}{title}\u{201d}"), &wish, uri, line, around)
        }
        None if range.start != range.end => {
            let selected = whole_lines(documents, &document.text, range.start.line, range.end.line);
            both("hand these lines", "Do what these lines ask for.", uri, range.start.line, selected)
        }
        None => Vec::new(),
    }
}

/// The wish of a comment for the team, without the end of the comment.
fn wish(line: &str) -> Option<String> {
    let (_, behind) = line.split_once(MARK)?;
    let text = behind.trim_start_matches(':').trim();
    let text = text.strip_suffix("*/").or_else(|| text.strip_suffix("-->")).unwrap_or(text).trim();
    (!text.is_empty()).then(|| text.to_owned())
}

fn whole_lines(documents: &Documents, text: &str, first: u32, last: u32) -> Range {
    let index = |line: u32| usize::try_from(line).unwrap_or(usize::MAX);
    let count = text.lines().count().max(1);
    documents.lines(text, index(first)..index(last).saturating_add(1).min(count))
}

fn both(title: &str, wish: &str, uri: &Url, line: u32, range: Range) -> Vec<(String, &'static str, Value)> {
    let attachments = json!([{ "uri": uri, "range": range }]);
    let place = uri.to_file_path().map_or_else(|()| uri.to_string(), |path| path.display().to_string());
    let prompt = format!("{wish}\n\nIt is about {place}, line {}.", line.saturating_add(1));
    vec![
        (
            format!("swarm: {title} to the leader"),
            "swarm.prompt",
            json!({ "text": wish, "attachments": attachments }),
        ),
        (
            format!("swarm: {title} to a new teammate"),
            "swarm.teammate.spawn",
            json!({ "name": "helper", "prompt": prompt }),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wish_of_a_comment_is_found_in_any_language() {
        for line in ["// {}: mend this", "# {} mend this", "/* {}: mend this */", "<!-- {}: mend this -->"] {
            assert_eq!(wish(&line.replace("{}", MARK)).as_deref(), Some("mend this"), "{line}");
        }
        assert_eq!(wish(&format!("// {MARK}:")), None);
        assert_eq!(wish("// mend this"), None);
    }
}
