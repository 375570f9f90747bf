//! Every way a command can end, and that nothing of it is left then.

use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;
use std::time::{Duration, Instant};

use swarm_guard::exec::{Command, Environment, ExecError, Exit, Overflow, Program, Step, spawn};
use tokio::io::{AsyncBufReadExt, BufReader};

use crate::support::{LONG, World, finish, printed, probe, processes_with};

#[tokio::test]
async fn output_and_exit_code_come_back() {
    let world = World::new();
    let finished = world.run("echo out; echo err >&2; exit 3").await;
    assert_eq!((finished.output.head.as_str(), finished.exit), ("out\nerr\n", Exit::Code(3)));
}

#[tokio::test]
async fn a_command_runs_in_its_directory_with_its_environment_and_input() {
    let world = World::new();
    let mut command = world.bash("pwd; echo $WORD; cat; tty; env | cut -d= -f1 | sort | tr '\\n' ' '");
    command.env = command.env.with("WORD", "a word");
    command.stdin = b"typed\n".to_vec();
    let finished = finish(spawn(command).await.unwrap()).await;
    let workspace = world.workspace();
    let text = finished.output.head;
    assert!(text.starts_with(&format!("{}\na word\ntyped\nnot a tty\n", workspace.display())), "{text}");
    assert!(text.ends_with("HOME PATH PWD SHLVL TMPDIR WORD _ "), "{text}");
}

#[tokio::test]
async fn the_end_of_a_command_by_a_signal_is_said_as_such() {
    let world = World::new();
    assert_eq!(world.run("kill -SEGV $$").await.exit, Exit::Signal(11));
    assert_eq!(world.run("exec sh -c 'kill -9 $$'").await.exit, Exit::Signal(9));
}

#[tokio::test]
async fn sigpipe_and_the_signal_mask_are_as_a_shell_expects() {
    let world = World::new();
    let finished = world.run("yes | head -1; grep -E '^Sig(Blk|Ign)' /proc/self/status").await;
    // 32 and 33 are the C library's own, out of every program's reach.
    let text = finished.output.head.replace("180000000", "000000000");
    assert_eq!(text, "y\nSigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
}

#[tokio::test]
async fn a_background_child_that_holds_the_output_does_not_hold_up_the_result() {
    let world = World::new();
    let start = Instant::now();
    let finished = world.run("sleep 60 & echo x").await;
    assert_eq!((finished.output.head.as_str(), finished.exit), ("x\n", Exit::Code(0)));
    assert!(start.elapsed() < Duration::from_secs(20));
}

/// Lines that try to outlive their command; each prints `up` once it has tried. MARK is in their command lines.
const SURVIVORS: [&str; 4] = [
    "setsid sh -c 'echo up; sleep 600 # MARK' & wait",
    "(setsid setsid sh -c 'trap \"\" TERM INT HUP; echo up; while :; do sleep 600; done # MARK' &) ; sleep 600",
    "sh -c 'echo up; kill -STOP $$; sleep 600 # MARK' & wait",
    "trap '' TERM INT; echo up; while :; do sleep 600; done # MARK",
];

#[tokio::test]
async fn a_kill_ends_whatever_tries_to_outlive_it() {
    for (index, line) in SURVIVORS.iter().enumerate() {
        let (world, mark) = (World::new(), mark("kill", index));
        let running = spawn(world.bash(&line.replace("MARK", &mark))).await.unwrap();
        printed(&running, "up").await;
        running.kill();
        assert_eq!(finish(running).await.exit, Exit::Killed, "{line}");
        assert_eq!(processes_with(&mark), [] as [u32; 0], "{line}");
    }
}

#[tokio::test]
async fn dropping_a_command_ends_whatever_tries_to_outlive_it() {
    for (index, line) in SURVIVORS.iter().enumerate() {
        let (world, mark) = (World::new(), mark("drop", index));
        let running = spawn(world.bash(&line.replace("MARK", &mark))).await.unwrap();
        printed(&running, "up").await;
        let mut output = running.output();
        drop(running);
        // The driver lets go of the output once the helper has ended.
        tokio::time::timeout(LONG, async { while output.changed().await.is_ok() {} }).await.unwrap();
        assert_eq!(processes_with(&mark), [] as [u32; 0], "{line}");
    }
}

#[tokio::test]
async fn a_timeout_ends_what_ignores_it() {
    let world = World::new();
    let mark = mark("timeout", 0);
    let mut command = world.bash(&SURVIVORS[3].replace("MARK", &mark));
    command.timeout = Some(Duration::from_millis(300));
    let finished = finish(spawn(command).await.unwrap()).await;
    assert_eq!((finished.exit, finished.output.head.as_str()), (Exit::TimedOut, "up\n"));
    assert_eq!(processes_with(&mark), [] as [u32; 0]);
}

#[tokio::test]
async fn a_timeout_lets_a_command_tidy_up() {
    let world = World::new();
    let mut command = world.bash("trap 'echo tidy; exit' TERM; echo up; sleep 600 & wait");
    command.timeout = Some(Duration::from_millis(300));
    let finished = finish(spawn(command).await.unwrap()).await;
    assert_eq!((finished.exit, finished.output.head.as_str()), (Exit::TimedOut, "up\ntidy\n"));
}

#[tokio::test]
async fn an_interrupt_reaches_the_foreground_program() {
    let world = World::new();
    let running =
        spawn(world.bash("trap 'echo caught; exit 5' INT; echo up; sleep 600 & wait")).await.unwrap();
    printed(&running, "up").await;
    running.interrupt();
    let finished = finish(running).await;
    assert_eq!((finished.exit, finished.output.head.as_str()), (Exit::Interrupted, "up\ncaught\n"));
}

#[tokio::test]
async fn killing_the_helper_ends_the_tree() {
    let (world, mark) = (World::new(), mark("helper", 0));
    let running = spawn(world.bash(&SURVIVORS[0].replace("MARK", &mark))).await.unwrap();
    printed(&running, "up").await;
    let helper = running.helper_id().unwrap();
    rustix::process::kill_process(
        rustix::process::Pid::from_raw(helper.cast_signed()).unwrap(),
        rustix::process::Signal::KILL,
    )
    .unwrap();
    let mut running = running;
    assert!(matches!(running.wait().await, Err(ExecError::Lost)));
    wait_until_gone(&mark).await;
}

#[tokio::test]
async fn a_killed_leader_takes_its_commands_with_it() {
    for (index, line) in SURVIVORS.iter().enumerate() {
        let (world, mark) = (World::new(), mark("leader", index));
        let flag = world.workspace().join("up");
        rustix::fs::mkfifoat(rustix::fs::CWD, &flag, rustix::fs::Mode::RWXU).unwrap();
        let line = line.replace("MARK", &mark).replace("echo up", "echo up >up");
        let mut leader = tokio::process::Command::new(probe())
            .arg("lead")
            .arg(serde_json::to_string(&world.policy()).unwrap())
            .arg(line)
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        let fifo = tokio::net::unix::pipe::OpenOptions::new().read_write(true).open_receiver(&flag).unwrap();
        tokio::time::timeout(LONG, BufReader::new(fifo).read_line(&mut String::new()))
            .await
            .unwrap()
            .unwrap();
        leader.start_kill().unwrap();
        assert_eq!(leader.wait().await.unwrap().signal(), Some(9));
        wait_until_gone(&mark).await;
    }
}

#[tokio::test]
async fn endless_output_takes_bounded_memory_and_a_bounded_file() {
    let world = World::new();
    let file = world.dir.path().join("output");
    let mut command = world.bash("exec yes");
    command.timeout = Some(Duration::from_secs(10));
    command.overflow = Some(Overflow { file: file.clone(), max_bytes: 1 << 20 });
    let before = resident_kib();
    let finished = finish(spawn(command).await.unwrap()).await;
    let grown = resident_kib().saturating_sub(before);
    assert!(grown < 64 * 1024, "grew by {grown} KiB");
    assert_eq!(finished.exit, Exit::TimedOut);
    assert!(finished.output.head.len() + finished.output.tail.len() <= 64 * 1024);
    assert!(finished.output.total > 1 << 24, "only {} bytes in ten seconds", finished.output.total);
    assert_eq!(std::fs::metadata(file).unwrap().len(), 1 << 20);
}

#[tokio::test]
async fn what_cannot_be_started_says_why() {
    let world = World::new();
    let refused = async |command: Command| match spawn(command).await {
        Err(ExecError::Refused(failed)) => failed,
        other => panic!("{other:?}"),
    };
    let mut command = world.bash("");
    command.program = Program::File { path: "/nonexistent/program".into(), args: Vec::new() };
    let failed = refused(command).await;
    assert_eq!((failed.step, failed.path.to_str()), (Step::Start, Some("/nonexistent/program")));

    let mut command = world.bash("true");
    command.cwd = world.workspace().join("gone");
    assert_eq!(refused(command).await.step, Step::WorkingDirectory);
}

#[tokio::test]
async fn bash_runs_no_file_and_no_function_from_its_environment() {
    let world = World::new();
    std::fs::write(world.workspace().join("rc"), "echo planted").unwrap();
    let mut command = world.bash("ls /nonexistent 2>/dev/null; echo done");
    let rc = world.workspace().join("rc").display().to_string();
    let planted = [
        ("BASH_ENV".into(), rc.clone()),
        ("ENV".into(), rc),
        ("BASH_FUNC_ls%%".into(), "() { echo planted; }".into()),
        ("SHELLOPTS".into(), "xtrace".into()),
        ("PS4".into(), "$(echo planted)".into()),
    ];
    command.env = Environment::scrubbed(planted).with("PATH", "/usr/bin:/bin");
    assert_eq!(finish(spawn(command).await.unwrap()).await.output.head, "done\n");
}

#[tokio::test]
async fn no_capability_is_left_nor_to_be_had() {
    let world = World::new();
    let finished = world.run("grep -E '^(Cap|NoNewPrivs)' /proc/self/status").await;
    let none = "0000000000000000";
    let expected = format!(
        "CapInh:\t{none}\nCapPrm:\t{none}\nCapEff:\t{none}\nCapBnd:\t{none}\nCapAmb:\t{none}\nNoNewPrivs:\t1\n"
    );
    assert_eq!(finished.output.head, expected);
}

#[tokio::test]
async fn a_command_sees_no_process_but_its_own() {
    let world = World::new();
    let finished =
        world.run("cd /proc && echo [0-9]*; kill -9 -1 2>/dev/null; kill -9 1 2>/dev/null; echo alive").await;
    assert_eq!(finished.output.head, "1 2\nalive\n");
    let finished = world.run("cat /proc/1/environ /proc/1/mem 2>&1 | grep -c denied").await;
    assert_eq!(finished.output.head, "2\n");
}

fn mark(test: &str, index: usize) -> String {
    format!("mark-{test}-{index}-{}", std::process::id())
}

/// The kernel ends the processes; there is no event to wait for but their absence.
async fn wait_until_gone(mark: &str) {
    let gone = async {
        while !processes_with(mark).is_empty() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(LONG, gone).await.expect("the processes end");
}

fn resident_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[tokio::test]
async fn the_last_words_of_a_command_are_never_lost() {
    let world = World::new();
    for round in 0..100 {
        assert_eq!(world.run("echo last").await.output.head, "last\n", "round {round}");
    }
}
