//! The common design, written here to compare with: an inbox is one JSON array, rewritten on each send under
//! a lock file, and polled by its reader every 500 ms.

use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::crew::{Crew, Pace, print_age, stamp, steadily, times, wait_for_the_word, words};
use crate::figures::Times;

const POLL: Duration = Duration::from_millis(500);
const LOCK_RETRY: Duration = Duration::from_millis(1);

pub(crate) fn flood(inbox: &Path, writers: usize, each: usize) -> Pace {
    let commands = vec![words(&format!("array send {} {each}", inbox.display())); writers];
    let (took, _) = Crew::ready(&commands).go();
    took.pace(writers * each)
}

pub(crate) fn latency_at(inbox: &Path, per_second: u32, count: usize) -> Times {
    let reader = words(&format!("array read {} {count}", inbox.display()));
    let writer = words(&format!("array send-at {} {per_second} {count}", inbox.display()));
    times(&Crew::ready(&[reader, writer]).go().1)
}

/// Milliseconds to find ten new messages among handled ones.
pub(crate) fn time_to_read(inbox: &Path, handled: usize) -> f64 {
    let old = json!({"from": "old@t", "text": "x", "timestamp": "2026-01-01T00:00:00Z", "read": true});
    fs::write(inbox, serde_json::to_vec(&vec![old; handled]).unwrap()).unwrap();
    let looks = (0..20).map(|_| {
        (0..10).for_each(|_| send(inbox, "x"));
        let start = Instant::now();
        assert_eq!(read(inbox).len(), 10);
        start.elapsed()
    });
    Times::new(looks.collect()).at(0.5)
}

pub(crate) fn work(arguments: &[&str]) {
    let [command, inbox, rest @ ..] = arguments else { panic!("COMMAND INBOX …") };
    let inbox = Path::new(inbox);
    match (*command, rest) {
        ("send", [count]) => {
            let count: usize = count.parse().unwrap();
            wait_for_the_word();
            (0..count).for_each(|_| send(inbox, &stamp()));
        }
        ("send-at", [rate, count]) => {
            wait_for_the_word();
            steadily(rate.parse().unwrap(), count.parse().unwrap(), || send(inbox, &stamp()));
        }
        ("read", [count]) => {
            let mut left: usize = count.parse().unwrap();
            wait_for_the_word();
            while left > 0 {
                pause(POLL);
                for text in read(inbox) {
                    print_age(&text);
                    left -= 1;
                }
            }
        }
        other => panic!("no such worker: {other:?}"),
    }
}

fn send(inbox: &Path, text: &str) {
    locked(inbox, || {
        let mut messages = load(inbox);
        messages
            .push(json!({"from": "w@t", "text": text, "timestamp": "2026-01-01T00:00:00Z", "read": false}));
        fs::write(inbox, serde_json::to_vec(&messages).unwrap()).unwrap();
    });
}

/// The texts of the unread messages, which are read now.
fn read(inbox: &Path) -> Vec<String> {
    locked(inbox, || {
        let mut messages = load(inbox);
        let mut texts = Vec::new();
        for message in &mut messages {
            if message["read"] == false {
                message["read"] = Value::Bool(true);
                texts.push(message["text"].as_str().unwrap().to_owned());
            }
        }
        fs::write(inbox, serde_json::to_vec(&messages).unwrap()).unwrap();
        texts
    })
}

fn load(inbox: &Path) -> Vec<Value> {
    fs::read(inbox).map_or(Vec::new(), |text| serde_json::from_slice(&text).unwrap())
}

fn locked<R>(inbox: &Path, work: impl FnOnce() -> R) -> R {
    let lock = PathBuf::from(format!("{}.lock", inbox.display()));
    while OpenOptions::new().write(true).create_new(true).open(&lock).is_err() {
        pause(LOCK_RETRY);
    }
    let result = work();
    fs::remove_file(&lock).unwrap();
    result
}

#[expect(clippy::disallowed_methods, reason = "polling and retrying by the clock is this design")]
fn pause(time: Duration) {
    std::thread::sleep(time);
}
