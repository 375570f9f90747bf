use super::*;

async fn captured(cap: usize, pieces: &[&[u8]]) -> Output {
    let mut capture = Capture::new(cap, None);
    for piece in pieces {
        capture.push(piece).await;
    }
    capture.output()
}

#[tokio::test]
async fn short_output_is_whole_however_it_arrives() {
    let output = captured(16, &[b"one ", b"two ", b"three"]).await;
    assert_eq!((output.head.as_str(), output.tail.as_str(), output.omitted), ("one two three", "", 0));
}

#[tokio::test]
async fn long_output_keeps_its_beginning_and_its_end() {
    let output = captured(8, &[b"abcdef", b"ghijklmnop"]).await;
    assert_eq!((output.head.as_str(), output.tail.as_str()), ("abcd", "mnop"));
    assert_eq!((output.omitted, output.total), (8, 16));
}

#[tokio::test]
async fn a_character_is_never_cut_in_two() {
    let text = "aé€😀".repeat(20);
    for cap in 2..60 {
        let output = captured(cap, &[text.as_bytes()]).await;
        assert!(text.starts_with(&output.head), "cap {cap}: {:?}", output.head);
        assert!(text.ends_with(&output.tail), "cap {cap}: {:?}", output.tail);
    }
}

#[tokio::test]
async fn bytes_that_are_no_text_are_shown_as_such() {
    let output = captured(64, &[b"a\xff\xfeb"]).await;
    assert_eq!(output.head, "a\u{fffd}\u{fffd}b");
}

#[tokio::test]
async fn what_does_not_fit_is_in_the_file_from_the_beginning() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("output");
    let mut capture = Capture::new(8, Some(Overflow { file: file.clone(), max_bytes: 20 }));
    capture.push(b"0123456").await;
    assert!(!file.exists());
    capture.push(b"789").await;
    capture.push(b"abcdefghijklmnop").await;
    capture.finish().await;
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "0123456789abcdefghij");
    assert_eq!(capture.output().file, Some(file));
}

#[tokio::test]
async fn a_file_that_cannot_be_made_is_said_and_the_output_kept() {
    let file = PathBuf::from("/nonexistent/output");
    let mut capture = Capture::new(4, Some(Overflow { file, max_bytes: 20 }));
    capture.push(b"0123456789").await;
    let output = capture.output();
    assert_eq!((output.head.as_str(), output.tail.as_str(), output.file), ("01", "89", None));
    assert!(output.file_error.unwrap().contains("/nonexistent/output"));
}
