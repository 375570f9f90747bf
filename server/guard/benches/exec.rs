//! What walls cost: `true` behind them beside a plain `true`, one after the other: `cargo bench -p swarm-guard`.
//!
//! Both are started by turns, so that their ratio holds whatever else the machine does. Done again with a large
//! leader, whose memory must not matter. On a busy machine the processor time says more than the clock. This binary once more, with `exec` as its argument, is the helper.
#![expect(clippy::unwrap_used, reason = "a benchmark that fails has no result")]
#![expect(clippy::print_stdout, reason = "the table goes to stdout")]

use std::process::ExitCode;

#[cfg(not(target_os = "linux"))]
fn main() -> ExitCode {
    ExitCode::SUCCESS
}

#[cfg(target_os = "linux")]
fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1).peekable();
    match arguments.peek().and_then(|argument| argument.to_str()) {
        Some("exec") => swarm_guard::exec::enter(arguments.skip(1)),
        // As a test it only has to build.
        Some("--test") => ExitCode::SUCCESS,
        _ => {
            cost::compare();
            ExitCode::SUCCESS
        }
    }
}

#[cfg(target_os = "linux")]
mod cost {
    use std::time::{Duration, Instant};

    use swarm_guard::exec::{Command, Confinement, Environment, Exit, Network, Policy, spawn};

    /// In a row, of each kind.
    const RUNS: usize = 200;
    /// Pages of the large leader, in bytes: each is touched.
    const LARGE: usize = 1 << 30;

    pub(crate) fn compare() {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        println!("{:<30}{:>10}{:>10}{:>10}{:>10}", "ms", "median", "95th", "ratio", "processor");
        runtime.block_on(kinds(""));
        let ballast = vec![1_u8; LARGE];
        runtime.block_on(kinds(", leader of 1 GiB"));
        std::hint::black_box(ballast);
    }

    async fn kinds(leader: &str) {
        let place = tempfile::tempdir().unwrap();
        let (workspace, home) = (place.path().join("home/work"), place.path().join("home"));
        std::fs::create_dir_all(&workspace).unwrap();
        let full = Policy::for_workspace(&workspace, &home).unwrap();
        let off = Policy { confinement: Confinement::Off, network: Network::Open, ..full.clone() };
        let (mut plain, mut ended, mut walled) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..RUNS {
            plain.push(timed(run_plainly()).await);
            ended.push(timed(run(off.clone())).await);
            walled.push(timed(run(full.clone())).await);
        }
        let base = Cost::median(&mut plain).clock;
        for (kind, costs) in
            [("plain spawn", &mut plain), ("no walls", &mut ended), ("all walls", &mut walled)]
        {
            let middle = Cost::median(costs);
            println!(
                "{:<30}{:>10.2}{:>10.2}{:>10.1}{:>10.2}",
                format!("{kind}{leader}"),
                millis(middle.clock),
                millis(costs[costs.len() * 95 / 100].clock),
                middle.clock.as_secs_f64() / base.as_secs_f64(),
                millis(middle.processor),
            );
        }
    }

    async fn run_plainly() {
        let status =
            tokio::process::Command::new("/bin/bash").args(["-c", "true"]).env_clear().status().await;
        assert!(status.unwrap().success());
    }

    async fn run(policy: Policy) {
        let command = Command {
            env: Environment::default().with("PATH", "/usr/bin:/bin"),
            ..Command::bash("true", policy)
        };
        assert_eq!(spawn(command).await.unwrap().wait().await.unwrap().exit, Exit::Code(0));
    }

    /// What one run took.
    #[derive(Clone, Copy)]
    struct Cost {
        clock: Duration,
        /// Of this process and of all that ended meanwhile.
        processor: Duration,
    }

    impl Cost {
        /// Of each figure apart; the costs are in the order of the clock afterwards.
        fn median(costs: &mut [Cost]) -> Cost {
            costs.sort_unstable_by_key(|cost| cost.processor);
            let processor = costs[costs.len() / 2].processor;
            costs.sort_unstable_by_key(|cost| cost.clock);
            Cost { clock: costs[costs.len() / 2].clock, processor }
        }
    }

    async fn timed(what: impl Future<Output = ()>) -> Cost {
        let (start, before) = (Instant::now(), processor_time());
        what.await;
        Cost { clock: start.elapsed(), processor: processor_time().saturating_sub(before) }
    }

    fn processor_time() -> Duration {
        let used = |who| {
            // SAFETY: all zeroes is a valid `rusage`, and the call is handed a valid pointer to it.
            let usage = unsafe {
                let mut usage: libc::rusage = std::mem::zeroed();
                libc::getrusage(who, &raw mut usage);
                usage
            };
            let time = |part: libc::timeval| {
                Duration::new(part.tv_sec.unsigned_abs(), 0)
                    + Duration::from_micros(part.tv_usec.unsigned_abs())
            };
            time(usage.ru_utime) + time(usage.ru_stime)
        };
        used(libc::RUSAGE_SELF) + used(libc::RUSAGE_CHILDREN)
    }

    fn millis(time: Duration) -> f64 {
        time.as_secs_f64() * 1000.0
    }
}
