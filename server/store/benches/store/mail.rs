//! This crate's mailboxes under load.

use std::fs;
use std::path::Path;
use std::time::Instant;

use swarm_store::{Draft, Durability, Mailbox, Origin, Root, TeamDir, Watch};

use crate::crew::{Crew, Pace, print_age, stamp, steadily, times, wait_for_the_word, words};
use crate::figures::Times;

/// A root of its own with the team `t`.
pub(crate) fn team(home: &Path) -> TeamDir {
    let root = Root::at(home);
    root.prepare().unwrap();
    let team = root.team(&"t".parse().unwrap());
    mailbox(&team, "reader").create().unwrap();
    team
}

/// Writers deliver to one mailbox, all as fast as they can.
pub(crate) fn flood(team: &TeamDir, writers: usize, each: usize, durability: &str) -> Pace {
    let command =
        |n| words(&format!("mail send {} reader w{n}-{durability} {each} {durability}", home(team)));
    let (took, _) = Crew::ready(&(0..writers).map(command).collect::<Vec<_>>()).go();
    took.pace(writers * each)
}

/// The same with a mailbox for each writer.
pub(crate) fn flood_apart(team: &TeamDir, writers: usize, each: usize) -> Pace {
    let command = |n| {
        mailbox(team, &format!("r{n}")).create().unwrap();
        words(&format!("mail send {} r{n} w{n} {each} buffered", home(team)))
    };
    let (took, _) = Crew::ready(&(0..writers).map(command).collect::<Vec<_>>()).go();
    took.pace(writers * each)
}

/// From one process's send to another's read, at a steady rate.
pub(crate) fn latency_at(team: &TeamDir, per_second: u32, count: usize) -> Times {
    let home = home(team);
    let reader = words(&format!("mail read {home} reader {count}"));
    let writer = words(&format!("mail send-at {home} reader {per_second} {count}"));
    times(&Crew::ready(&[reader, writer]).go().1)
}

/// The same while all writers send as fast as they can.
pub(crate) fn latency_in_a_flood(team: &TeamDir, writers: usize, each: usize) -> Times {
    let home = home(team);
    let mut commands = vec![words(&format!("mail read {home} reader {}", writers * each))];
    commands.extend((0..writers).map(|n| words(&format!("mail send {home} reader w{n} {each} buffered"))));
    times(&Crew::ready(&commands).go().1)
}

/// One process watches many mailboxes, and each gets a message, at 300 a second.
pub(crate) fn latency_in_a_crowd(team: &TeamDir, mailboxes: usize) -> Times {
    for number in 0..mailboxes {
        mailbox(team, &format!("r{number}")).create().unwrap();
    }
    let home = home(team);
    let commands = [format!("mail read-all {home} {mailboxes}"), format!("mail send-all {home} {mailboxes}")];
    times(&Crew::ready(&commands.map(|line| words(&line))).go().1)
}

/// Milliseconds to find ten new messages among handled ones.
pub(crate) fn time_to_read(team: &TeamDir, handled: usize) -> f64 {
    let mailbox = mailbox(team, "reader");
    for number in 0..handled {
        fs::write(mailbox.path().join(format!("cur/1.{number}.old@t")), "{}").unwrap();
    }
    let sender = team.sender(Origin::User, 1);
    let looks = (0..20).map(|_| {
        (0..10).for_each(|_| drop(sender.send(&mailbox, Draft::text("x"), Durability::Buffered).unwrap()));
        let mut reader = mailbox.reader();
        let start = Instant::now();
        let unread = reader.unread().unwrap().mail;
        let took = start.elapsed();
        assert_eq!(unread.len(), 10);
        unread.iter().for_each(|mail| reader.ack(&mail.handle).unwrap());
        took
    });
    Times::new(looks.collect()).at(0.5)
}

/// What a worker process does.
pub(crate) fn work(arguments: &[&str]) {
    let [command, home, rest @ ..] = arguments else { panic!("COMMAND HOME …") };
    let team = Root::at(*home).team(&"t".parse().unwrap());
    match (*command, rest) {
        ("send", [to, from, count, durability]) => {
            let durability = if *durability == "synced" { Durability::Synced } else { Durability::Buffered };
            let mailbox = mailbox(&team, to);
            let sender = team.sender(Origin::Agent(format!("{from}@t").parse().unwrap()), 1);
            wait_for_the_word();
            for _ in 0..count.parse::<usize>().unwrap() {
                sender.send(&mailbox, Draft::text(stamp()), durability).unwrap();
            }
        }
        ("send-at", [to, rate, count]) => {
            let mailbox = mailbox(&team, to);
            let sender = team.sender(Origin::User, 1);
            wait_for_the_word();
            steadily(rate.parse().unwrap(), count.parse().unwrap(), || {
                sender.send(&mailbox, Draft::text(stamp()), Durability::Buffered).unwrap();
            });
        }
        ("send-all", [count]) => {
            let sender = team.sender(Origin::User, 1);
            let count = count.parse().unwrap();
            let mut number = 0;
            wait_for_the_word();
            steadily(300, count, || {
                let to = mailbox(&team, &format!("r{number}"));
                sender.send(&to, Draft::text(stamp()), Durability::Buffered).unwrap();
                number += 1;
            });
        }
        ("read", [to, count]) => read(&[mailbox(&team, to)], count.parse().unwrap()),
        ("read-all", [count]) => {
            let count = count.parse().unwrap();
            let all: Vec<Mailbox> = (0..count).map(|number| mailbox(&team, &format!("r{number}"))).collect();
            read(&all, count);
        }
        other => panic!("no such worker: {other:?}"),
    }
}

/// Reads and handles mail, a task a mailbox, until `count` messages were read by all together.
fn read(mailboxes: &[Mailbox], count: usize) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async {
        let watch = Watch::new();
        let (read, mut all_read) = tokio::sync::mpsc::unbounded_channel();
        for mailbox in mailboxes {
            let (mut changes, mut reader, read) = (watch.subscribe(mailbox), mailbox.reader(), read.clone());
            tokio::spawn(async move {
                loop {
                    changes.changed().await;
                    let unread = reader.unread().unwrap().mail;
                    unread.iter().for_each(|mail| print_age(&mail.message.text));
                    for mail in &unread {
                        reader.ack(&mail.handle).unwrap();
                        read.send(()).unwrap();
                    }
                }
            });
        }
        wait_for_the_word();
        for _ in 0..count {
            all_read.recv().await.unwrap();
        }
    });
}

fn mailbox(team: &TeamDir, member: &str) -> Mailbox {
    team.mailbox(&format!("{member}@t").parse().unwrap())
}

fn home(team: &TeamDir) -> std::path::Display<'_> {
    team.root().path().display()
}
