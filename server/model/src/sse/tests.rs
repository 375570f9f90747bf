use super::*;

fn read(chunks: &[&[u8]]) -> Vec<(String, String)> {
    let mut parser = Parser::default();
    let mut events = Vec::new();
    for chunk in chunks {
        parser.push(chunk, &mut events).unwrap();
    }
    events.into_iter().map(|event| (event.name, event.data)).collect()
}

fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    expected.iter().map(|(name, data)| ((*name).into(), (*data).into())).collect()
}

#[test]
fn every_line_ending_and_field_form_is_read() {
    let cases: &[(&str, &[(&str, &str)])] = &[
        ("data: a\n\n", &[("", "a")]),
        ("data: a\r\n\r\n", &[("", "a")]),
        ("data: a\r\rdata: b\r\r", &[("", "a"), ("", "b")]),
        ("event: x\ndata: a\n\ndata: b\n\n", &[("x", "a"), ("", "b")]),
        ("data: a\ndata: b\n\n", &[("", "a\nb")]),
        ("data:a\n\n", &[("", "a")]),
        ("data:  a\n\n", &[("", " a")]),
        ("data\n\n", &[("", "")]),
        ("\u{feff}data: a\n\n", &[("", "a")]),
        ("data: \u{feff}a\n\n", &[("", "\u{feff}a")]),
        (": ping\n\ndata: a\n\n", &[("", "a")]),
        ("id: 7\nretry: 10\ndata: a\n\n", &[("", "a")]),
        ("event: alone\n\ndata: a\n\n", &[("", "a")]),
        ("data: a: b\n\n", &[("", "a: b")]),
        ("data: without its blank line\n", &[]),
    ];
    for (stream, expected) in cases {
        assert_eq!(read(&[stream.as_bytes()]), pairs(expected), "{stream:?}");
    }
}

#[test]
fn a_stream_may_be_split_anywhere() {
    let stream =
        "\u{feff}event: ä\r\ndata: \u{1f980} one\r\ndata: two\r\n\r\n:c\r\r\ndata: three\n\n".as_bytes();
    let whole = read(&[stream]);
    assert_eq!(whole, pairs(&[("ä", "\u{1f980} one\ntwo"), ("", "three")]));
    for first in 0..=stream.len() {
        for second in first..=stream.len() {
            let chunks = [&stream[..first], &stream[first..second], &stream[second..]];
            assert_eq!(read(&chunks), whole, "split at {first} and {second}");
        }
    }
    let bytes: Vec<&[u8]> = stream.chunks(1).collect();
    assert_eq!(read(&bytes), whole);
}

#[test]
fn bytes_that_are_no_text_are_an_error() {
    let mut parser = Parser::default();
    assert_eq!(parser.push(b"data: \xff\n\n", &mut Vec::new()), Err(SseError::NotUtf8));
}

#[test]
fn an_endless_line_is_an_error_and_not_all_memory() {
    let mut parser = Parser::default();
    let chunk = vec![b'a'; 1024 * 1024];
    let refused = (0..17).find_map(|_| parser.push(&chunk, &mut Vec::new()).err());
    assert_eq!(refused, Some(SseError::TooLong));
}
