//! Worker processes that start at the same moment.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;

use crate::figures::Times;

/// Workers that wait for the word.
pub(crate) struct Crew(Vec<(Child, BufReader<ChildStdout>)>);

impl Crew {
    /// Starts a worker for each list of arguments, and returns when all are ready.
    pub(crate) fn ready(workers: &[Vec<String>]) -> Self {
        let start = |arguments: &Vec<String>| {
            let mut command = Command::new(std::env::current_exe().unwrap());
            command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
            let mut child = command.spawn().unwrap();
            let stdout = BufReader::new(child.stdout.take().unwrap());
            (child, stdout)
        };
        let mut crew: Vec<_> = workers.iter().map(start).collect();
        for (_, stdout) in &mut crew {
            let mut line = String::new();
            stdout.read_line(&mut line).unwrap();
            assert_eq!(line, "ready\n");
        }
        Self(crew)
    }

    /// Gives the word; returns what it took, and every line that any of them printed.
    pub(crate) fn go(mut self) -> (Took, Vec<String>) {
        let (start, cpu) = (Instant::now(), cpu_of_children());
        for (child, _) in &mut self.0 {
            child.stdin.take().unwrap().write_all(b"go\n").unwrap();
        }
        let mut lines = Vec::new();
        for (mut child, stdout) in self.0 {
            lines.extend(stdout.lines().map(Result::unwrap));
            assert!(child.wait().unwrap().success());
        }
        (Took { time: start.elapsed(), cpu: cpu_of_children() - cpu }, lines)
    }
}

/// What a crew's work took.
pub(crate) struct Took {
    /// Until the slowest was done.
    pub(crate) time: Duration,
    /// Of all processors, which other work on the machine hardly changes.
    pub(crate) cpu: Duration,
}

/// What one design does in a flood.
pub(crate) struct Pace {
    pub(crate) per_second: f64,
    pub(crate) cpu_micros: f64,
}

impl Took {
    pub(crate) fn pace(&self, messages: usize) -> Pace {
        let messages = messages as f64;
        Pace {
            per_second: messages / self.time.as_secs_f64(),
            cpu_micros: self.cpu.as_secs_f64() * 1e6 / messages,
        }
    }
}

/// User and system time of all children that have ended.
fn cpu_of_children() -> Duration {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).unwrap();
    let time = usage.user_time() + usage.system_time();
    Duration::from_micros(u64::try_from(time.num_microseconds()).unwrap())
}

/// In a worker: says that it is ready and waits for the word.
pub(crate) fn wait_for_the_word() {
    println!("ready");
    std::io::stdin().read_line(&mut String::new()).unwrap();
}

/// In a worker: does `act` at a steady rate.
#[expect(clippy::disallowed_methods, reason = "the load is meant to come at its times")]
pub(crate) fn steadily(per_second: u32, count: usize, mut act: impl FnMut()) {
    let start = Instant::now();
    for number in 0..count {
        let due = start + Duration::from_secs(1) / per_second * u32::try_from(number).unwrap();
        std::thread::sleep(due.saturating_duration_since(Instant::now()));
        act();
    }
}

/// The time now as a message's text, comparable between processes of one machine.
pub(crate) fn stamp() -> String {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos().to_string()
}

/// In a reader: says how long ago a stamp was made.
pub(crate) fn print_age(stamp: &str) {
    let sent = Duration::from_nanos(stamp.parse().unwrap());
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    println!("{}", now.saturating_sub(sent).as_nanos());
}

/// The ages that readers printed.
pub(crate) fn times(lines: &[String]) -> Times {
    Times::new(lines.iter().map(|line| Duration::from_nanos(line.parse().unwrap())).collect())
}

pub(crate) fn words(line: &str) -> Vec<String> {
    line.split(' ').map(str::to_owned).collect()
}
