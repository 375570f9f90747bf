//! How fast mail is, beside the common design of one JSON array an inbox: `cargo bench -p swarm-store`.
//!
//! Writers and readers are processes of their own (this binary once more, with a worker's arguments). Both
//! designs run in turn on the same folder, so that their ratio holds whatever else the machine does. Prints a
//! table and leaves the same figures as JSON in the target folder. `TMPDIR` chooses the disk.
#![expect(clippy::unwrap_used, reason = "a benchmark that fails has no result")]
#![expect(clippy::print_stdout, reason = "the table goes to stdout, and so do a worker's answers")]

mod array_inbox;
mod crew;
mod figures;
mod mail;

use std::path::Path;

use crew::Pace;
use figures::Figures;

const WRITERS: usize = 8;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> =
        arguments.iter().map(String::as_str).filter(|word| *word != "--bench").collect();
    match arguments.as_slice() {
        [] => compare(),
        ["mail", worker @ ..] => mail::work(worker),
        ["array", worker @ ..] => array_inbox::work(worker),
        // As a test it only has to build.
        ["--test", ..] => {}
        other => panic!("no such worker: {other:?}"),
    }
}

fn compare() {
    let home = tempfile::tempdir().unwrap();
    let mut figures = Figures::default();
    throughput(home.path(), &mut figures);
    in_memory(&mut figures);
    latency(home.path(), &mut figures);
    reading(home.path(), &mut figures);
    many_mailboxes(home.path(), &mut figures);
    figures.print();
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("store-bench.json");
    figures.save(&path);
    println!("\nas JSON: {}", path.display());
}

fn throughput(home: &Path, figures: &mut Figures) {
    let team = mail::team(&home.join("throughput"));
    let ours = mail::flood(&team, WRITERS, 2000, "buffered");
    let array = array_inbox::flood(&home.join("throughput.json"), WRITERS, 25);
    flooded("unsynced", &ours, &array, figures);
    let synced = mail::flood(&team, WRITERS, 50, "synced");
    figures.more("messages/s, 8 writers to one mailbox, synced", synced.per_second, None, None);
    let apart = mail::flood_apart(&team, WRITERS, 2000);
    figures.more("messages/s, 8 writers to a mailbox each, unsynced", apart.per_second, None, None);
}

fn flooded(how: &str, ours: &Pace, array: &Pace, figures: &mut Figures) {
    let what = format!("messages/s, 8 writers to one mailbox, {how}");
    figures.more(&what, ours.per_second, Some(array.per_second), Some(30_000.0));
    let what = format!("µs of processor time a message, {how}");
    figures.less(&what, ours.cpu_micros, Some(array.cpu_micros), None);
}

/// The same where a file system costs least, which shows what the disk's own share is.
fn in_memory(figures: &mut Figures) {
    if let Ok(home) = tempfile::tempdir_in("/dev/shm") {
        let ours = mail::flood(&mail::team(&home.path().join("mail")), WRITERS, 2000, "buffered");
        let array = array_inbox::flood(&home.path().join("array.json"), WRITERS, 25);
        flooded("in memory", &ours, &array, figures);
    }
}

fn latency(home: &Path, figures: &mut Figures) {
    let team = mail::team(&home.join("latency"));
    let ours = mail::latency_at(&team, 300, 1500);
    let array = array_inbox::latency_at(&home.join("latency.json"), 300, 600);
    figures.less("ms from send to read, median, at 300/s", ours.at(0.5), Some(array.at(0.5)), None);
    figures.less("ms from send to read, 99 %, at 300/s", ours.at(0.99), Some(array.at(0.99)), Some(2.0));
    let flood = mail::latency_in_a_flood(&mail::team(&home.join("flood")), WRITERS, 500);
    figures.less("ms from send to read, 99 %, in a flood of 4000", flood.at(0.99), None, Some(50.0));
}

fn reading(home: &Path, figures: &mut Figures) {
    let ours = |handled| mail::time_to_read(&mail::team(&home.join(format!("reading-{handled}"))), handled);
    let array = |handled| array_inbox::time_to_read(&home.join(format!("reading-{handled}.json")), handled);
    for handled in [0, 1000, 20_000] {
        let what = format!("ms to read 10 new messages, {handled} handled ones there");
        figures.less(&what, ours(handled), Some(array(handled)), None);
    }
}

fn many_mailboxes(home: &Path, figures: &mut Figures) {
    let crowd = mail::latency_in_a_crowd(&mail::team(&home.join("crowd")), 1000);
    figures.less("ms from send to read, 99 %, 1000 mailboxes in one process", crowd.at(0.99), None, None);
}
