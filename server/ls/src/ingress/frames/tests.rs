//! The decoder against whole, split, broken and hostile streams.

use super::*;

fn framed(body: &str) -> Vec<u8> {
    format!("Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

fn decode(pieces: &[&[u8]]) -> Vec<Frame> {
    let mut decoder = Decoder::new();
    let mut frames = Vec::new();
    for piece in pieces {
        decoder.feed(piece);
        while let Some(frame) = decoder.next() {
            frames.push(frame);
        }
    }
    frames
}

fn bodies(frames: &[Frame]) -> Vec<&str> {
    let bodies = frames.iter().filter_map(|frame| match frame {
        Frame::Body(body) => std::str::from_utf8(body).ok(),
        Frame::Broken(_) => None,
    });
    bodies.collect()
}

#[test]
fn frames_are_the_same_however_the_stream_is_split() {
    let stream = [framed("{\"a\":\"é\"}"), framed(""), framed("[2]")].concat();
    let whole = decode(&[&stream]);
    assert_eq!(bodies(&whole), ["{\"a\":\"é\"}", "", "[2]"]);
    for cut in 0..=stream.len() {
        assert_eq!(decode(&[&stream[..cut], &stream[cut..]]), whole, "cut at {cut}");
    }
    let single: Vec<&[u8]> = stream.chunks(1).collect();
    assert_eq!(decode(&single), whole);
}

#[test]
fn other_headers_and_any_case_are_accepted() {
    let stream = b"content-type: application/vscode-jsonrpc; charset=utf-8\r\ncontent-LENGTH:  2\r\n\r\n{}";
    assert_eq!(bodies(&decode(&[stream])), ["{}"]);
}

#[test]
fn the_next_message_is_found_behind_a_broken_header() {
    for junk in [
        &b"Content-Length: many\r\n\r\n"[..],
        b"X-Other: 1\r\n\r\n{}",
        b"{\"jsonrpc\":\"2.0\"}\n",
        b"\xff\xfe\x00garbage",
        b"Content-Length: -5\r\n\r\nhello",
        b"Content-Length: 99999999999999\r\n\r\n",
        b"Content-Length: 99999999999999999999999999\r\n\r\n",
        b"\r\n\r\n",
    ] {
        let stream = [junk, &framed("[1]"), &framed("[2]")].concat();
        let frames = decode(&[&stream]);
        let broken = frames.iter().filter(|frame| matches!(frame, Frame::Broken(_))).count();
        assert_eq!(bodies(&frames), ["[1]", "[2]"], "{}", String::from_utf8_lossy(junk));
        assert_eq!(broken, 1, "{}: {frames:?}", String::from_utf8_lossy(junk));
    }
}

#[test]
fn a_message_too_large_is_skipped_without_being_kept() {
    let mut decoder = Decoder::new();
    decoder.feed(format!("Content-Length: {}\r\n\r\n", MAX_BODY + 10).as_bytes());
    assert!(matches!(decoder.next(), Some(Frame::Broken(_))));
    let chunk = vec![b'x'; 1 << 20];
    for _ in 0..MAX_BODY >> 20 {
        decoder.feed(&chunk);
        assert_eq!(decoder.next(), None);
        assert!(decoder.buffer.is_empty());
    }
    decoder.feed(b"0123456789");
    decoder.feed(&framed("{}"));
    assert_eq!(decoder.next(), Some(Frame::Body(b"{}".to_vec())));
}

#[test]
fn endless_junk_is_not_kept() {
    let mut decoder = Decoder::new();
    let mut broken = 0;
    for _ in 0..100 {
        decoder.feed(&[b'a'; 4096]);
        while let Some(frame) = decoder.next() {
            assert!(matches!(frame, Frame::Broken(_)));
            broken += 1;
        }
        assert!(decoder.buffer.len() <= MAX_HEADER + 4096);
    }
    assert_eq!(broken, 1, "junk is reported once, until the next message");
}

#[test]
fn no_bytes_break_the_decoder_or_fill_it() {
    let pieces: [&[u8]; 10] = [
        b"Content-Length: ",
        b"5",
        b"\r\n",
        b"\r\n\r\n",
        b"{}",
        b"\xff\x00",
        b"content-length:",
        b"-",
        b"x: y\r\n",
        b"\n",
    ];
    // Every row of four pieces, one after the other: each meets the decoder in the state that the last left.
    let mut decoder = Decoder::new();
    for number in 0..10_usize.pow(4) {
        for place in 0..4 {
            decoder.feed(pieces[number / 10_usize.pow(place) % 10]);
            while decoder.next().is_some() {}
        }
        assert!(decoder.buffer.len() <= MAX_HEADER + 64, "{number}");
        // No piece can make a length that never ends, since that of the largest is skipped or searched.
        if matches!(decoder.state, State::Body(_) | State::Skip(_)) {
            decoder = Decoder::new();
        }
    }
}
