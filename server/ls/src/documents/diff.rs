//! Which lines differ between two texts, and the smallest line edits from one to the other.

use std::ops::Range;
use std::time::Duration;

use similar::{Algorithm, DiffOp, capture_diff_slices_deadline};

use super::text::{Encoding, position};
use crate::lsp::types::{self, TextEdit};

/// Past this the diff is coarser, never wrong.
const PATIENCE: Duration = Duration::from_millis(200);

/// Lines that one change replaces, counted from zero, and the lines that it puts there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Hunk {
    pub(crate) old: Range<usize>,
    pub(crate) new: Range<usize>,
}

/// The differences, in order. Empty only when the texts are equal.
pub(crate) fn hunks(before: &str, after: &str) -> Vec<Hunk> {
    line_hunks(&lines(before), &lines(after))
}

/// The edits that make `after` of `before`, each of whole lines, none touching another.
pub(crate) fn edits(before: &str, after: &str, encoding: Encoding) -> Vec<TextEdit> {
    let (old, new) = (lines(before), lines(after));
    let starts = starts(&old);
    line_hunks(&old, &new)
        .into_iter()
        .map(|hunk| {
            let at = |line: usize| position(before, starts[line], encoding);
            let range = types::Range { start: at(hunk.old.start), end: at(hunk.old.end) };
            TextEdit { range, new_text: new[hunk.new].concat() }
        })
        .collect()
}

/// Where a line of `before` is in `now`: its own place when it is still there, else where it would be.
pub(crate) struct LineMap {
    hunks: Vec<Hunk>,
    last: usize,
}

impl LineMap {
    pub(crate) fn new(before: &str, now: &str) -> Self {
        Self { hunks: hunks(before, now), last: lines(now).len().saturating_sub(1) }
    }

    pub(crate) fn place(&self, line: usize) -> usize {
        let mut shifted = line;
        for hunk in &self.hunks {
            if hunk.old.contains(&line) {
                shifted = hunk.new.start;
                break;
            }
            if hunk.old.end > line {
                break;
            }
            shifted = line - hunk.old.end + hunk.new.end;
        }
        shifted.min(self.last)
    }
}

fn line_hunks(old: &[&str], new: &[&str]) -> Vec<Hunk> {
    let deadline = std::time::Instant::now() + PATIENCE;
    let ops = capture_diff_slices_deadline(Algorithm::Myers, old, new, Some(deadline));
    let mut hunks: Vec<Hunk> = Vec::new();
    for op in ops.iter().filter(|op| !matches!(op, DiffOp::Equal { .. })) {
        match hunks.last_mut() {
            // A deletion and an insertion at the same place are one change.
            Some(last) if last.old.end == op.old_range().start && last.new.end == op.new_range().start => {
                last.old.end = op.old_range().end;
                last.new.end = op.new_range().end;
            }
            _ => hunks.push(Hunk { old: op.old_range(), new: op.new_range() }),
        }
    }
    hunks
}

fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// The byte offset of each line, and of the end.
fn starts(lines: &[&str]) -> Vec<usize> {
    let mut starts = vec![0];
    let mut at = 0;
    for line in lines {
        at += line.len();
        starts.push(at);
    }
    starts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::documents::text::replace;

    fn applied(before: &str, after: &str, encoding: Encoding) -> (usize, String) {
        let edits = edits(before, after, encoding);
        let mut text = before.to_owned();
        for edit in edits.iter().rev() {
            replace(&mut text, edit.range, &edit.new_text, encoding);
        }
        (edits.len(), text)
    }

    #[test]
    fn the_edits_make_the_new_text_of_the_old() {
        let texts = [
            "",
            "a",
            "a\n",
            "a\nb\nc\n",
            "a\nB\nc\nd",
            "é\r\n😀\r\n",
            "x\r\n😀!\r\ny",
            "c\n\n\na\n",
            "\r\r\n\n",
        ];
        for encoding in [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32] {
            for before in texts {
                for after in texts {
                    let (count, text) = applied(before, after, encoding);
                    assert_eq!(text, after, "{before:?} -> {after:?}");
                    assert_eq!(count == 0, before == after);
                }
            }
        }
    }

    #[test]
    fn untouched_lines_are_left_alone() {
        let before: String = (0..1000).map(|line| format!("line {line}\n")).collect();
        let after = before.replace("line 10\n", "ten\n").replace("line 900\n", "");
        let edits = edits(&before, &after, Encoding::Utf16);
        assert_eq!(edits.len(), 2);
        assert_eq!((edits[0].range.start.line, edits[0].new_text.as_str()), (10, "ten\n"));
        assert_eq!((edits[1].range.start.line, edits[1].range.end.line), (900, 901));
    }

    #[test]
    fn a_line_keeps_its_place_when_others_come_before_it() {
        let map = LineMap::new("a\nb\nc\nd\n", "new\na\nb\nX\nd\n");
        assert_eq!([0, 1, 2, 3].map(|line| map.place(line)), [1, 2, 3, 4]);
        assert_eq!(LineMap::new("a\nb\n", "").place(1), 0);
    }
}
