//! Broken, foreign and hostile files among good ones, and disks that take nothing.

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::time::{Duration, Instant};

use nix::sys::stat::Mode;
use nix::unistd::mkfifo;
use swarm_store::{Draft, Durability, Mailbox, Origin, TeamDir};

use crate::actors::in_a_mount_namespace;
use crate::support::{id, request, team};

fn send(team: &TeamDir, mailbox: &Mailbox, text: &str) -> String {
    let sender = team.sender(Origin::User, 1);
    sender.send(mailbox, Draft::text(text), Durability::Buffered).unwrap().to_string()
}

fn mailbox(team: &TeamDir) -> Mailbox {
    let mailbox = team.mailbox(&id("ada@shop"));
    mailbox.create().unwrap();
    mailbox
}

#[test]
fn broken_files_are_told_once_each_and_left_while_good_mail_comes_through() {
    let (_home, team) = team();
    let mailbox = mailbox(&team);
    let new = mailbox.path().join("new");
    let good = send(&team, &mailbox, "one");
    let text = fs::read_to_string(new.join(&good)).unwrap();
    fs::write(new.join("1.1.external:cut"), &text[..text.len() / 2]).unwrap();
    fs::write(new.join("1.1.external:empty"), "").unwrap();
    fs::write(new.join("1.1.external:bytes"), [b'{', 0xff, 0xfe, b'}']).unwrap();
    fs::write(new.join("1.1.external:typed"), r#"{"id":1,"from":2,"text":[],"timestamp":{},"kind":7}"#)
        .unwrap();
    fs::write(new.join("1.1.external:other"), &text).unwrap();
    fs::write(new.join("notes.txt"), "shopping").unwrap();
    fs::write(new.join("1.1.bob@shop\n"), "x").unwrap();
    File::create(new.join("1.1.external:huge")).unwrap().set_len(1 << 40).unwrap();
    fs::create_dir(new.join("1.1.external:folder")).unwrap();
    symlink(new.join(&good), new.join("1.1.external:link")).unwrap();
    mkfifo(&new.join("1.1.external:pipe"), Mode::S_IRWXU).unwrap();
    send(&team, &mailbox, "two");

    let mut reader = mailbox.reader();
    let unread = reader.unread().unwrap();
    assert_eq!(unread.mail.iter().map(|mail| mail.message.text.as_str()).collect::<Vec<_>>(), ["one", "two"]);
    assert_eq!(unread.problems.len(), 11, "{:?}", unread.problems);
    assert!(unread.problems.iter().all(|problem| problem.path.symlink_metadata().is_ok()));
    assert!(reader.unread().unwrap().problems.is_empty(), "told once");
    for mail in &unread.mail {
        reader.ack(&mail.handle).unwrap();
    }
    assert_eq!(fs::read_dir(&new).unwrap().count(), 11, "left in place");
    fs::write(
        new.join("1.1.external:empty"),
        text.replace(&good, "1.1.external:empty").replace("user", "external:empty"),
    )
    .unwrap();
    assert_eq!(reader.unread().unwrap().mail.len(), 1, "one that was completed is read");
}

#[test]
fn a_damaged_transcript_line_is_told_and_the_others_are_read() {
    use swarm_store::{Transcript, TranscriptReader};
    let (_home, team) = team();
    let ada = id("ada@shop");
    Transcript::open(&team, &ada).unwrap().0.append(&[crate::support::entry("one")]).unwrap();
    let path = team.path().join("transcripts/ada@shop.jsonl");
    let mut text = fs::read(&path).unwrap();
    let damaged_at = text.len() as u64;
    text.extend_from_slice(b"\0\0\0\0\n{\"at\":2,\"role\":\"of next year\"}\n");
    fs::write(&path, &text).unwrap();
    let (mut transcript, replay) = Transcript::open(&team, &ada).unwrap();
    assert_eq!((replay.entries.len(), replay.problems.len()), (1, 2));
    assert_eq!(replay.problems[0].offset, damaged_at);
    transcript.append(&[crate::support::entry("two")]).unwrap();
    assert!(fs::read(&path).unwrap().starts_with(&text), "left in place");
    let page = TranscriptReader::new(&team, &ada).unwrap().page(damaged_at - 3, 10).unwrap();
    assert_eq!(page.entries, [crate::support::entry("two")], "a cursor inside a line goes to the next");
}

#[test]
fn damaged_state_files_are_errors_with_their_path_and_stay_as_they_are() {
    let (home, team) = team();
    let permissions = team.permissions();
    permissions.write_pending(&request("perm-1-aaaaaa")).unwrap();
    permissions.write_pending(&request("perm-2-aaaaaa")).unwrap();
    let pending = team.path().join("permissions/pending/perm-2-aaaaaa.json");
    fs::write(&pending, "{\"id\":").unwrap();
    fs::write(team.path().join("permissions/pending/perm-3-aaaaaa.json"), "[]").unwrap();
    assert_eq!(permissions.pending().unwrap().len(), 1);
    let id = swarm_wire::RequestId::new("perm-2-aaaaaa");
    assert!(permissions.withdraw(&id, "x").unwrap_err().to_string().contains("perm-2-aaaaaa.json"));
    assert_eq!(fs::read_to_string(&pending).unwrap(), "{\"id\":");
    fs::write(team.team_file_path(), b"{\"name\":\"shop\",\xff").unwrap();
    let error = team.update(|file| file.created_at = 9).unwrap_err().to_string();
    assert!(error.contains("shop.json"), "{error}");
    assert_eq!(team.root().team_of_workspace(home.path()).unwrap(), None, "passed over, not failed over");
    assert_eq!(fs::read(team.team_file_path()).unwrap(), b"{\"name\":\"shop\",\xff");
}

#[test]
fn twenty_thousand_handled_messages_cost_a_reader_nothing() {
    let (_home, team) = team();
    let time_of = |mailbox: &Mailbox| {
        let looks = (0..10).map(|round| {
            (0..20).for_each(|_| drop(send(&team, mailbox, "x")));
            let mut reader = mailbox.reader();
            let start = Instant::now();
            let unread = reader.unread().unwrap().mail;
            let took = start.elapsed();
            assert_eq!(unread.len(), 20, "in round {round}");
            unread.iter().for_each(|mail| reader.ack(&mail.handle).unwrap());
            took
        });
        looks.min().unwrap_or(Duration::MAX)
    };
    let empty = mailbox(&team);
    let full = team.mailbox(&id("bob@shop"));
    full.create().unwrap();
    (0..20_000)
        .for_each(|number| drop(File::create(full.path().join(format!("cur/1.{number}.eve@shop"))).unwrap()));
    let (without, with) = (time_of(&empty), time_of(&full));
    assert!(with < without * 3 + Duration::from_millis(1), "{without:?} without them, {with:?} with");
}

#[test]
fn on_a_full_disk_every_writer_is_told_and_nothing_is_broken() {
    let folder = tempfile::tempdir().unwrap();
    let script = r#"mount -t tmpfs -o size=256k,mode=700 tmpfs "$1"; exec "$2" "$1/root" fill-the-disk"#;
    assert_eq!(in_a_mount_namespace(script, folder.path()), "well");
}

#[test]
fn on_a_read_only_file_system_every_writer_is_told_and_reading_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let script = r#"mount -t tmpfs -o size=1m,mode=700 tmpfs "$1"; "$2" "$1/root" prepare
        mount -o remount,bind,ro "$1"; exec "$2" "$1/root" write-nowhere"#;
    assert_eq!(in_a_mount_namespace(script, folder.path()), "well");
}
