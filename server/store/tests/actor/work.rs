//! A member's work: it handles its mail, writes to another, claims tasks, counts in the team file.

use std::collections::HashSet;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::time::Duration;

use swarm_store::{Draft, Durability, Reader, TeamDir, Watch};
use swarm_wire::AgentId;
use swarm_wire::task::TaskStatus;

/// Handles all mail that is there, once.
pub(crate) fn read(team: &TeamDir, agent: &AgentId, handled: &Path) {
    handle(&mut team.mailbox(agent).reader(), handled);
}

/// Says that it waits, and that it was woken; the insurance of a watched mailbox would be too late.
pub(crate) fn wait_for_mail(team: &TeamDir, agent: &AgentId) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async {
        let mailbox = team.mailbox(agent);
        let (mut changes, mut reader) = (Watch::new().subscribe(&mailbox), mailbox.reader());
        changes.changed().await;
        assert!(reader.unread().unwrap().mail.is_empty());
        println!("waiting");
        let woken = tokio::time::timeout(Duration::from_secs(5), changes.changed()).await;
        assert!(woken.is_ok(), "neither an event nor the clock woke it");
        println!("woken");
    });
}

/// Three rounds of everything, as `ada`, who writes to herself.
pub(crate) fn work(team: &TeamDir, sent: &Path, handled: &Path) {
    let ada: AgentId = "ada@shop".parse().unwrap();
    let incarnation = team.next_incarnation(&ada).unwrap();
    let mailbox = team.mailbox(&ada);
    let sender = team.sender(ada.clone().into(), incarnation);
    let mut reader = mailbox.reader();
    for round in 0..3 {
        let durability = if round % 2 == 0 { Durability::Buffered } else { Durability::Synced };
        let id = sender.send(&mailbox, Draft::text("x"), durability).unwrap();
        note(sent, id.as_str());
        handle(&mut reader, handled);
        crate::count(team);
        let task = team.tasks().claim_next(&ada).unwrap().map_or_else(
            || team.tasks().create("t", "", &[]).unwrap(),
            |task| team.tasks().update(&task.id, |task| task.status = TaskStatus::Pending).unwrap().unwrap(),
        );
        team.tasks().claim(&task.id, &ada).unwrap();
        crate::append(team, &ada, &round.to_string());
    }
}

/// Writes each message's id down, then acknowledges it, as a member's transcript does; one that is written
/// down already is only acknowledged.
fn handle(reader: &mut Reader, handled: &Path) {
    let before = fs::read_to_string(handled).unwrap_or_default();
    let before: HashSet<&str> = before.lines().collect();
    for mail in reader.unread().unwrap().mail {
        if !before.contains(mail.message.id.as_str()) {
            note(handled, mail.message.id.as_str());
        }
        reader.ack(&mail.handle).unwrap();
    }
}

/// One write a line, so that a kill leaves the whole of it or nothing.
fn note(path: &Path, line: &str) {
    let mut file = OpenOptions::new().append(true).create(true).open(path).unwrap();
    file.write_all(format!("{line}\n").as_bytes()).unwrap();
}
