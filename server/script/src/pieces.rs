//! A text in the pieces in which a model would stream it.

/// The sizes, in characters, that pieces of a short text have in turn: odd ones, so that words, escapes and
/// names are split.
const SIZES: [usize; 6] = [3, 1, 7, 2, 11, 5];

/// About how many pieces a long text has at most.
const MOST_PIECES: usize = 60;

/// Whole characters; together they are the text. An empty text has no piece.
pub(crate) fn split(text: &str) -> Vec<&str> {
    let characters = text.chars().count();
    let average = SIZES.iter().sum::<usize>() / SIZES.len();
    let scale = (characters / (MOST_PIECES * average)).max(1);
    let mut pieces = Vec::new();
    let mut rest = text;
    for size in SIZES.iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let end = rest.char_indices().nth(size * scale).map_or(rest.len(), |(at, _)| at);
        let (piece, tail) = rest.split_at(end);
        pieces.push(piece);
        rest = tail;
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_whole_characters_and_give_the_text_back() {
        for text in ["", "a", "ein grünes \u{1f980} Tier", &"\u{1f980}x".repeat(10_000)] {
            let pieces = split(text);
            assert_eq!(pieces.concat(), text);
            assert!(pieces.iter().all(|piece| !piece.is_empty()));
            assert!(pieces.len() <= 80, "{}", pieces.len());
        }
        assert!(split("{\"path\": \"a\"}").len() >= 3);
    }
}
