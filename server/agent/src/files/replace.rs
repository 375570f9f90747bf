//! One piece of a file for another, in bytes, so that nothing outside the piece can change.

/// Why a piece was not replaced. Told to the model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ReplaceError {
    #[error("`old_string` is empty; name the text to replace, or use Write for a new file.")]
    Empty,
    #[error("`old_string` and `new_string` are the same; nothing would change.")]
    Same,
    #[error(
        "`old_string` is not in the file. Read it again and copy the text exactly, without line numbers."
    )]
    Missing,
    #[error("`old_string` stands {0} times in the file. Give more text around it, or set `replace_all`.")]
    Ambiguous(usize),
    #[error("the file is UTF-16, which Edit cannot change without harm. Convert it with a command first.")]
    Utf16,
    #[error("the file is not UTF-8, so that only plain ASCII text can be put into it without harm.")]
    NotUtf8,
}

/// Replaces `old` with `new` in `bytes`, once or everywhere.
///
/// A model writes line ends as `\n`. Where the file has `\r\n` there, so has the replaced piece, and so has
/// what is put in its place.
pub(crate) fn replace(bytes: &[u8], old: &str, new: &str, all: bool) -> Result<Vec<u8>, ReplaceError> {
    if old.is_empty() {
        return Err(ReplaceError::Empty);
    }
    if old == new {
        return Err(ReplaceError::Same);
    }
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Err(ReplaceError::Utf16);
    }
    if !new.is_ascii() && std::str::from_utf8(bytes).is_err() {
        return Err(ReplaceError::NotUtf8);
    }
    let places = find(bytes, old.as_bytes());
    match (places.len(), all) {
        (0, _) => return Err(ReplaceError::Missing),
        (1, _) | (_, true) => {}
        (count, false) => return Err(ReplaceError::Ambiguous(count)),
    }
    let crlf_file = uses_crlf(bytes);
    let mut result = Vec::with_capacity(bytes.len() + new.len());
    let mut from = 0;
    for (start, end) in places {
        let piece = &bytes[start..end];
        let crlf = if piece.contains(&b'\n') { uses_crlf(piece) } else { crlf_file };
        result.extend_from_slice(&bytes[from..start]);
        result.extend_from_slice(with_line_ends(new, crlf).as_bytes());
        from = end;
    }
    result.extend_from_slice(&bytes[from..]);
    Ok(result)
}

/// Every place of `old`, not overlapping; a `\n` of `old` matches `\r\n` too.
fn find(bytes: &[u8], old: &[u8]) -> Vec<(usize, usize)> {
    let mut places = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        match match_at(bytes, at, old) {
            Some(end) => {
                places.push((at, end));
                at = end;
            }
            None => at += 1,
        }
    }
    places
}

/// The end of `old` when it stands at `at`.
fn match_at(bytes: &[u8], mut at: usize, old: &[u8]) -> Option<usize> {
    for (index, &wanted) in old.iter().enumerate() {
        let had_return = index > 0 && old[index - 1] == b'\r';
        if wanted == b'\n'
            && !had_return
            && bytes.get(at) == Some(&b'\r')
            && bytes.get(at + 1) == Some(&b'\n')
        {
            at += 2;
        } else if bytes.get(at) == Some(&wanted) {
            at += 1;
        } else {
            return None;
        }
    }
    Some(at)
}

/// Whether most line ends are `\r\n`.
fn uses_crlf(bytes: &[u8]) -> bool {
    let lines = bytes.iter().filter(|&&b| b == b'\n').count();
    let returns = bytes.windows(2).filter(|pair| pair == b"\r\n").count();
    lines > 0 && returns * 2 > lines
}

fn with_line_ends(text: &str, crlf: bool) -> String {
    if !crlf {
        return text.to_owned();
    }
    text.replace("\r\n", "\n").replace('\n', "\r\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], old: &str, new: &str, expected: &[u8]) {
        let found = replace(bytes, old, new, false).unwrap();
        assert_eq!(String::from_utf8_lossy(&found), String::from_utf8_lossy(expected));
        assert_eq!(found, expected);
    }

    #[test]
    fn line_ends_stay_what_they_are() {
        check(b"a\r\nb\r\nc\r\n", "a\nb", "x\ny\nz", b"x\r\ny\r\nz\r\nc\r\n");
        check(b"a\nb\nc\n", "a\nb", "x\ny", b"x\ny\nc\n");
        check(b"a\r\nb\r\n", "b", "x\ny", b"a\r\nx\r\ny\r\n");
        // Mixed: the replaced piece decides for what is put in its place.
        check(b"a\nb\nc\r\nd\r\n", "c\nd", "x\ny", b"a\nb\nx\r\ny\r\n");
        check(b"a\r\nb\r\nc\r\nd\ne\n", "d\ne", "x\ny", b"a\r\nb\r\nc\r\nx\ny\n");
        check(b"a\r\nb", "a\r\nb", "x\r\ny", b"x\r\ny");
    }

    #[test]
    fn a_byte_order_mark_and_foreign_bytes_stay() {
        check(b"\xef\xbb\xbfone\n", "one", "two", b"\xef\xbb\xbftwo\n");
        check(b"caf\xe9 one \xff\n", "one", "two", b"caf\xe9 two \xff\n");
        assert_eq!(replace(b"caf\xe9 one", "one", "zw\u{f6}lf", false), Err(ReplaceError::NotUtf8));
        assert_eq!(replace(b"\xff\xfeo\0", "o", "p", false), Err(ReplaceError::Utf16));
    }

    #[test]
    fn what_is_not_there_or_there_twice_is_refused() {
        assert_eq!(replace(b"abc", "x", "y", false), Err(ReplaceError::Missing));
        assert_eq!(replace(b"aa", "a", "b", false), Err(ReplaceError::Ambiguous(2)));
        assert_eq!(replace(b"aa", "a", "b", true), Ok(b"bb".to_vec()));
        assert_eq!(replace(b"a", "", "b", false), Err(ReplaceError::Empty));
        assert_eq!(replace(b"a", "a", "a", false), Err(ReplaceError::Same));
    }
}
