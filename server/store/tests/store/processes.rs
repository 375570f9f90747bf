//! Several processes at once: nothing lost, nothing twice, one winner.

use std::collections::{BTreeMap, HashSet};
use std::io::{BufRead, BufReader};
use std::process::Stdio;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use swarm_store::{Lease, Watch};
use swarm_wire::RequestId;
use swarm_wire::permission::Status;

use crate::actors::{actor, in_a_mount_namespace, together};
use crate::support::{id, request, team};

fn commands(count: usize, arguments: impl Fn(usize) -> String) -> Vec<Vec<String>> {
    (0..count).map(|number| arguments(number).split(' ').map(str::to_owned).collect()).collect()
}

#[tokio::test]
async fn eight_senders_fill_one_mailbox_and_all_is_read_once_in_each_ones_order() {
    const SENDERS: usize = 8;
    const EACH: usize = 500;
    let (_home, team) = team();
    let mailbox = team.mailbox(&id("ada@shop"));
    mailbox.create().unwrap();
    let mut changes = Watch::new().subscribe(&mailbox);
    let start = |number| {
        let from = format!("m{number}@shop");
        actor(&team, &["send", "ada@shop", &from, "1", &EACH.to_string()]).spawn().unwrap()
    };
    let senders: Vec<_> = (0..SENDERS).map(start).collect();
    let mut reader = mailbox.reader();
    let (mut seen, mut handled) = (HashSet::new(), Vec::new());
    let mut next: BTreeMap<String, usize> = BTreeMap::new();
    while seen.len() < SENDERS * EACH {
        changes.changed().await;
        let unread = reader.unread().unwrap();
        assert!(unread.problems.is_empty(), "{:?}", unread.problems);
        for mail in unread.mail {
            assert!(seen.insert(mail.message.id.clone()), "read twice: {}", mail.message.id);
            let expected = next.entry(mail.message.from.clone()).or_default();
            assert_eq!(mail.message.text, expected.to_string(), "out of order from {}", mail.message.from);
            *expected += 1;
            handled.push(mail.handle);
        }
    }
    // Only now, so that the folder grows large: a listing of many files is the least of a snapshot.
    handled.iter().for_each(|handle| reader.ack(handle).unwrap());
    for sender in senders {
        assert!(sender.wait_with_output().unwrap().status.success());
    }
    assert!(mailbox.reader().unread().unwrap().mail.is_empty());
}

#[test]
fn ten_processes_change_the_team_file_and_no_change_is_lost() {
    let (_home, team) = team();
    together(&team, &commands(10, |_| "count 100".to_owned()));
    assert_eq!(team.read().unwrap().unknown["count"], 1000);
}

#[test]
fn of_eight_who_claim_a_task_one_gets_it() {
    let (_home, team) = team();
    let task = team.tasks().create("t", "", &[]).unwrap();
    let results = together(&team, &commands(8, |number| format!("claim {} m{number}@shop", task.id)));
    assert_eq!(results.iter().filter(|result| *result == "claimed").count(), 1);
}

#[test]
fn of_eight_who_answer_a_question_one_decides_it() {
    let (_home, team) = team();
    team.permissions().write_pending(&request("perm-1-aaaaaa")).unwrap();
    let mut results = together(&team, &commands(8, |_| "resolve perm-1-aaaaaa".to_owned()));
    results.sort();
    assert_eq!(results.concat(), format!("{}Resolved", "AlreadyResolved".repeat(7)));
    let decided = team.permissions().get(&RequestId::new("perm-1-aaaaaa")).unwrap().unwrap();
    assert_eq!(decided.status, Status::Approved);
}

#[test]
fn a_lease_ends_with_its_killed_leader_although_a_child_hangs_between_fork_and_exec() {
    let (_home, team) = team();
    let mut leader = actor(&team, &["lead-with-a-child-before-exec"]).stdin(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(leader.stdout.take().unwrap()).lines();
    let epoch: u64 = lines.next().unwrap().unwrap().parse().unwrap();
    let child = Pid::from_raw(lines.next().unwrap().unwrap().parse().unwrap());
    assert!(Lease::take(&team).unwrap_err().to_string().contains(&format!("process {}", leader.id())));
    leader.kill().unwrap();
    leader.wait().unwrap();
    let taken = Lease::take(&team);
    kill(child, None).unwrap();
    kill(child, Signal::SIGKILL).unwrap();
    assert_eq!(taken.unwrap().epoch(), epoch + 1);
}

#[test]
fn without_any_watch_the_clock_wakes_a_reader() {
    let (_home, team) = team();
    team.mailbox(&id("ada@shop")).create().unwrap();
    // A namespace of its own has its own limits; a mailbox without a watch is looked at every 500 ms.
    let script = r#"echo 0 >/proc/sys/user/max_inotify_instances; exec "$2" "$1" wait-for-mail ada@shop"#;
    assert_eq!(in_a_mount_namespace(script, team.root().path()), "waiting\nwoken");
}

#[test]
fn a_process_can_keep_its_memory_from_others() {
    let (_home, team) = team();
    assert_eq!(together(&team, &commands(1, |_| "hide".to_owned())), ["false"]);
}
