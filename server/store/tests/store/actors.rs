//! Starts `store-actor`, the other process of these tests: plainly, under `strace`, or in a namespace.

use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use swarm_store::TeamDir;

/// The actor, about to work on `team`.
pub(crate) fn actor(team: &TeamDir, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_store-actor"));
    command.arg(team.root().path()).args(arguments).stdin(Stdio::null()).stdout(Stdio::piped());
    command
}

/// Runs actors at the same time and gives what each printed, in the order of `arguments`.
pub(crate) fn together(team: &TeamDir, arguments: &[Vec<String>]) -> Vec<String> {
    let start = |arguments: &Vec<String>| {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        actor(team, &arguments).spawn().unwrap()
    };
    let running: Vec<_> = arguments.iter().map(start).collect();
    let ended = running.into_iter().map(|child| child.wait_with_output().unwrap());
    ended
        .map(|output| {
            assert!(output.status.success(), "an actor failed: {output:?}");
            String::from_utf8(output.stdout).unwrap().trim().to_owned()
        })
        .collect()
}

/// A system call that an actor makes: its name, and the how-manieth of that name it is, from one.
pub(crate) type Call = (String, usize);

/// Every system call of the actor's own work, in order; what each process does at its start is left out.
pub(crate) fn calls_of(team: &TeamDir, arguments: &[&str]) -> Vec<Call> {
    let (idle, work) = (trace(team, &["nothing"]), trace(team, arguments));
    // An idle actor differs from a busy one first where the work begins.
    let begin = work.iter().zip(&idle).take_while(|(work, idle)| work == idle).count();
    let nth = |index: usize| work[..=index].iter().filter(|name| **name == work[index]).count();
    (begin..work.len()).map(|index| (work[index].clone(), nth(index))).collect()
}

/// Runs the actor and kills it as it enters `call`; whether it came so far.
pub(crate) fn killed_at((name, nth): &Call, team: &TeamDir, arguments: &[&str]) -> bool {
    let inject = format!("inject={name}:signal=KILL:when={nth}");
    let output = strace(team, arguments, &["-o", "/dev/null", "-e", &inject]);
    // strace ends as what it traced did.
    let killed = output.status.signal() == Some(9) || output.status.code() == Some(128 + 9);
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(killed || output.status.success(), "neither killed nor done: {:?} {complaint}", output.status);
    killed
}

fn trace(team: &TeamDir, arguments: &[&str]) -> Vec<String> {
    let log = tempfile::NamedTempFile::new().unwrap();
    let output = strace(team, arguments, &["-o", log.path().to_str().unwrap()]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = std::fs::read_to_string(log.path()).unwrap();
    text.lines().filter_map(|line| Some(line.split_once('(')?.0.to_owned())).collect()
}

fn strace(team: &TeamDir, arguments: &[&str], options: &[&str]) -> Output {
    let plain = actor(team, arguments);
    let mut traced = Command::new("strace");
    traced.arg("-qq").args(options).arg(plain.get_program()).args(plain.get_args());
    traced.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    traced.output().unwrap_or_else(|error| {
        panic!(
            "these tests kill a process at each of its system calls by `strace`, which did not start: {error}; \
             Debian has it as the package `strace`"
        )
    })
}

/// Runs a shell script in user and mount namespaces of its own, with `$1` a folder to mount on and `$2` the actor.
pub(crate) fn in_a_mount_namespace(script: &str, folder: &Path) -> String {
    let output = Command::new("unshare")
        .args(["-Urm", "sh", "-euc", script, "sh"])
        .arg(folder)
        .arg(env!("CARGO_BIN_EXE_store-actor"))
        .stdin(Stdio::null())
        .output()
        .unwrap_or_else(|error| panic!("`unshare` of util-linux did not start: {error}"));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}
