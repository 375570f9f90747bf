//! A part of a change: the input that makes just the hunks which the user takes. Pure.

use serde_json::{Value, json};
use swarm_wire::lsp::Hunk;
use swarm_wire::permission::{FileChange, PermissionRequest};

/// The input with which the request's tool makes only these hunks of its change; what is wrong with them otherwise.
pub(crate) fn input_with_only(request: &PermissionRequest, hunks: &[Hunk]) -> Result<Value, String> {
    let change = request.change.as_ref().ok_or("the request changes no file")?;
    let before: Vec<&str> = lines(change.before.as_deref().unwrap_or_default());
    check(&before, &lines(&change.after), hunks)?;
    let mut input = request.input.clone();
    let fields = input.as_object_mut().ok_or("the request's input has no fields")?;
    match request.tool_name.as_str() {
        "Write" => {
            fields.insert("content".to_owned(), json!(taken(change, hunks, 0, before.len())));
        }
        "Edit" => {
            let (start, end) = piece(&before, hunks);
            fields
                .insert("old_string".to_owned(), json!(before.get(start..end).unwrap_or_default().concat()));
            fields.insert("new_string".to_owned(), json!(taken(change, hunks, start, end)));
            fields.remove("replace_all");
        }
        tool => return Err(format!("a change by {tool} cannot be taken in part")),
    }
    Ok(input)
}

fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// They are in order, apart from each other, within the texts, and each changes something.
fn check(before: &[&str], after: &[&str], hunks: &[Hunk]) -> Result<(), String> {
    let (mut old, mut new) = (0, 0);
    for (index, hunk) in hunks.iter().enumerate() {
        let (from, to) = (hunk.before, hunk.after);
        for (side, range, least, most) in
            [("before", from, old, before.len()), ("after", to, new, after.len())]
        {
            if range.start < least || range.end < range.start || range.end > most {
                return Err(format!(
                    "hunk {index} names lines {} to {} of `{side}`; after the hunks before it, {least} to {most} are left",
                    range.start, range.end
                ));
            }
        }
        if from.start == from.end && to.start == to.end {
            return Err(format!("hunk {index} is empty"));
        }
        (old, new) = (from.end, to.end);
    }
    Ok(())
}

/// The lines `start` to `end` of the text before, with the hunks taken.
fn taken(change: &FileChange, hunks: &[Hunk], start: usize, end: usize) -> String {
    let (before, after) = (lines(change.before.as_deref().unwrap_or_default()), lines(&change.after));
    let mut text = String::new();
    let mut at = start;
    for Hunk { before: from, after: to } in hunks {
        text.push_str(&before.get(at..from.start).unwrap_or_default().concat());
        text.push_str(&after.get(to.start..to.end).unwrap_or_default().concat());
        at = from.end;
    }
    text.push_str(&before.get(at..end).unwrap_or_default().concat());
    text
}

/// The least lines around all hunks that stand only once in the file, as an edit must name its place.
fn piece(before: &[&str], hunks: &[Hunk]) -> (usize, usize) {
    let mut start = hunks.first().map_or(0, |hunk| hunk.before.start);
    let mut end = hunks.last().map_or(0, |hunk| hunk.before.end);
    let whole = before.concat();
    while start > 0 || end < before.len() {
        let text = before.get(start..end).unwrap_or_default().concat();
        if !text.is_empty() && whole.matches(&text).count() == 1 {
            break;
        }
        start = start.saturating_sub(1);
        end = (end + 1).min(before.len());
    }
    (start, end)
}

#[cfg(test)]
mod tests {
    use swarm_wire::RequestId;
    use swarm_wire::ids::AgentId;
    use swarm_wire::lsp::LineRange;

    use super::*;

    const BEFORE: &str = "a\nb\nc\nb\ne\n";
    const AFTER: &str = "A\nb\nc\nB\ne\nf\n";

    fn hunk(before: (usize, usize), after: (usize, usize)) -> Hunk {
        let range = |(start, end)| LineRange { start, end };
        Hunk { before: range(before), after: range(after) }
    }

    /// The three of them: `a` to `A`, the second `b` to `B`, and `f` at the end.
    fn all() -> [Hunk; 3] {
        [hunk((0, 1), (0, 1)), hunk((3, 4), (3, 4)), hunk((5, 5), (5, 6))]
    }

    fn request(tool: &str, input: Value) -> PermissionRequest {
        let worker: AgentId = "ada@demo".parse().unwrap();
        let mut request = PermissionRequest::open(RequestId::new("perm-1"), &worker, tool, "t", input);
        request.change =
            Some(FileChange { path: "/w/a".into(), before: Some(BEFORE.into()), after: AFTER.into() });
        request
    }

    /// What the file is after an Edit with this input.
    fn edited(input: &Value) -> String {
        let (old, new) = (input["old_string"].as_str().unwrap(), input["new_string"].as_str().unwrap());
        assert_eq!(BEFORE.matches(old).count(), 1, "{old:?} stands once");
        BEFORE.replacen(old, new, 1)
    }

    #[test]
    fn every_choice_of_hunks_makes_just_these() {
        let edit =
            request("Edit", json!({"path": "a", "old_string": "x", "new_string": "y", "replace_all": true}));
        let write = request("Write", json!({"path": "a", "content": AFTER}));
        let [first, second, third] = all();
        for (hunks, text) in [
            (vec![first], "A\nb\nc\nb\ne\n"),
            (vec![second], "a\nb\nc\nB\ne\n"),
            (vec![third], "a\nb\nc\nb\ne\nf\n"),
            (vec![first, third], "A\nb\nc\nb\ne\nf\n"),
            (vec![first, second, third], AFTER),
        ] {
            let input = input_with_only(&edit, &hunks).unwrap();
            assert_eq!(edited(&input), text);
            assert_eq!(input.get("replace_all"), None);
            assert_eq!(input_with_only(&write, &hunks).unwrap(), json!({"path": "a", "content": text}));
        }
    }

    #[test]
    fn hunks_that_are_not_of_the_change_are_named() {
        let edit = request("Edit", json!({"path": "a"}));
        let [first, second, _] = all();
        for (hunks, problem) in [
            (vec![second, first], "hunk 1 names lines 0 to 1 of `before`"),
            (vec![hunk((4, 6), (4, 5))], "hunk 0 names lines 4 to 6 of `before`"),
            (vec![hunk((1, 0), (0, 0))], "hunk 0 names lines 1 to 0"),
            (vec![hunk((0, 1), (0, 9))], "of `after`"),
            (vec![hunk((2, 2), (2, 2))], "hunk 0 is empty"),
        ] {
            let refused = input_with_only(&edit, &hunks).unwrap_err();
            assert!(refused.contains(problem), "{refused}");
        }
        let other = request("Bash", json!({"command": "true"}));
        assert!(input_with_only(&other, &[first]).unwrap_err().contains("Bash"));
    }
}
